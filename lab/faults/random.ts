/** Pseudo-random choices that a seed repeats. */
import { random } from '../../e2e/harness/crash-calls.ts'

export type Dice = ReturnType<typeof createDice>

export function createDice(seed: number) {
  const next = random(seed)
  // Neighbouring seeds give similar first numbers: skip them.
  for (let skipped = 0; skipped < 8; skipped++) next()
  const below = (count: number): number => Math.floor(next() * count)
  return {
    below,
    between: (low: number, high: number): number => low + next() * (high - low),
    chance: (share: number): boolean => next() < share,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new Error('the list to pick from is empty')
      return list[below(list.length)] as T
    },
  }
}
