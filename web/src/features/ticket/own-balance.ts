/**
 * Computes the member's money at a day's end from their own view: the current balance minus everything that moved since.
 * - A sum is returned only if nothing moved while it was computed.
 */
import { addDays, parseDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { call } from '../../app/api.ts'

/** A payment of a day's last 15 minutes may be posted on the next day. */
const UNCLEAR_MS = 15 * 60_000
const PAGES_MAX = 20
const HANGING = ['pending', 'processing']

type SeenMoney = { readonly balance?: number; readonly heldAtLeast?: number }

const paiseOf = (rupees: number): number => Math.round(rupees * 100)

const balanceNow = async (): Promise<number> => paiseOf((await call('profile')).user.wallet.balance)

/** The sum of all changes to the balance since then, or undefined if it is unclear. */
async function movedSince(endMs: number): Promise<number | undefined> {
  let [moved, cursor] = [0, undefined as string | undefined]
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { transactions, nextCursor } = await call('transactions', { query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } })
    for (const { createdAt, type, status, amount } of transactions) {
      const atMs = Date.parse(createdAt)
      if (atMs < endMs - UNCLEAR_MS) return moved
      if (atMs < endMs) return undefined
      // An unpaid order has not changed the balance. A withdrawal has changed it from its request on.
      if (type === 'debit') moved -= paiseOf(amount)
      else if (status === 'completed') moved += paiseOf(amount)
    }
    if (nextCursor === null) return moved
    cursor = nextCursor
  }
  return undefined
}

/** The amount of withdrawals requested before then that are still open: they were on hold at that time. */
async function hangingSince(endMs: number): Promise<number> {
  const { withdrawals } = await call('withdrawals', { query: { limit: 100 } })
  const hanging = withdrawals.filter(({ status, createdAt }) => HANGING.includes(status) && Date.parse(createdAt) < endMs - UNCLEAR_MS)
  return hanging.reduce((sum, { amount }) => sum + paiseOf(amount), 0)
}

export async function seenMoneyAt(day: string): Promise<SeenMoney> {
  const parsed = parseDay(day)
  if (parsed === undefined) return {}
  const endMs = startOfDayMs(addDays(parsed, 1))
  const [before, heldAtLeast] = await Promise.all([balanceNow(), hangingSince(endMs)])
  const moved = await movedSince(endMs)
  const isStill = before === (await balanceNow())
  return moved === undefined || !isStill ? { heldAtLeast } : { balance: before - moved, heldAtLeast }
}
