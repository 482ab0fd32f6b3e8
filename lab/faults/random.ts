/** Pseudo-random choices that a seed repeats. */
export type Dice = ReturnType<typeof createDice>

export function createDice(seed: number) {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
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
