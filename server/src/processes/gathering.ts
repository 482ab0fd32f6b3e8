/**
 * The measurements of all workers, gathered by the first process.
 * - A worker that does not answer in time counts with its values of before.
 * - The counts of a worker that has ended stay in the sum.
 */
import { leftBy, type Measured } from './measured.ts'

export type Party = { readonly id: number; readonly ask: (gathering: number) => void }
const PATIENCE_MS = 2000

export function createGathering(listParties: () => readonly Party[], patienceMs = PATIENCE_MS) {
  const newest = new Map<number, Measured>()
  const waiting = new Map<number, { readonly missing: Set<number>; readonly finish: () => void }>()
  let left: Promise<Measured> = Promise.resolve([])
  let number = 0

  const answered = (party: number, gatherings: Iterable<number>): void => {
    for (const gathering of gatherings) {
      const one = waiting.get(gathering)
      one?.missing.delete(party)
      if (one?.missing.size === 0) one.finish()
    }
  }

  return {
    /** The values of all, for a party that brings its own. */
    async gather(asker: number, own: Measured): Promise<readonly Measured[]> {
      newest.set(asker, own)
      const others = listParties().filter(({ id }) => id !== asker)
      const gathering = ++number
      if (others.length > 0) {
        await new Promise<void>((resolve) => {
          waiting.set(gathering, { missing: new Set(others.map(({ id }) => id)), finish: resolve })
          setTimeout(resolve, patienceMs).unref()
          for (const { ask } of others) ask(gathering)
        })
        waiting.delete(gathering)
      }
      return [...newest.values(), await left]
    },

    /** A party's values, as an answer to a question or on its own. */
    tell(party: number, own: Measured, gathering?: number): void {
      newest.set(party, own)
      if (gathering !== undefined) answered(party, [gathering])
    },

    end(party: number): void {
      const last = newest.get(party)
      newest.delete(party)
      answered(party, waiting.keys())
      if (last !== undefined) left = left.then((before) => leftBy([before, last]))
    },
  }
}
