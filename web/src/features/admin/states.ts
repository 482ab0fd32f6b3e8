/** How the states of money that leaves read in the portal, with their colours. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import type { BadgeTone } from '../../ui/Feedback.tsx'
import type { RefundState, SuspenseItem, SuspenseState, WithdrawalState } from './queries.ts'

export type Shown = { readonly tone: BadgeTone; readonly label: MessageDescriptor }

export const REFUND_STATES = {
  requested: { tone: 'waiting', label: msg`Requested` },
  approved: { tone: 'waiting', label: msg`Approved` },
  sending: { tone: 'waiting', label: msg`Sending` },
  paid: { tone: 'good', label: msg`Paid` },
  rejected: { tone: 'bad', label: msg`Rejected` },
  failed: { tone: 'bad', label: msg`Failed` },
} as const satisfies Record<RefundState, Shown>

export const WITHDRAWAL_STATES = {
  ...REFUND_STATES,
  reversed: { tone: 'bad', label: msg`Reversed` },
} as const satisfies Record<WithdrawalState, Shown>

export const SUSPENSE_STATES = {
  open: { tone: 'waiting', label: msg`Open` },
  credited: { tone: 'good', label: msg`Credited` },
  refunded: { tone: 'good', label: msg`Sent back` },
} as const satisfies Record<SuspenseState, Shown>

export const SUSPENSE_REASONS = {
  unknown_order: msg`No order of ours has this number.`,
  other_amount: msg`The amount differs from the order.`,
  second_payment: msg`The order was paid already.`,
  closed_account: msg`The account is closed.`,
} as const satisfies Record<SuspenseItem['reason'], MessageDescriptor>

/** What a withdrawal is marked with for a second look; a mark we do not know is shown as it came. */
export const WITHDRAWAL_FLAGS: Readonly<Record<string, MessageDescriptor | undefined>> = {
  new_account: msg`First withdrawal to this account`,
  young_money: msg`Money added less than a day ago`,
  gateway_conflict: msg`The gateway contradicts our books`,
  other_amount: msg`The gateway names another amount`,
}
