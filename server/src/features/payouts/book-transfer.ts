/**
 * Books what the gateway says of a transfer, and tells who has to know. Invariants: a final word is
 * booked in whatever state it meets the withdrawal; one that contradicts ours flags withdrawal and
 * member and is an alarm; a transfer of another amount or currency is booked nowhere and is an alarm; the member
 * is told once of an end, in the transaction of that end.
 */
import { CURRENCY, formatPaise, type Paise } from '@roz/core/money.ts'
import type { Transfer } from '../../adapters/payouts/port.ts'
import { maybeOne, one, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { bookPayout, type PayoutBooked } from '../../ledger/withdrawals.ts'
import { enqueue } from '../../jobs/queue.ts'
import { mailMember } from '../../mail/mails.ts'
import { noteKnown } from './checks.ts'

/** To be told once the transaction has committed. */
export type Alarm = { readonly details: Readonly<Record<string, string>>; readonly message: string }

/** The withdrawal must exist; its newest question's answer is what is given. */
export async function bookTransfer(tx: Tx, id: string, transfer: Transfer): Promise<Alarm | undefined> {
  const { amount } = await one<{ amount: Paise }>(tx, sql`select amount from withdrawal where id = ${id}::uuid for update`)
  if (transfer.amount !== amount || transfer.currency !== CURRENCY) return flagOtherAmount(tx, id)
  if (transfer.state === 'pending') {
    await noteKnown(tx, id, null)
    return undefined
  }
  const booked = await bookPayout(tx, {
    id,
    word: transfer.state,
    reference: transfer.bankReference,
    reason: transfer.state === 'paid' ? undefined : (transfer.statusCode ?? transfer.status),
  })
  if (booked === undefined) throw new Error(`withdrawal ${id} vanished while its transfer was booked`)
  const { endedAt } = await one<{ endedAt: Date }>(tx, sql`select ended_at as "endedAt" from withdrawal where id = ${id}::uuid`)
  await noteKnown(tx, id, endedAt)
  await tellEnd(tx, id, booked)
  if (!booked.contradicts) return undefined
  await flagMember(tx, id, booked.memberId, 'gateway_conflict')
  const details = { withdrawalId: id, ours: booked.status, gateway: transfer.status, booked: booked.result }
  return { details, message: 'the gateway contradicts us about a withdrawal; its word was booked' }
}

/** The gateway holds another amount or currency under our id: nothing is booked, and somebody has to look. Told once: it is asked again and again. */
export async function flagOtherAmount(tx: Tx, id: string): Promise<Alarm | undefined> {
  const news = await maybeOne<{ memberId: bigint }>(
    tx,
    sql`update withdrawal set flags = array_append(array_remove(flags, 'other_amount'), 'other_amount'), problem = 'other_amount'
         where id = ${id}::uuid and problem is distinct from 'other_amount' returning member_id as "memberId"`,
  )
  if (news === undefined) return undefined
  await flagMember(tx, id, news.memberId, 'other_amount')
  return {
    details: { withdrawalId: id },
    message: 'the gateway holds another amount or currency under the id of a withdrawal; nothing was booked',
  }
}

async function flagMember(tx: Tx, id: string, memberId: bigint, kind: string): Promise<void> {
  await tx.query(sql`
    insert into member_flag (member_id, kind, subject) values (${memberId}::bigint, ${kind}::text, ${`withdrawal:${id}`}::text)
    on conflict do nothing`)
}

type Ended = { readonly result: PayoutBooked['result'] | 'rejected'; readonly memberId: bigint }

/** The member's notice and mail of how it ended; a rejection carries its reason. What is only between bank and us is not theirs to hear. */
export async function tellEnd(tx: Tx, id: string, { result, memberId }: Ended): Promise<void> {
  if (result === 'unchanged' || result === 'conflict' || result === 'conflict_back') return
  const told = await one<{ amount: Paise; account: string; reference: string | null; reason: string | null }>(
    tx,
    sql`select w.amount, b.last_four as account, w.reference, w.reason from withdrawal w join bank_account b on b.id = w.bank_account_id
         where w.id = ${id}::uuid`,
  )
  const amount = formatPaise(told.amount)
  const { account } = told
  if (result === 'paid') {
    const key = `withdrawal_paid:${id}`
    await mailMember(tx, { memberId, template: 'withdrawal_paid', key, data: { amount, account, reference: told.reference ?? '' } })
    await enqueue(tx, { kind: 'notice', key, payload: { memberId: String(memberId), kind: 'withdrawal_paid', data: { amount, account } } })
    return
  }
  const what = result === 'rejected' ? 'withdrawal_rejected' : 'withdrawal_returned'
  const key = `${what}:${id}`
  const data = { amount, reason: told.reason ?? '' }
  await mailMember(tx, { memberId, template: what, key, data })
  await enqueue(tx, { kind: 'notice', key, payload: { memberId: String(memberId), kind: what, data } })
}
