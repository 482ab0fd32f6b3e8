import { expect, test } from 'vitest'
import { type Followed, followOrder, GIVE_UP_MS, type OrderAnswered } from './follow-order.ts'
import type { OrderView } from './order-view.ts'

const order = (status: OrderView['status'], isFinal: boolean): OrderAnswered => ({
  order: { orderId: 'o1', amountRupees: 20, status, createdAtMs: 1, isFinal },
})
const PENDING = order('pending', false)
const PAID = order('success', true)

/** A page with a clock of its own; each question waits until the test answers it. */
function page() {
  let now = 0
  let hidden = false
  const timers = new Set<{ atMs: number; work: () => void }>()
  const questions: { answer: (told: OrderAnswered) => void; signal: AbortSignal }[] = []
  const seen: Followed[] = []
  const following = followOrder({
    check: (signal) => new Promise((answer) => questions.push({ answer, signal })),
    show: (followed) => void seen.push(followed),
    isHidden: () => hidden,
    nowMs: () => now,
    later: (work, ms) => {
      const timer = { atMs: now + ms, work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  })
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  return {
    following,
    questions,
    seen,
    hide: (isHidden: boolean) => {
      hidden = isHidden
    },
    answer: async (told: OrderAnswered): Promise<void> => {
      questions.at(-1)?.answer(told)
      await settle()
    },
    pass: async (ms: number): Promise<void> => {
      now += ms
      for (const timer of timers) {
        if (timer.atMs > now) continue
        timers.delete(timer)
        timer.work()
      }
      await settle()
    },
  }
}

test('a pending order is asked about again after growing pauses, until it is final', async () => {
  const { following, questions, seen, answer, pass } = page()
  void following.ask()
  await answer(PENDING)
  await pass(1999)
  expect(questions).toHaveLength(1)
  await pass(1)
  expect(questions).toHaveLength(2)
  await answer(PENDING)
  await pass(3999)
  expect(questions).toHaveLength(2)
  await pass(1)
  await answer(PAID)
  expect(seen.at(-1)).toEqual({ ...PAID, asked: 3 })
  await pass(3_600_000)
  following.wake()
  expect(questions).toHaveLength(3)
})

test('a first answer that is cut or HTML is said, asked again by itself, and replaced by the order', async () => {
  const { following, questions, seen, answer, pass } = page()
  void following.ask()
  await answer({ problem: 'not_fetched' })
  expect(seen.at(-1)).toEqual({ problem: 'not_fetched', asked: 1 })
  await pass(2000)
  expect(questions).toHaveLength(2)
  await answer(PENDING)
  expect(seen.at(-1)).toEqual({ ...PENDING, asked: 2 })
  await pass(4000)
  await answer({ problem: 'not_fetched' })
  expect(seen.at(-1)).toEqual({ ...PENDING, asked: 3 })
})

test('a question without an answer is given up after 20 s, and its late answer changes nothing', async () => {
  const { following, questions, seen, pass } = page()
  const first = following.ask()
  await pass(GIVE_UP_MS)
  expect(await first).toBeUndefined()
  expect(questions[0]?.signal.aborted).toBe(true)
  expect(seen).toEqual([{ asked: 1 }])
  questions[0]?.answer(PAID)
  await pass(2000)
  expect([seen.length, questions.length]).toEqual([1, 2])
})

test('a hidden page does not ask; shown again it asks at once and gives up the question under way', async () => {
  const { following, questions, seen, answer, pass, hide } = page()
  void following.ask()
  await answer(PENDING)
  hide(true)
  await pass(60_000)
  following.wake()
  expect(questions).toHaveLength(1)
  hide(false)
  following.wake()
  following.wake()
  expect(questions).toHaveLength(2)
  await pass(3000)
  following.wake()
  expect(questions.map(({ signal }) => signal.aborted)).toEqual([true, true, false])
  questions[1]?.answer(PENDING)
  await answer(PAID)
  expect(seen.map(({ asked }) => asked)).toEqual([1, 2])
  expect(seen.at(-1)).toMatchObject(PAID)
})

test('an unknown order is asked about once', async () => {
  const { following, questions, seen, answer, pass } = page()
  void following.ask()
  await answer({ problem: 'not_found' })
  await pass(60_000)
  following.wake()
  expect([seen, questions.length]).toEqual([[{ problem: 'not_found', asked: 1 }], 1])
})

test('a page that was left asks no more', async () => {
  const { following, questions, seen, answer, pass } = page()
  void following.ask()
  following.end()
  await answer(PENDING)
  await pass(60_000)
  expect([seen, questions.length]).toEqual([[], 1])
})
