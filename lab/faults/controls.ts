/**
 * Controls that prove that the fault harness can fail: the same cycles with one safeguard removed on purpose.
 * - Commits acknowledged before they are on disk must be reported as lost when the whole machine dies.
 * - Clients that use a new key for each retry must be reported as doubled when answers are lost.
 */
import { runOnServers } from './cycles.ts'
import type { Kind } from './faults.ts'
import type { ControlResult } from './summary.ts'

export const CONTROLS = ['commits-in-memory', 'forgotten-keys'] as const
type Control = (typeof CONTROLS)[number]

const TRIES_MAX = 8
const FAULT_OF: Readonly<Record<Control, { readonly kind: Kind; readonly shows: 'lost' | 'doubled' }>> = {
  'commits-in-memory': { kind: 'machine-kill', shows: 'lost' },
  'forgotten-keys': { kind: 'server-kill', shows: 'doubled' },
}

export async function runControl(weaken: Control, seed: number): Promise<ControlResult> {
  const { kind, shows } = FAULT_OF[weaken]
  const kinds = Array.from({ length: TRIES_MAX }, () => kind)
  const { finding, cycles } = await runOnServers({ kinds, seed, clients: 12, members: 60, weaken })
  return { control: weaken, shows, cycles: cycles.length, found: finding?.[shows][0] }
}
