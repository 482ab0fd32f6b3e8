/** The colour of each transaction status. An unknown status is grey. */
import type { BadgeTone } from '../../ui/Feedback.tsx'

const TONES = {
  completed: 'good',
  success: 'good',
  pending: 'waiting',
  processing: 'waiting',
  failed: 'bad',
  rejected: 'bad',
  expired: 'plain',
  returned: 'plain',
  closed: 'plain',
} as const satisfies Record<string, BadgeTone>
export type KnownStatus = keyof typeof TONES

/** A status that has a translation, in any letter case. */
export function knownStatus(status: string): KnownStatus | undefined {
  const word = status.toLowerCase()
  return Object.hasOwn(TONES, word) ? (word as KnownStatus) : undefined
}

export function toneOf(status: string): BadgeTone {
  const known = knownStatus(status)
  return known === undefined ? 'plain' : TONES[known]
}

/** Whether the transaction moved no money and never will. Its amount is struck through. */
export const isVoided = (status: string): boolean => ['failed', 'rejected', 'expired', 'returned', 'closed'].includes(status.toLowerCase())
