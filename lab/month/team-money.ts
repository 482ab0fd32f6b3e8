/** What the team decides about members' money: suspense, refunds and withdrawals. */
import type { Dice } from '../faults/random.ts'
import { type Deciding, PAGE, readList, ROUNDS_MAX } from './deciding.ts'
import type { World } from './world.ts'

export function createMoneyDesk({ as }: World, { isTaken, key }: Deciding, dice: Dice) {
  async function decideSuspense(): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS_MAX && (await decidePage()); rounds++);
  }

  /** Returns whether there may be more. */
  async function decidePage(): Promise<boolean> {
    let decided = 0
    const { suspense } = (await as('finance', 'suspense', { query: { ...PAGE, status: 'to_decide' } })).output
    for (const { id, reason, currency, member, source, first } of suspense) {
      const params = { id }
      const decide = (person: 'finance' | 'owner', status: 'open' | 'awaiting_second', credits: boolean) =>
        credits
          ? as(person, 'creditSuspense', { ...key(), params, body: { status, memberId: first?.payee?.id ?? member?.id ?? '' } })
          : as(person, 'refundSuspense', { ...key(), params, body: { status } })
      // The gateway refunds no more than its order's amount, so a payment of another amount is credited to its payer.
      const credits = currency === 'INR' && member !== null && (source !== 'payment' || reason === 'other_amount' || dice.chance(0.3))
      const answer = await decide('finance', 'open', credits)
      if (!isTaken(`suspense ${id} (${reason})`, answer)) continue
      decided++
      if (answer.output.item.status === 'awaiting_second')
        isTaken(`suspense ${id} (${reason})`, await decide('owner', 'awaiting_second', credits))
    }
    return decided > 0
  }

  async function decideRefunds(): Promise<void> {
    const listed = (person: 'finance' | 'owner', status: 'to_decide' | 'to_second' | 'not_sent') =>
      readList(async (query) => {
        const { output } = await as(person, 'adminRefunds', { query: { ...query, status } })
        return [output.refunds, output.nextCursor]
      })
    for (const { id, status, seen } of await listed('finance', 'to_decide'))
      isTaken(`refund ${id}`, await as('finance', 'approveRefund', { ...key(), params: { id }, body: { status, seen } }))
    for (const { id, status, seen } of await listed('owner', 'to_second'))
      isTaken(`refund ${id}`, await as('owner', 'approveRefund', { ...key(), params: { id }, body: { status, seen } }))
    // The gateway refused it: the money goes back to where it came from.
    for (const { id, status, seen } of await listed('finance', 'not_sent'))
      isTaken(
        `refund ${id}`,
        await as('finance', 'rejectRefund', { ...key(), params: { id }, body: { status, seen, reason: 'The gateway refused it.' } }),
      )
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
