/** The order of the faults: short ones more often, shuffled by a seed. */
import { createDice } from './random.ts'
import type { Kind } from './strikes.ts'

/** How often in the time of one expensive fault; kinds without an entry come once. */
const OFTEN: Partial<Readonly<Record<Kind, number>>> = {
  'cut-before-send': 24,
  'cut-after-send': 24,
  'cut-after-commit': 28,
  'cut-all': 20,
  'backend-end': 20,
  'backend-pause': 9,
  'server-pause': 9,
  'webhooks-duplicated': 2,
  'webhooks-shuffled': 2,
  'webhooks-tampered': 2,
  'webhooks-late': 2,
  'webhooks-lost': 2,
  'webhooks-cut': 2,
  'webhooks-early': 2,
  'backend-kill': 2,
  'midnight-jumps': 2,
  'server-kill': 5,
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
