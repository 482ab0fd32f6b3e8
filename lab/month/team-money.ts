/** The team's decisions about members' money: suspense, refunds and withdrawals. */
import type { Api, Output } from '@roz/contract/api.ts'
import { dayAt } from '@roz/core/ist-day.ts'
import type { Dice } from '../faults/random.ts'
import type { Bank } from './bank.ts'
import { type Deciding, PAGE, readList, ROUNDS_MAX } from './deciding.ts'
import type { World } from './world.ts'

type Item = Output<Api['suspense']>['suspense'][number]

export function createMoneyDesk(
  { as, nowMs }: World,
  { isTaken, key }: Deciding,
  { bank, dice }: { readonly bank: Bank; readonly dice: Dice },
) {
  async function decideSuspense(): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS_MAX && (await decidePage()); rounds++);
  }

  /** An item of a closed account is paid by hand, others are credited or sent back. */
  function wayOf({ id, reason, currency, member, source, first }: Item) {
    const params = { id }
    // The gateway refunds no more than its order's amount, so a payment of another amount is credited to its payer.
    const credits = currency === 'INR' && member !== null && (source !== 'payment' || reason === 'other_amount' || dice.chance(0.3))
    return (person: 'finance' | 'owner', status: 'open' | 'awaiting_second') => {
      if (reason === 'closed_account')
        return as(person, 'paySuspense', { ...key(), params, body: { status, bankReference: `SUS${id.padStart(9, '0')}` } })
      return credits
        ? as(person, 'creditSuspense', { ...key(), params, body: { status, memberId: first?.payee?.id ?? member?.id ?? '' } })
        : as(person, 'refundSuspense', { ...key(), params, body: { status } })
    }
  }

  /** Returns whether there may be more. */
  async function decidePage(): Promise<boolean> {
    let decided = 0
    const { suspense } = (await as('finance', 'suspense', { query: { ...PAGE, status: 'to_decide' } })).output
    for (const item of suspense) {
      const what = `suspense ${item.id} (${item.reason})`
      const decide = wayOf(item)
      const first = await decide('finance', 'open')
      if (!isTaken(what, first)) continue
      decided++
      const last = first.output.item.status === 'awaiting_second' ? await decide('owner', 'awaiting_second') : first
      if (last !== first && !isTaken(what, last)) continue
      const { id, status, reference, amount } = last.output.item
      // The bank's number leads the line to this entry.
      if (status === 'paid')
        bank.payByHand(`suspense ${id}`, { day: dayAt(nowMs()), paise: -Math.round(amount * 100), words: `NEFT DR-${reference}` })
    }
    return decided > 0
  }

  async function decideRefunds(): Promise<void> {
    const listed = (person: 'finance' | 'owner', status: 'to_decide' | 'to_second' | 'not_sent') =>
      readList(async (query) => {
        const { output } = await as(person, 'adminRefunds', { query: { ...query, status } })
        return [output.refunds, output.nextCursor]
      })
    const reject = (id: string, body: { readonly status: string; readonly seen: string; readonly reason: string }) =>
      as('finance', 'rejectRefund', { ...key(), params: { id }, body })
    for (const { id, status, seen } of await listed('finance', 'to_decide')) {
      const approved = await as('finance', 'approveRefund', { ...key(), params: { id }, body: { status, seen } })
      // The payer's bank has the money already.
      const isGone = approved.status !== 200 && approved.refusal.code === 'payment_taken_back'
      isTaken(`refund ${id}`, isGone ? await reject(id, { status, seen, reason: 'The bank took the payment back.' }) : approved)
    }
    for (const { id, status, seen } of await listed('owner', 'to_second'))
      isTaken(`refund ${id}`, await as('owner', 'approveRefund', { ...key(), params: { id }, body: { status, seen } }))
    // The gateway refused it: the money goes back to where it came from.
    for (const { id, status, seen } of await listed('finance', 'not_sent'))
      isTaken(`refund ${id}`, await reject(id, { status, seen, reason: 'The gateway refused it.' }))
  }

  async function decideWithdrawals(): Promise<void> {
    const listed = (person: 'finance' | 'owner', status: 'to_decide' | 'to_second' | 'not_sent') =>
      readList(async (query) => {
        const { output } = await as(person, 'adminWithdrawals', { query: { ...query, status } })
        return [output.withdrawals, output.nextCursor]
      })
    for (const { id, status, seen, owed } of await listed('finance', 'to_decide')) {
      const params = { id }
      if (owed > 0) {
        const body = { status, seen, reason: 'A payment was taken back.' }
        isTaken(`withdrawal ${id}`, await as('finance', 'rejectWithdrawal', { ...key(), params, body }))
        continue
      }
      isTaken(`withdrawal ${id}`, await as('finance', 'approveWithdrawal', { ...key(), params, body: { status, seen } }))
    }
    for (const { id, status, seen } of await listed('owner', 'to_second'))
      isTaken(`withdrawal ${id}`, await as('owner', 'approveWithdrawal', { ...key(), params: { id }, body: { status, seen } }))
    for (const { id, status, seen } of await listed('finance', 'not_sent'))
      isTaken(`withdrawal ${id}`, await as('finance', 'retryWithdrawal', { ...key(), params: { id }, body: { status, seen } }))
  }

  return { decideSuspense, decideRefunds, decideWithdrawals }
}
