/**
 * Reads by key that share statements. Invariants: a read is begun after it was asked for, never
 * answered from a copy; what is asked for while a statement runs goes into the next one, without a
 * timer, so that a lone read waits for nobody. All requests that arrive at once are one statement.
 */
export type GatheredRead<Key, Value> = (key: Key) => Promise<Value | undefined>

type Waiting<Key, Value> = {
  readonly key: Key
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Statements at once: while one is answered another is made ready. */
const AT_ONCE = 2
const KEYS_MAX = 500

/** `readAll` answers one value for each key, in their order; undefined where there is none. */
export function gatherReads<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>,
): GatheredRead<Key, Value> {
  let waiting: Waiting<Key, Value>[] = []
  let running = 0
  let isPlanned = false

  const plan = (): void => {
    if (isPlanned || running >= AT_ONCE || waiting.length === 0) return
    isPlanned = true
    // After this turn of input: every request that came with it is asked for by then.
    setImmediate(() => {
      isPlanned = false
      const batch = waiting.slice(0, KEYS_MAX)
      waiting = waiting.slice(KEYS_MAX)
      running++
      void run(batch).then(() => {
        running--
        plan()
      })
      plan()
    })
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
      waiting.push({ key, resolve, reject })
      plan()
    })
}
