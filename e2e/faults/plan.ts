/** Which fault comes when: short ones more often, in an order that a seed repeats. */
import { createDice } from './random.ts'
import type { Kind } from './strikes.ts'

/** How often for one of the dear ones; whatever is not named comes once. */
const OFTEN: Partial<Readonly<Record<Kind, number>>> = {
  'cut-before-send': 12,
  'cut-after-send': 12,
  'cut-after-commit': 14,
  'cut-all': 10,
  'backend-end': 10,
  'backend-pause': 5,
  'server-pause': 5,
  'backend-kill': 2,
  'midnight-jumps': 2,
  'server-kill': 3,
}

export function planOf(kinds: readonly Kind[], seed: number): (count: number) => Kind[] {
  const dice = createDice(seed)
  let waiting: Kind[] = []
  const next = (): Kind => {
    if (waiting.length === 0) waiting = kinds.flatMap((kind) => Array.from({ length: OFTEN[kind] ?? 1 }, () => kind))
    return waiting.splice(dice.below(waiting.length), 1)[0] as Kind
  }
  return (count) => Array.from({ length: count }, next)
}
