/**
 * Concurrency limit for heavy work.
 * - At most `inFlightMax` pieces of work run and at most `waitingMax` wait, in the order of their calls.
 * - Further calls are refused at once with `UnavailableError`, so memory and waiting time stay bounded under attack.
 */
import { UnavailableError } from '../http/faults.ts'

type Gate = <T>(work: () => Promise<T>) => Promise<T>

export function createGate(limits: { readonly inFlightMax: number; readonly waitingMax: number }): Gate {
  const waiting: (() => void)[] = []
  let inFlight = 0
  return async (work) => {
    if (inFlight >= limits.inFlightMax) {
      if (waiting.length >= limits.waitingMax) throw new UnavailableError('too much work at once')
      // The finished work passes its place on, so inFlight does not change.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else inFlight++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) inFlight--
      else next()
    }
  }
}
