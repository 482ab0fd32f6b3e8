/**
 * What the member themselves can say about their money at a day's end: the balance that they see now,
 * less all that moved since. Invariant: a sum is said only when nothing moved while it was taken.
 */
import { addDays, parseDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { call } from '../../app/api.ts'

/** What came in the last minutes of a day may be booked in the next. */
const UNCLEAR_MS = 15 * 60_000
const PAGES_MAX = 20
const HANGING = ['pending', 'processing']

export type SeenMoney = { readonly balance?: number; readonly heldAtLeast?: number }

const paiseOf = (rupees: number): number => Math.round(rupees * 100)

const balanceNow = async (): Promise<number> => paiseOf((await call('profile')).user.wallet.balance)

/** The sum of what moved the balance since then; undefined where that cannot be told. */
async function movedSince(endMs: number): Promise<number | undefined> {
  let [moved, cursor] = [0, undefined as string | undefined]
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { transactions, nextCursor } = await call('transactions', { query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } })
    for (const { createdAt, type, status, amount } of transactions) {
      const atMs = Date.parse(createdAt)
      if (atMs < endMs - UNCLEAR_MS) return moved
      if (atMs < endMs) return undefined
      // An order that is not paid has moved nothing; a withdrawal has from the start.
      if (type === 'debit') moved -= paiseOf(amount)
      else if (status === 'completed') moved += paiseOf(amount)
    }
    if (nextCursor === null) return moved
    cursor = nextCursor
  }
  return undefined
}

/** Withdrawals of before that still hang: they were on hold then. */
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
