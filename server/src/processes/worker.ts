/**
 * A worker's line to the first process, with PROCESSES above 1.
 * - The first process prints what workers say, and gathers the measurements of all of them.
 */
import type { Registry } from 'prom-client'
import type { Measured } from './measured.ts'

export type FromWorker =
  | { readonly kind: 'say'; readonly line: string }
  /** Asks for the measurements of all processes; `own` are those of the one that asks. */
  | { readonly kind: 'gather'; readonly id: number; readonly own: Measured }
  /** An answer to `measure`, or without a number the last values before the end. */
  | { readonly kind: 'measured'; readonly id?: number; readonly own: Measured }
export type ToWorker =
  | { readonly kind: 'measure'; readonly id: number }
  | { readonly kind: 'gathered'; readonly id: number; readonly all: readonly Measured[] }

/** Longer than the first process waits for a silent worker. */
const PATIENCE_MS = 4000

/** Resolves when the message is on its way. A first process that is gone gets none. */
const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(message, undefined, undefined, () => resolve())
  })

export const sayToFirst = (line: string): void => void send({ kind: 'say', line })

export type Gather = (own: Measured) => Promise<readonly Measured[]>

/** Answers the first process's questions about this registry. `leave` hands over its last values. */
export function joinProcesses(registry: Registry): { readonly gather: Gather; readonly leave: () => Promise<void> } {
  const asked = new Map<number, (all: readonly Measured[]) => void>()
  let newest = 0
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'gathered') asked.get(message.id)?.(message.all)
    else void registry.getMetricsAsJSON().then((own) => send({ kind: 'measured', id: message.id, own }))
  })
  return {
    gather: async (own) => {
      const id = ++newest
      const gathered = Promise.withResolvers<readonly Measured[]>()
      asked.set(id, gathered.resolve)
      // A scrape without an answer shows only this process rather than nothing.
      const timer = setTimeout(() => gathered.resolve([own]), PATIENCE_MS)
      try {
        await send({ kind: 'gather', id, own })
        return await gathered.promise
      } finally {
        clearTimeout(timer)
        asked.delete(id)
      }
    },
    leave: async () => send({ kind: 'measured', own: await registry.getMetricsAsJSON() }),
  }
}
