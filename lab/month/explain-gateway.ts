/** Explains a difference of GATEWAY: the payments, refunds and disputes that only one side has. */
import { sql } from '@roz/server/db/sql.ts'
import { ACCOUNTS } from '@roz/server/ledger/accounts.ts'
import { type GatewayBooks, outsideOf } from './gateway-books.ts'
import type { World } from './world.ts'

/** Payments and refunds by their id, disputes with their state, and sums by kind; in paise. */
export async function explainGateway({ db }: World, books: GatewayBooks): Promise<string[]> {
  const { GATEWAY } = ACCOUNTS
  const sums = await db.query<{ kind: string; paise: number }>(sql`
    select kind, sum(case when debit = ${GATEWAY}::bigint then amount else -amount end)::float8 as paise
      from transfer where ${GATEWAY}::bigint in (debit, credit) group by kind order by kind`)
  const booked = await db.query<{ id: string }>(sql`select ref as id from transfer where kind in ('topup', 'topup_suspense')`)
  const ours = new Set(booked.map(({ id }) => id))
  const paid = (all: Iterable<{ readonly status: string; readonly cfPaymentId: string }>, prefix: string) =>
    [...all].filter(({ status }) => status === 'SUCCESS').map(({ cfPaymentId }) => prefix + cfPaymentId)
  const theirs = new Set([...paid(books.attempt.values(), ''), ...paid(books.charge.values(), 'sub_')])
  const given = await db.query<{ id: string; paise: number }>(
    sql`select ref as id, amount::float8 as paise from transfer where kind = 'refund_paid'`,
  )
  const disputes = await db.query<{ id: string }>(sql`select id || ' ' || status || ' ' || amount as id from dispute`)
  const sent = [...books.refund.values(), ...books.chargeRefund.values()].filter(({ status }) => status === 'SUCCESS')
  const refundsOf = (all: readonly (readonly [string, number])[]) => new Set(all.map(([id, paise]) => `${id.replaceAll('-', '')} ${paise}`))
  const [here, there] = [
    refundsOf(given.map(({ id, paise }) => [id, paise])),
    refundsOf(sent.map(({ refundId, amountPaise }) => [refundId, amountPaise])),
  ]
  return [
    `refunded only here: ${[...here.difference(there)].join(', ')}; only there: ${[...there.difference(here)].join(', ')}`,
    `disputes here: ${disputes.map(({ id }) => id).join(', ')}; there: ${[...books.dispute.values()].map(({ disputeId, step, amountPaise }) => `${disputeId} ${step} ${amountPaise}`).join(', ')}`,
    `ours in paise: ${sums.map(({ kind, paise }) => `${kind} ${paise}`).join(', ')}; theirs: ${JSON.stringify(outsideOf(books))}`,
    `paid only here: ${[...ours.difference(theirs)].join(' ')}; paid only there: ${[...theirs.difference(ours)].join(' ')}`,
  ]
}
