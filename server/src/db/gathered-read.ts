/**
 * Reads by key that share statements. Invariants: a read is begun after it was asked for, never
 * answered from a copy; what is asked for while a statement runs goes into the next one, without a
 * timer, so that a lone read waits for nobody. One statement at a time, so that the more there
 * is to read, the more of it shares one; but one that hangs does not hold up who comes after it.
 */
import { OverloadedError } from './sql.ts'

export type GatheredRead<Key, Value> = (key: Key) => Promise<Value | undefined>

type Waiting<Key, Value> = {
  readonly key: Key
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

const KEYS_MAX = 500
/** A statement that takes longer than this is not waited for by later ones. */
const LATE_MS = 100
const AT_ONCE_MAX = 4

/** What waits beyond this is refused: the database does not answer. */
const WAITING_MAX = 10_000

/** `readAll` answers one value for each key, in their order; undefined where there is none. */
export function gatherReads<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>,
  lateMs = LATE_MS,
): GatheredRead<Key, Value> {
  let waiting: Waiting<Key, Value>[] = []
  let running = 0
  let begunAt = 0
  let isPlanned = false
  let isTimed = false

  const plan = (): void => {
    if (isPlanned || waiting.length === 0) return
    const isFree = running === 0 || (running < AT_ONCE_MAX && performance.now() - begunAt > lateMs)
    if (!isFree) return lookLater()
    isPlanned = true
    // After this turn of input: every request that came with it is asked for by then.
    setImmediate(() => {
      isPlanned = false
      const batch = waiting.slice(0, KEYS_MAX)
      waiting = waiting.slice(KEYS_MAX)
      running++
      begunAt = performance.now()
      void run(batch).then(() => {
        running--
        plan()
      })
      plan()
    })
  }

  /** Nobody may come after them: then they must not wait for a statement that hangs. */
  const lookLater = (): void => {
    if (isTimed || running >= AT_ONCE_MAX) return
    isTimed = true
    setTimeout(() => {
      isTimed = false
      plan()
    }, lateMs + 1).unref()
  }

  const run = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await readAll(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index])
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= WAITING_MAX) return reject(new OverloadedError('too many reads wait for the database'))
      waiting.push({ key, resolve, reject })
      plan()
    })
}
