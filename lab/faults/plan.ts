/** The order of the faults: short ones more often, shuffled by a seed. */
import { createDice } from './random.ts'
import type { Kind } from './faults.ts'

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

/** The kinds of a list such as `server-kill,cut-all`; all without one. */
export function kindsFrom(text: string | undefined, known: readonly string[]): readonly string[] {
  const wanted = text?.split(',') ?? known
  const unknown = wanted.filter((kind) => !known.includes(kind))
  if (unknown.length > 0) throw new Error(`no such fault: ${unknown.join(', ')}. There are: ${known.join(', ')}`)
  return wanted
}

/** `often`: how often each kind comes in a round; once without an entry. */
export function planOf<K extends string>(
  kinds: readonly K[],
  seed: number,
  often: Readonly<Record<string, number>> = OFTEN,
): (count: number) => K[] {
  const dice = createDice(seed)
  let waiting: K[] = []
  const next = (): K => {
    if (waiting.length === 0) waiting = kinds.flatMap((kind) => Array.from({ length: often[kind] ?? 1 }, () => kind))
    return waiting.splice(dice.below(waiting.length), 1)[0] as K
  }
  return (count) => Array.from({ length: count }, next)
}
