/** How a transaction's status reads (spec section 4): colours by group, and a word it does not know as it came, in grey. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { BadgeTone } from '../../ui/Feedback.tsx'

const KNOWN: Readonly<Record<string, { readonly tone: BadgeTone; readonly label: MessageDescriptor } | undefined>> = {
  completed: { tone: 'good', label: msg`Completed` },
  success: { tone: 'good', label: msg`Success` },
  pending: { tone: 'waiting', label: msg`Pending` },
  processing: { tone: 'waiting', label: msg`Processing` },
  failed: { tone: 'bad', label: msg`Failed` },
  rejected: { tone: 'bad', label: msg`Rejected` },
  expired: { tone: 'plain', label: msg`Expired` },
}

export function statusOf(status: string): { readonly tone: BadgeTone; readonly label: MessageDescriptor | string } {
  return KNOWN[status.toLowerCase()] ?? { tone: 'plain', label: status }
}
/** Whether the amount took effect or still may: the others are struck out. */
export const isVoided = (status: string): boolean => ['failed', 'rejected', 'expired'].includes(status.toLowerCase())
