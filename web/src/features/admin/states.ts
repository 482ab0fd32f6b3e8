/** The portal's labels and colours for the states of outgoing money, suspense items and disputes. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import type { BadgeTone } from '../../ui/Feedback.tsx'
import type {
  AdminMandate,
  AutopayFilter,
  Dispute,
  DisputeFilter,
  DisputeState,
  RefundFilter,
  RefundState,
  SuspenseFilter,
  SuspenseItem,
  SuspenseState,
  WithdrawalFilter,
  WithdrawalState,
} from './queries.ts'

export type Shown = { readonly tone: BadgeTone; readonly label: MessageDescriptor }

export const REFUND_STATES = {
  requested: { tone: 'waiting', label: msg`Requested` },
  awaiting_second: { tone: 'waiting', label: msg`Needs a second person` },
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

/** Lists are also narrowed to what waits for the team, as the to-do list counts it. */
export const REFUND_FILTERS = {
  to_decide: { tone: 'waiting', label: msg`Refunds to decide` },
  to_second: { tone: 'waiting', label: msg`Refunds that need a second person` },
  not_sent: { tone: 'bad', label: msg`Refunds approved, but not sent` },
  ...REFUND_STATES,
} as const satisfies Record<RefundFilter, Shown>

export const WITHDRAWAL_FILTERS = {
  to_decide: { tone: 'waiting', label: msg`Withdrawals to decide` },
  to_second: { tone: 'waiting', label: msg`Withdrawals that need a second person` },
  by_hand: { tone: 'waiting', label: msg`Approved, to be paid by hand` },
  not_sent: { tone: 'bad', label: msg`Withdrawals approved, but not sent` },
  ...WITHDRAWAL_STATES,
} as const satisfies Record<WithdrawalFilter, Shown>

export const SUSPENSE_STATES = {
  open: { tone: 'waiting', label: msg`Open` },
  awaiting_second: { tone: 'waiting', label: msg`Needs a second person` },
  credited: { tone: 'good', label: msg`Credited` },
  refunded: { tone: 'good', label: msg`Sent back` },
  paid: { tone: 'good', label: msg`Paid by hand` },
  taken: { tone: 'bad', label: msg`Taken for a chargeback` },
} as const satisfies Record<SuspenseState, Shown>

export const SUSPENSE_FILTERS = {
  to_decide: { tone: 'waiting', label: msg`Payments to decide` },
  ...SUSPENSE_STATES,
} as const satisfies Record<SuspenseFilter, Shown>

export const SUSPENSE_REASONS = {
  unknown_order: msg`No order of ours has this number.`,
  other_amount: msg`The amount differs from the order.`,
  second_payment: msg`The order was paid already.`,
  closed_account: msg`The account is closed.`,
  no_wallet: msg`This account has no wallet.`,
  other_currency: msg`The payment is not in rupees.`,
} as const satisfies Record<SuspenseItem['reason'], MessageDescriptor>

/** The origin of the money in suspense: a payment, or money that was returned for a closed account. */
export const SUSPENSE_SOURCES = {
  payment: msg`A payment`,
  transfer: msg`A bank transfer`,
  payout: msg`A payout that the bank returned`,
  refund: msg`A refund that came back`,
  dispute: msg`A disputed payment that was returned`,
} as const satisfies Record<SuspenseItem['source'], MessageDescriptor>

export const DISPUTE_STATES = {
  open: { tone: 'waiting', label: msg`Open` },
  won: { tone: 'good', label: msg`Won` },
  lost: { tone: 'bad', label: msg`Lost` },
} as const satisfies Record<DisputeState, Shown>

export const DISPUTE_FILTERS = {
  to_answer: { tone: 'waiting', label: msg`Disputes to answer at the bank` },
  ...DISPUTE_STATES,
} as const satisfies Record<DisputeFilter, Shown>

export const AUTOPAY_STATE_WORDS = {
  setup: { tone: 'waiting', label: msg`Being set up` },
  bank: { tone: 'waiting', label: msg`Waits for the bank` },
  on: { tone: 'good', label: msg`On` },
  paused: { tone: 'waiting', label: msg`Paused by the member` },
  payer_paused: { tone: 'waiting', label: msg`Paused in the UPI app` },
  resting: { tone: 'bad', label: msg`Three failures` },
  stopping: { tone: 'waiting', label: msg`Stopping` },
  stopped: { tone: 'plain', label: msg`Stopped` },
  payer_stopped: { tone: 'plain', label: msg`Stopped in the UPI app` },
  ended: { tone: 'plain', label: msg`Ended` },
  lapsed: { tone: 'plain', label: msg`Not completed` },
} as const satisfies Record<AdminMandate['status'], Shown>

export const AUTOPAY_FILTERS = {
  late: { tone: 'bad', label: msg`Debits late for five days` },
  unknown: { tone: 'bad', label: msg`Unknown status at the gateway` },
  uncancelled: { tone: 'bad', label: msg`Stop not confirmed for a day` },
  ...AUTOPAY_STATE_WORDS,
} as const satisfies Record<AutopayFilter, Shown>

/** The stages of a dispute, which are the gateway's types of it. An unknown one is shown as the gateway sent it. */
export const DISPUTE_STAGES: Readonly<Record<string, MessageDescriptor | undefined>> = {
  RETRIEVAL: msg`The bank asks for documents`,
  DISPUTE: msg`Dispute before a chargeback`,
  CHARGEBACK: msg`Chargeback`,
  PRE_ARBITRATION: msg`Second chargeback`,
  ARBITRATION: msg`Decision by the card network`,
}

/** The last part of the gateway's status: the step within a stage. */
const DISPUTE_STEPS = {
  CREATED: msg`it was opened`,
  DOCS_RECEIVED: msg`our documents have arrived`,
  UNDER_REVIEW: msg`it is under review`,
  MERCHANT_WON: msg`we have won`,
  MERCHANT_LOST: msg`we have lost`,
  MERCHANT_ACCEPTED: msg`we have accepted it`,
  INSUFFICIENT_EVIDENCE: msg`our documents are not enough`,
} as const

/** The words of `CREATED` or `CHARGEBACK_CREATED`; nothing for a status that we do not know. */
export const disputeStep = (status: string): MessageDescriptor | undefined =>
  Object.entries(DISPUTE_STEPS).find(([step]) => status === step || status.endsWith(`_${step}`))?.[1]

export const DISPUTE_PROBLEMS = {
  unknown_payment: msg`No payment of ours: nothing was recorded.`,
  more_than_paid: msg`More than was paid: nothing was recorded.`,
  other_currency: msg`Not in rupees: nothing was recorded.`,
} as const satisfies Record<NonNullable<Dispute['problem']>, MessageDescriptor>

/** The warnings of a withdrawal. An unknown flag is shown as the server sent it. */
export const WITHDRAWAL_FLAGS: Readonly<Record<string, MessageDescriptor | undefined>> = {
  new_account: msg`Bank account first used less than a day before the request`,
  young_money: msg`Money added less than three days before the request`,
  name_mismatch: msg`The bank has another name for this UPI ID, or does not know it`,
  name_not_asked: msg`The bank was not asked for the name of this UPI ID`,
  gateway_conflict: msg`The gateway contradicts our ledger`,
  other_amount: msg`The gateway names another amount or currency`,
}

export const ON_HOLD = msg`Withdrawals and refunds are on hold: nothing is sent until the hold ends.`

type Standing = { readonly status: RefundState | WithdrawalState; readonly onHold: boolean; readonly problem: string | null }

/** Reasons other than the gateway's that stopped a transfer. */
const WAITED: Readonly<Record<string, MessageDescriptor | undefined>> = {
  member_in_debt: msg`It was not sent because the member owed for a payment.`,
}

const UNASKED = msg`Its gateway is no longer set up: we cannot ask whether it arrived.`

/** Why a withdrawal or refund waits: a hold, a debt or a former gateway in our words, any other reason in the gateway's. */
function obstaclesOf({ status, onHold, problem }: Standing, isUnasked: boolean): readonly (MessageDescriptor | string)[] {
  const isOpen = status === 'requested' || status === 'awaiting_second' || status === 'approved' || status === 'sending'
  const former = status === 'sending' && isUnasked ? [UNASKED] : []
  return [
    ...(isOpen && onHold ? [ON_HOLD] : []),
    ...former,
    ...(problem === null || problem === 'member_on_hold' ? [] : [WAITED[problem] ?? problem]),
  ]
}

type Warned = Standing & { readonly memberFlags: readonly string[]; readonly flags?: readonly string[] }
/** Everything that a decision about this money should know. `isUnasked`: no gateway is set up that sends such money. */
export const warningsOf = (row: Warned, isUnasked = false): readonly (MessageDescriptor | string)[] => [
  ...(row.flags ?? []).map((flag) => WITHDRAWAL_FLAGS[flag] ?? flag),
  ...row.memberFlags.map((flag) => MEMBER_FLAGS[flag] ?? flag),
  ...obstaclesOf(row, isUnasked),
]

/** The member's warnings, shown beside each decision about their money. */
export const MEMBER_FLAGS: Readonly<Record<string, MessageDescriptor | undefined>> = {
  debt: msg`The member owes for a payment that the bank took back`,
  dispute: msg`The member disputed a payment at the bank`,
  gateway_conflict: msg`The gateway contradicted our ledger about this member`,
  other_amount: msg`The gateway named another amount for this member`,
  shared_phone: msg`Set a phone number that another account had before. Families often share one`,
  phone_set_by_another: msg`Another account set this member's phone number later`,
  had_phone_of_another: msg`Had another account's phone number for a time, and changed it`,
  shared_bank: msg`Another account withdraws to the same bank account or UPI ID`,
  shared_device: msg`Another account uses the same device and network. Families often share one`,
  shared_network: msg`Several accounts use the same network address`,
  shared_mailbox: msg`Another account has an address of the same mailbox`,
  young_account: msg`A new account that withdraws money soon after adding it`,
}
