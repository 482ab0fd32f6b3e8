/**
 * POST /rounds/join.
 *
 * - Only the ledger's batch takes the fee, once, whatever runs at the same time.
 * - The ticket is read after the join has committed, so the close will seal exactly this ticket.
 * - A ticket key is stored only with a first join that would be accepted at that moment.
 */
import type { roundCalls } from '@roz/contract/rounds.ts'
import { ENTRY_FEE, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Answer, Call } from '../../http/route.ts'
import type { JoinBatcher } from '../../ledger/join-batcher.ts'
import type { JoinOutcome } from '../../ledger/join-outcome.ts'
import type { TotalsReader } from '../../ledger/totals.ts'
import { readWallet } from '../../ledger/wallets.ts'
import type { Receipts } from '../../transparency-log/receipts.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'

type JoinCall = typeof roundCalls.joinRound
type JoinRefused = Extract<JoinOutcome, { readonly ok: false }>['code']
type JoinDeps = {
  readonly db: Db
  readonly batcher: JoinBatcher
  readonly totals: TotalsReader
  readonly ticketKeys: TicketKeys
  readonly receipts: Receipts
}

export async function joinRound(deps: JoinDeps, call: Call<JoinCall>): Promise<Answer<JoinCall>> {
  const { memberId } = call.session
  const { ticketKey } = call.body
  const kept = ticketKey === undefined ? KEPT : await keepFirstKey(deps, memberId, ticketKey)
  if (!kept.ok) return kept
  const outcome = await deps.batcher.join({ memberId, idempotencyKey: call.idempotencyKey })
  if (!outcome.ok) return refuse(deps, memberId, outcome.code)
  const { day, balance, batchId, at } = outcome.value
  deps.totals.forget(day)
  const { ticket, receipt } = await deps.receipts.of({ batchId, day, at, memberId })
  return { ok: true, value: { balance: rupeesFromPaise(balance), ticket: { day, ticket, receipt } } }
}

const KEPT = { ok: true } as const

async function keepFirstKey({ db, ticketKeys }: JoinDeps, memberId: bigint, given: string) {
  return (await isFirstJoin(db, memberId)) ? inTransaction(db, (tx) => ticketKeys.ensure(tx, memberId, given)) : KEPT
}

async function refuse({ db }: JoinDeps, memberId: bigint, code: JoinRefused): Promise<Answer<JoinCall>> {
  if (code !== 'may_not_move') return { ok: false, code }
  // Staff have no wallet. A member was suspended between the session's check and the join, or the ticket key is unreadable.
  const wallet = await readWallet(db, memberId)
  if (wallet === undefined) return { ok: false, code: 'forbidden' }
  return { ok: false, code: wallet.mayMove ? 'cannot_join' : 'on_hold' }
}

/** Whether this can be the member's first join; the batch decides whether it is refused. */
async function isFirstJoin(db: Db, memberId: bigint): Promise<boolean> {
  const wallet = await db.maybeOne(sql`
    select 1 from wallet where member_id = ${memberId}::bigint and joins = 0 and may_move and balance >= ${ENTRY_FEE}::bigint
          and exists (select from round where day = ist_day(roz_now()) and status = 'open')`)
  return wallet !== undefined
}
