/**
 * Asks the bank of a withdrawal's UPI ID whether its account has the name that the member gave.
 * - Runs as a job after the commit, if the member agreed. No withdrawal waits for it, and none is refused because of it.
 * - A result belongs to one UPI ID with one name (a row of `bank_account`).
 * - Each question sends a rupee, so it is recorded first, and one row is asked about by one process at a time, at most three times.
 * - The rupees would be an income: in seven days a UPI ID is asked about three times for a member and nine times for all, whatever the
 *   name, and a member's check begins after fewer than three questions in 24 hours. One stranger uses up nobody else's questions.
 * - A row of no question warns finance, whatever its reason. Three strangers can use up a UPI ID's questions, a thief agrees to none or writes
 *   the name in another script: none of them hides another name by it.
 * - The name at the bank is neither stored nor logged. An answer that nobody believes is alarmed with its words.
 */
import { randomUUID } from 'node:crypto'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import type { NameAnswer, NameQuestion, PayeeNames } from '../../adapters/payee-names/port.ts'
import { GatewayRefusedError, GatewayUnavailableError } from '../../adapters/payments/port.ts'
import { lockInTransaction } from '../../db/advisory-locks.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { LaterError } from '../../jobs/queue.ts'
import { isUpi, readPayoutDetail, type StoredAccount } from '../../members/bank-accounts.ts'
import type { Secrets } from '../../secrets/secrets.ts'

type NamesDeps = {
  readonly db: Db
  readonly secrets: Secrets
  /** Undefined without its keys: nothing is asked. */
  readonly payeeNames?: PayeeNames | undefined
  readonly alarm: (details: object, message: string) => void
}

const ASKS_MAX = 3
const ASKS_OF_DAY = 3
const ASKS_OF_UPI_ID = 3
const ASKS_OF_UPI_ID_BY_ALL = 9
const DAYS_OF_UPI_ID = 7
/** Longer than a call of the gateway takes. */
const PAUSE_SECONDS = 60
const NAME_MAX = 100

export async function checkPayeeName(deps: NamesDeps, withdrawalId: string): Promise<void> {
  const { db, payeeNames } = deps
  if (payeeNames === undefined) return
  const row = await findAccount(db, withdrawalId)
  if (row === undefined) return
  const detail = readPayoutDetail(deps.secrets, row)
  if (!isUpi(detail)) return
  const name = inLatinLetters(detail.accountHolderName)
  if (name === undefined) return noteUnasked(db, row.accountId)
  const { accountId } = row
  const asks = await claimQuestion(db, accountId)
  if (asks === undefined) return endOrWait(deps, accountId)
  const question = { checkId: gatewayIdOf(randomUUID()), upiId: detail.upiId, name, consentedAtMs: row.requestedAt.getTime() }
  const answer = await ask(deps, payeeNames, question, { accountId, asks })
  await keep(deps, accountId, answer)
}

type Row = StoredAccount & { readonly accountId: bigint; readonly requestedAt: Date }

/** Undefined once the withdrawal is sent or ended: then a result helps nobody. */
const findAccount = (from: Queryable, withdrawalId: string): Promise<Row | undefined> =>
  from.maybeOne<Row>(sql`select b.id as "accountId", b.member_id as "memberId", b.sealed, w.created_at as "requestedAt"
          from withdrawal w join bank_account b on b.id = w.bank_account_id
         where w.id = ${withdrawalId}::uuid and w.status in ('requested', 'approved') and octet_length(b.sealed) > 0`)

/** Banks write names in Latin letters. A name in another script cannot be compared: undefined. */
export function inLatinLetters(name: string): string | undefined {
  const bare = name.normalize('NFKD').replace(/\p{M}/gu, '')
  if (/[^\P{L}A-Za-z]/u.test(bare)) return undefined
  const text = bare
    .replace(/[^A-Za-z.' -]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, NAME_MAX)
    .trimEnd()
  return /[A-Za-z]/.test(text) ? text : undefined
}

/** The number of this question; undefined if the result is known, all questions were asked, another one is under way, or none is allowed. */
const claimQuestion = (db: Db, accountId: bigint): Promise<number | undefined> =>
  inTransaction(db, async (tx) => {
    await lockInTransaction(tx, 'payeeNames')
    return claimUnderLock(tx, accountId)
  })

async function claimUnderLock(tx: Tx, accountId: bigint): Promise<number | undefined> {
  const claimed = await tx.maybeOne<{ asks: number }>(sql`
    insert into payee_name_check as n (bank_account_id, asks, asked_at)
    -- The lock lets a deletion of the account either go first or find this row.
    select b.id, 1, roz_now() from bank_account b where b.id = ${accountId}::bigint and octet_length(b.sealed) > 0 and ${MAY_BE_ASKED} for share
    on conflict (bank_account_id) do update set asks = n.asks + 1, asked_at = roz_now()
      where n.result is null and n.asks < ${ASKS_MAX}::int and (n.asks = 0 or ${isOver(sql`n.asked_at`)})
    returning asks`)
  if (claimed === undefined) await noteUnasked(tx, accountId)
  return claimed?.asks
}
/** A row that was never asked about stays so, and warns finance. */
export async function noteUnasked(from: Queryable, accountId: bigint): Promise<void> {
  await from.query(sql`
    insert into payee_name_check (bank_account_id, asks, asked_at)
    select b.id, 0, roz_now() from bank_account b where b.id = ${accountId}::bigint and octet_length(b.sealed) > 0 for share
    on conflict do nothing`)
}
const asksOf = (which: Sql, hours: number): Sql => sql`
  (select coalesce(sum(m.asks), 0) from payee_name_check m join bank_account o on o.id = m.bank_account_id
    where ${which} and m.asked_at > roz_now() - make_interval(hours => ${hours}::int))`
/** A question about the account `b` counts for the limits of its UPI ID. A question that begins a check also counts for its member's. */
const MAY_BE_ASKED = sql`(
  ${asksOf(sql`o.account_mac = b.account_mac and o.member_id = b.member_id`, DAYS_OF_UPI_ID * 24)} < ${ASKS_OF_UPI_ID}::int
  and ${asksOf(sql`o.account_mac = b.account_mac`, DAYS_OF_UPI_ID * 24)} < ${ASKS_OF_UPI_ID_BY_ALL}::int
  and (exists (select from payee_name_check m where m.bank_account_id = b.id and m.asks > 0)
    or ${asksOf(sql`o.member_id = b.member_id`, 24)} < ${ASKS_OF_DAY}::int))`
/** A clock that was set back must not delay a question. */
const isOver = (askedAt: Sql) => sql`(${askedAt} <= roz_now() - make_interval(secs => ${PAUSE_SECONDS}::int) or ${askedAt} > roz_now())`

/** Nothing may be asked now: waits for the question under way, or ends a check that had its last one. */
async function endOrWait(deps: NamesDeps, accountId: bigint): Promise<void> {
  const open = await deps.db.maybeOne<{ isOver: boolean }>(
    sql`select ${isOver(sql`n.asked_at`)} as "isOver" from payee_name_check n where n.bank_account_id = ${accountId}::bigint and n.result is null and n.asks > 0`,
  )
  if (open === undefined) return
  if (!open.isOver) throw new LaterError('the bank of this UPI ID is being asked', PAUSE_SECONDS)
  await keep(deps, accountId, { result: 'unknown', said: 'no answer' })
}

type Claim = { readonly accountId: bigint; readonly asks: number }

async function ask({ db }: NamesDeps, names: PayeeNames, question: NameQuestion, { accountId, asks }: Claim): Promise<NameAnswer> {
  try {
    return await names.checkName(question)
  } catch (error) {
    // The gateway's own text is left out: it may repeat the UPI ID or the name.
    if (error instanceof GatewayRefusedError) {
      if (error.httpStatus === 400) return { result: 'unknown', said: `refused as ${error.code}` }
      await giveBack(db, accountId)
      throw new Error(`the gateway checks no names: ${error.httpStatus} ${error.code}`)
    }
    if (!(error instanceof GatewayUnavailableError)) throw error
    if (error.retryAfterMs !== undefined) {
      await giveBack(db, accountId)
      throw new LaterError('the gateway asks for a pause', Math.ceil(error.retryAfterMs / 1000))
    }
    if (asks >= ASKS_MAX) return { result: 'unknown', said: error.message }
    throw error
  }
}

/** The gateway asked no bank: the question does not count. */
const giveBack = (db: Db, accountId: bigint): Promise<unknown> =>
  db.query(sql`update payee_name_check set asks = asks - 1 where bank_account_id = ${accountId}::bigint and result is null`)

/** The first result stays. A deleted account has no row any more, so nothing is kept of it. */
async function keep({ db, alarm }: NamesDeps, accountId: bigint, answer: NameAnswer): Promise<void> {
  const kept = await db.query(sql`
    update payee_name_check set result = ${answer.result}::text where bank_account_id = ${accountId}::bigint and result is null returning 1`)
  if (kept.length > 0 && answer.result === 'unknown')
    alarm({ bankAccount: String(accountId), said: answer.said }, 'the check of a UPI ID’s name said nothing that we believe')
}
