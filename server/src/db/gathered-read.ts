/**
 * Batches reads by key: reads that arrive together share a statement (batch-scheduler.ts).
 * - The statement of a read starts after the read was requested. No value comes from a cache.
 */
import { activeSpan, inShared, type Span } from '../tracing/spans.ts'
import { OverloadedError } from './sql.ts'
import { createBatchScheduler, shareMax } from './batch-scheduler.ts'

type GatheredRead<Key, Value> = (key: Key) => Promise<Value | undefined>

type Waiting<Key, Value> = {
  readonly key: Key
  readonly resolve: (value: Value | undefined) => void
  readonly reject: (error: unknown) => void
  readonly span: Span | undefined
}

const KEYS_MAX = 500
/** Later statements do not wait for a statement that takes longer than this. */
const LATE_MS = 100
const AT_ONCE_MAX = 4
/** Short, because an HTTP request makes several reads one after the other. */
const PACE_MS = 3

/** Reads beyond this queue length are refused: the database does not answer. */
const WAITING_MAX = 10_000

/** `readAll` returns one value per key, in the order of the keys; undefined where there is none. */
export function gatherReads<Key, Value>(
  readAll: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>,
  lateMs = LATE_MS,
): GatheredRead<Key, Value> {
  let waiting: Waiting<Key, Value>[] = []
  const begin = (): Promise<void> => {
    const count = shareMax(waiting.length, KEYS_MAX)
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return run(batch)
  }
  const look = createBatchScheduler({ waiting: () => waiting.length, begin, atOnceMax: AT_ONCE_MAX, lateMs, paceMs: PACE_MS })

  const run = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await inShared(
        { name: 'shared read', kind: 'internal', attributes: { 'roz.batch.size': batch.length } },
        () => batch.map(({ span }) => span),
        () => readAll(batch.map(({ key }) => key)),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(values[index])
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= WAITING_MAX) return reject(new OverloadedError('too many reads wait for the database'))
      waiting.push({ key, resolve, reject, span: activeSpan() })
      look()
    })
}
