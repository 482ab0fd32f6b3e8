/** How a transaction's status reads (spec section 4): colours by group, and grey for a word that is not known. */
import type { BadgeTone } from '../../ui/Feedback.tsx'

const TONES = {
  completed: 'good',
  success: 'good',
  pending: 'waiting',
  processing: 'waiting',
  failed: 'bad',
  rejected: 'bad',
  expired: 'plain',
} as const satisfies Record<string, BadgeTone>
export type KnownStatus = keyof typeof TONES

/** A status that has words of ours, however it is written. */
export function knownStatus(status: string): KnownStatus | undefined {
  const word = status.toLowerCase()
  return Object.hasOwn(TONES, word) ? (word as KnownStatus) : undefined
}

export function toneOf(status: string): BadgeTone {
  const known = knownStatus(status)
  return known === undefined ? 'plain' : TONES[known]
}

/** Whether the amount took effect or still may: the others are struck out. */
export const isVoided = (status: string): boolean => ['failed', 'rejected', 'expired'].includes(status.toLowerCase())
