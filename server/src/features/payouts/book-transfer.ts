/**
 * Books the gateway's statement about a transfer, and tells the member or the operator.
 *
 * - A final state is booked whatever the withdrawal's own state is, unless the gateway has told us a newer one.
 * - A final state that contradicts ours flags withdrawal and member and raises an alarm.
 * - A transfer of another amount or currency is not booked; it flags withdrawal and member and raises an alarm.
 * - The flag of the withdrawal ends when the gateway and our books agree again; the member's stays.
 * - The member is told once of an end, in the transaction of that end.
 */
import { CURRENCY, formatPaise, type Paise } from '@roz/core/money.ts'
import { debtData } from '@roz/core/notices.ts'
import type { Transfer } from '../../adapters/payouts/port.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { readDebtPaid } from '../../ledger/debts.ts'
import { bookPayout, type PayoutBooked } from '../../ledger/withdrawals.ts'
import { mailMember } from '../../mail/mails.ts'
import { tellMember } from '../../members/notices.ts'
import { isNews, noteSendingKnown } from './checks.ts'

/** To be raised once the transaction has committed. */
export type PayoutAlarm = { readonly details: Readonly<Record<string, string>>; readonly message: string }

/** The withdrawal must exist, and `transfer` must be the answer to its newest question. */
export async function bookTransfer(tx: Tx, id: string, transfer: Transfer): Promise<PayoutAlarm | undefined> {
  const { amount } = await tx.one<{ amount: Paise }>(sql`select amount from withdrawal where id = ${id}::uuid for update`)
  if (!(await isNews(tx, id, transfer.toldAtMs))) return undefined
  if (transfer.amount !== amount || transfer.currency !== CURRENCY) return flagOtherAmount(tx, id)
  await tx.query(sql`
    update withdrawal set flags = array_remove(flags, 'other_amount'), problem = nullif(problem, 'other_amount')
     where id = ${id}::uuid and 'other_amount' = any(flags)`)
  if (transfer.state === 'pending') {
    await noteSendingKnown(tx, id, null)
    return undefined
  }
  const booked = await bookPayout(tx, {
    id,
    word: transfer.state,
    reference: transfer.bankReference,
    reason: transfer.state === 'paid' ? undefined : (transfer.statusCode ?? transfer.status),
  })
  if (booked === undefined) throw new Error(`withdrawal ${id} vanished while its transfer was booked`)
  const { endedAt } = await tx.one<{ endedAt: Date }>(sql`select ended_at as "endedAt" from withdrawal where id = ${id}::uuid`)
  await noteSendingKnown(tx, id, endedAt)
  await tellEnd(tx, id, booked)
  if (!booked.contradicts) return undefined
  const isNewFlag = await flagMember(tx, id, booked.memberId, 'gateway_conflict')
  // Nothing was booked: the gateway says it again with each question.
  if (!isNewFlag && booked.result === 'unchanged') return undefined
  const details = { withdrawalId: id, ours: booked.status, gateway: transfer.status, booked: booked.result }
  return { details, message: 'the gateway contradicts us about a withdrawal; `booked` says what its status changed' }
}

/**
 * Flags that the gateway has another amount or currency under our id. Nothing is booked; a person must look.
 * The alarm is raised once, although the gateway is asked again and again.
 */
export async function flagOtherAmount(tx: Tx, id: string): Promise<PayoutAlarm | undefined> {
  const news = await tx.maybeOne<{ memberId: bigint }>(sql`
    update withdrawal set flags = array_append(array_remove(flags, 'other_amount'), 'other_amount'), problem = 'other_amount'
         where id = ${id}::uuid and problem is distinct from 'other_amount' returning member_id as "memberId"`)
  if (news === undefined) return undefined
  await flagMember(tx, id, news.memberId, 'other_amount')
  return {
    details: { withdrawalId: id },
    message: 'the gateway holds another amount or currency under the id of a withdrawal; nothing was booked',
  }
}

/** Whether the flag is new. */
async function flagMember(tx: Tx, id: string, memberId: bigint, kind: string): Promise<boolean> {
  const added = await tx.query(sql`
    insert into member_flag (member_id, kind, subject) values (${memberId}::bigint, ${kind}::text, ${`withdrawal:${id}`}::text)
    on conflict do nothing returning 1`)
  return added.length === 1
}

type Ended = { readonly result: PayoutBooked['result'] | 'rejected'; readonly memberId: bigint }

/** Sends the member's notice and mail of an end; a rejection carries its reason. A conflict between bank and us is not sent. */
export async function tellEnd(tx: Tx, id: string, { result, memberId }: Ended): Promise<void> {
  if (result === 'unchanged' || result === 'conflict' || result === 'conflict_back') return
  const told = await tx.one<{ amount: Paise; account: string; reference: string | null; reason: string | null }>(sql`
    select w.amount, b.last_four as account, w.reference, w.reason from withdrawal w join bank_account b on b.id = w.bank_account_id
         where w.id = ${id}::uuid`)
  const amount = formatPaise(told.amount)
  const { account } = told
  if (result === 'paid') {
    const key = `withdrawal_paid:${id}`
    await mailMember(tx, { memberId, template: 'withdrawal_paid', key, data: { amount, account, reference: told.reference ?? '' } })
    await tellMember(tx, { memberId, kind: 'withdrawal_paid', key, data: { amount, account } })
    return
  }
  const what = result === 'rejected' ? 'withdrawal_rejected' : 'withdrawal_returned'
  const key = `${what}:${id}`
  const data = { amount, reason: told.reason ?? '', ...debtData(await readDebtPaid(tx, ['wd_back', 'wd_reversed'], id)) }
  await mailMember(tx, { memberId, template: what, key, data })
  await tellMember(tx, { memberId, kind: what, key, data })
}
