import { afterEach, expect, test, vi } from 'vitest'
import { OverloadedError } from './sql.ts'
import { gatherReads } from './gathered-read.ts'
import { shareMax } from './batch-scheduler.ts'

afterEach(() => void vi.useRealTimers())

/** A reader whose statements are answered by hand. */
function byHand(lateMs = 60_000) {
  const asked: { readonly keys: readonly number[]; readonly answer: (error?: Error) => void }[] = []
  const read = gatherReads<number, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        asked.push({
          keys,
          answer: (error) => (error === undefined ? resolve(keys.map((key) => (key < 0 ? undefined : `value ${key}`))) : reject(error)),
        })
      }),
    lateMs,
  )
  return { asked, read, turn: () => new Promise((resolve) => setImmediate(resolve)) }
}

test('simultaneous reads share one statement, and each gets its own value', async () => {
  const { asked, read, turn } = byHand()
  const answers = [read(1), read(-2), read(3), read(1)]
  await turn()
  expect(asked.map(({ keys }) => keys)).toEqual([[1, -2, 3, 1]])
  asked[0]?.answer()
  expect(await Promise.all(answers)).toEqual(['value 1', undefined, 'value 3', 'value 1'])
})

test('a read that arrives while a statement runs waits for the next statement', async () => {
  const { asked, read, turn } = byHand()
  const first = read(1)
  await turn()
  const later = [read(2), read(3)]
  await turn()
  expect(asked.map(({ keys }) => keys)).toEqual([[1]])
  asked[0]?.answer()
  expect(await first).toBe('value 1')
  await turn()
  await turn()
  expect(asked.map(({ keys }) => keys)).toEqual([[1], [2, 3]])
  asked[1]?.answer()
  expect(await Promise.all(later)).toEqual(['value 2', 'value 3'])
})

/** Three reads have shared a statement. From here on the test moves the clock. */
async function afterCrowd() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const { asked, read, turn } = byHand()
  const crowd = [read(1), read(2), read(3)]
  await turn()
  asked[0]?.answer()
  await Promise.all(crowd)
  return { asked, read, turn }
}

test('after a batch of three the next statement waits 3 ms; after a single read it starts at once', async () => {
  const { asked, read, turn } = await afterCrowd()
  const later = [read(4)]
  await turn()
  expect(asked).toHaveLength(1)
  later.push(read(5))
  vi.advanceTimersByTime(3)
  await turn()
  expect(asked.map(({ keys }) => keys)).toEqual([
    [1, 2, 3],
    [4, 5],
  ])
  asked[1]?.answer()
  await Promise.all(later)
  const lone = read(6)
  await turn()
  expect(asked[2]?.keys).toEqual([6])
  asked[2]?.answer()
  await lone
})

test('with 160 waiting reads the next statement starts before the 3 ms are over', async () => {
  const { asked, read, turn } = await afterCrowd()
  const later = Array.from({ length: 159 }, (_, index) => read(4 + index))
  await turn()
  expect(asked).toHaveLength(1)
  later.push(read(163))
  await turn()
  expect(asked[1]?.keys).toHaveLength(160)
  // The timer of those 3 ms finds no waiting read.
  vi.advanceTimersByTime(3)
  await turn()
  expect(asked).toHaveLength(2)
  asked[1]?.answer()
  await Promise.all(later)
})

test('a batch is all waiting requests up to 256, a quarter of them beyond 1024, and never above its maximum', () => {
  expect([1, 193, 768, 1000, 5000].map((waiting) => shareMax(waiting, 1000))).toEqual([256, 256, 256, 256, 1000])
  expect(shareMax(400, 100)).toBe(100)
})

test('a later read does not wait for a statement that hangs', async () => {
  const { asked, read, turn } = byHand(20)
  const hanging = read(1)
  await turn()
  // Requested before the statement counts as late, and no further read follows.
  const later = read(2)
  await vi.waitFor(() => expect(asked).toHaveLength(2), 30_000)
  asked[1]?.answer()
  expect(await later).toBe('value 2')
  asked[0]?.answer()
  expect(await hanging).toBe('value 1')
})

test('reads that found no place in the hanging statement do not wait for it either', async () => {
  const { asked, read } = byHand(20)
  const answers = Array.from({ length: 700 }, (_, key) => read(key))
  await vi.waitFor(() => expect(asked.map(({ keys }) => keys.length)).toEqual([256, 256, 188]), 30_000)
  for (const one of asked) one.answer()
  expect((await Promise.all(answers)).at(-1)).toBe('value 699')
})

test('while the database does not answer, reads beyond 10,000 are refused', async () => {
  const { asked, read, turn } = byHand()
  void read(0)
  await turn()
  const waiting = Array.from({ length: 10_000 }, (_, key) => read(key))
  await expect(read(1)).rejects.toThrow(OverloadedError)
  for (let at = 0, answered = 0; answered < 10_001; at++) {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(at), { timeout: 30_000, interval: 1 })
    asked[at]?.answer()
    answered += asked[at]?.keys.length ?? 0
  }
  expect((await Promise.all(waiting)).at(-1)).toBe('value 9999')
})

test('a statement that fails rejects its own reads and no later one', async () => {
  const { asked, read, turn } = byHand()
  const failing = [read(1), read(2)]
  await turn()
  asked[0]?.answer(new Error('away'))
  for (const failed of failing) await expect(failed).rejects.toThrow('away')
  const next = read(3)
  await turn()
  asked[1]?.answer()
  expect(await next).toBe('value 3')
})

test('reads beyond the maximum of a statement are read by the next ones', async () => {
  const { asked, read } = byHand()
  const answers = Array.from({ length: 4000 }, (_, key) => read(key))
  for (let at = 0, answered = 0; answered < 4000; at++) {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(at), { timeout: 30_000, interval: 1 })
    asked[at]?.answer()
    answered += asked[at]?.keys.length ?? 0
  }
  expect((await Promise.all(answers)).at(-1)).toBe('value 3999')
  expect(asked.slice(0, 6).map(({ keys }) => keys.length)).toEqual([500, 500, 500, 500, 500, 375])
})
