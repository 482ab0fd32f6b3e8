/** Calls of withdrawals and refunds, mostly for administrators, and the payouts' webhook. */
import { rupeeAmount } from '@roz/core/fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { bankReference } from '@roz/core/reference-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall, tableCall } from './endpoint.ts'
import { OWNERS, READERS, TREASURY } from './roles.ts'
import { count, instant, newer, nextCursor, order, page, rupees, seen } from './shapes.ts'
import { bankDetail, upiDetail, withdrawal } from './wallet.ts'

/** States of the ledger, and `awaiting_second`: one of two persons has approved. Members see fewer and other words. */
export const withdrawalState = z.enum(
  ['requested', 'awaiting_second', 'approved', 'sending', 'paid', 'rejected', 'failed', 'reversed'],
  'choice_invalid',
)

/** Work that waits for the team, as the to-do list counts it for the caller. */
const WORK = ['to_decide', 'to_second', 'not_sent'] as const
const withdrawalFilter = z.enum([...withdrawalState.options, ...WORK, 'by_hand'], 'choice_invalid')

export const payee = z.object({ id: z.string(), name: z.string(), email: z.string().nullable() })

export const onHold = z.boolean().meta({ description: 'The member is on hold: nothing is sent until the hold ends' })
const approvedAt = instant.nullable().meta({ description: 'Time of the approval; a later rejection undid it' })
const person = z.object({ id: z.string(), name: z.string() })
const approvals = {
  firstApproval: z
    .object({ ...person.shape, at: instant })
    .nullable()
    .meta({ description: 'The first of two approvals; this person cannot give the second one' }),
  approvedBy: person.nullable().meta({ description: 'The person whose approval let the money leave' }),
  waitingHours: count.nullable().meta({ description: 'Whole hours since the request, until it ends; 48 are promised at most' }),
}
/** Facts about the member, for the administrator who decides about money. */
export const suspect = {
  memberFlags: z
    .array(z.string())
    .meta({ description: 'Earlier problems of the member: dispute, gateway_conflict, other_amount; debt while something is owed' }),
  owed: rupees.meta({ description: 'Debt of the member for payments that the bank took back: nothing is approved until it is paid' }),
}
export const seenFacts = z
  .string()
  .meta({ description: 'A fingerprint of member, bank account, flags, debt and hold; a decision may name it' })

export const adminWithdrawal = z.object({
  ...withdrawal.shape,
  status: withdrawalState,
  member: payee,
  transferId: z.string().meta({ description: "The withdrawal's id without dashes: its key at the gateway" }),
  flags: z
    .array(z.string())
    .meta({ description: 'new_account, young_money, name_mismatch, name_not_asked, gateway_conflict, other_amount: for a second look' }),
  problem: z
    .string()
    .nullable()
    .meta({ description: 'The reason why it is not sent: the words of the gateway, or member_on_hold, member_in_debt' }),
  onHold,
  approvedAt,
  ...approvals,
  shownTo: z
    .object({ id: z.string(), name: z.string(), at: instant })
    .nullable()
    .meta({ description: 'The person who opened the bank account to pay by hand: only this person can end it' }),
  returnFirst: person.nullable().meta({
    description: 'The first of two persons who say that this payment by hand was not paid, or came back, while it waits for the second',
  }),
  ...suspect,
  endedAt: instant.nullable(),
  seen: seenFacts,
})

export const refundState = z.enum(['requested', 'awaiting_second', 'approved', 'sending', 'paid', 'rejected', 'failed'], 'choice_invalid')
const refundFilter = z.enum([...refundState.options, ...WORK], 'choice_invalid')

/** A refund as its member sees it. */
export const refund = z.object({
  id: z.string(),
  order_id: z.string(),
  amount: rupees,
  status: z.enum(['pending', 'processing', 'completed', 'rejected', 'failed']),
  reason: z.string(),
  decision: z.string().nullable().meta({ description: 'The reason why it was rejected or failed' }),
  reference: z.string().nullable(),
  createdAt: instant,
})

export const adminRefund = z.object({
  ...refund.shape,
  status: refundState,
  member: payee.nullable().meta({ description: 'null for the refund of a suspense item' }),
  suspenseId: z.string().nullable(),
  refundId: z.string().meta({ description: "The refund's id without dashes: its key at the gateway" }),
  problem: z.string().nullable(),
  onHold,
  approvedAt,
  ...approvals,
  ...suspect,
  endedAt: instant.nullable(),
  seen: seenFacts,
})

const id = z.object({ id: z.string().max(100) })
export const search = z.string().max(200).optional()
export const approvalAbove = rupees.meta({
  description:
    'Above this amount a second person must approve too: APPROVAL_ABOVE less what the asking person decided alone in the last 24 hours',
})
/** A decision about one row. */
export const decision = {
  roles: TREASURY,
  stepUp: true,
  params: id,
} as const

/** Refused to one person: the own money, or a sum that needs two. */
export const SECOND_PERSON = ['own_money', 'second_person_needed', 'role_too_new'] as const
const STALE_WITHDRAWAL = ['withdrawal_not_found', 'changed_since_seen', 'withdrawal_final'] as const
const STALE_REFUND = ['refund_not_found', 'changed_since_seen', 'refund_final'] as const

const withdrawalAnswer = z.object({ withdrawal: adminWithdrawal })
/** Every decision contains the state that the administrator saw; another state is refused with `changed_since_seen`. */
const seenWithdrawal = z.strictObject({ status: withdrawalState, seen })
const seenRefund = z.strictObject({ status: refundState, seen })

const reasonedWithdrawal = z.strictObject({ ...seenWithdrawal.shape, reason: decisionReason })
const refundAnswer = z.object({ refund: adminRefund })

export const payoutCalls = {
  adminWithdrawals: staffCall('GET /admin/withdrawals', {
    roles: READERS,
    summary:
      "Withdrawals in all states, newest first or, by `order`, oldest first; q searches the member's name and mail, id and reference.",
    query: z.object({ ...page.shape, status: withdrawalFilter.optional(), q: search, order }),
    output: z.object({
      withdrawals: z.array(adminWithdrawal),
      approvalAbove,
      byHand: z.boolean().meta({ description: 'No gateway pays out here: an approved withdrawal is paid by hand' }),
      nextCursor,
    }),
    refusals: [],
  }),
  adminWithdrawalsCsv: tableCall('/admin/withdrawals.csv', 'The list of withdrawals', {
    roles: READERS,
    stepUp: true,
    query: z.object({ status: withdrawalFilter.optional(), q: search, order }),
  }),
  approveWithdrawal: staffCall('POST /admin/withdrawals/{id}/approve', {
    ...decision,
    summary:
      'Approves a withdrawal: the gateway sends it, or without a gateway it waits for a payment by hand. Above the limit the first approval waits for a second person.',
    body: seenWithdrawal,
    output: withdrawalAnswer,
    refusals: [...STALE_WITHDRAWAL, 'member_on_hold', 'member_in_debt', ...SECOND_PERSON, 'idempotency_mismatch'],
  }),
  rejectWithdrawal: staffCall('POST /admin/withdrawals/{id}/reject', {
    ...decision,
    summary: 'Rejects a withdrawal that was not sent; the money goes back into the wallet.',
    body: reasonedWithdrawal,
    output: withdrawalAnswer,
    refusals: [...STALE_WITHDRAWAL, 'being_paid_by_hand', 'idempotency_mismatch'],
  }),
  retryWithdrawal: staffCall('POST /admin/withdrawals/{id}/retry', {
    ...decision,
    summary: 'Sends an approved withdrawal again after the gateway refused it, or asks the gateway now about a sent withdrawal.',
    body: seenWithdrawal,
    output: withdrawalAnswer,
    refusals: [...STALE_WITHDRAWAL, 'payouts_by_hand', 'being_paid_by_hand', 'member_on_hold', 'member_in_debt', 'idempotency_mismatch'],
  }),
  completeWithdrawal: staffCall('POST /admin/withdrawals/{id}/complete', {
    ...decision,
    summary:
      'The person who opened the bank account records the payment by hand. A hold refuses this until it ends. A debt that began after the opening does not, because the money may have left before.',
    body: z.strictObject({ ...seenWithdrawal.shape, bankReference }),
    output: withdrawalAnswer,
    refusals: [
      ...STALE_WITHDRAWAL,
      'withdrawal_not_approved',
      'payouts_by_gateway',
      'being_paid_by_hand',
      'bank_not_shown',
      'member_on_hold',
      'own_money',
      'idempotency_mismatch',
    ],
  }),
  withdrawalBank: staffCall('POST /admin/withdrawals/{id}/bank', {
    ...decision,
    summary:
      'The full bank account or UPI ID of an approved withdrawal, for a payment by hand; only without a payout gateway. After this call only this person can end the withdrawal, by complete or not-paid. Every call is recorded.',
    body: seenWithdrawal,
    output: z.object({ bankDetail: bankDetail.nullable(), upiDetail: newer(upiDetail.nullable(), { absent: null }) }),
    refusals: [
      ...STALE_WITHDRAWAL,
      'withdrawal_not_approved',
      'payouts_by_gateway',
      'being_paid_by_hand',
      'member_on_hold',
      'member_in_debt',
      'own_money',
    ],
  }),
  withdrawalNotPaid: staffCall('POST /admin/withdrawals/{id}/not-paid', {
    ...decision,
    summary:
      'The person who opened the bank account records that it was not paid, and why; the money goes back into the wallet. Above the limit this first voice waits for a second person.',
    body: reasonedWithdrawal,
    output: withdrawalAnswer,
    refusals: [
      ...STALE_WITHDRAWAL,
      'withdrawal_not_approved',
      'being_paid_by_hand',
      'bank_not_shown',
      ...SECOND_PERSON,
      'idempotency_mismatch',
    ],
  }),
  takeOverWithdrawal: staffCall('POST /admin/withdrawals/{id}/take-over', {
    ...decision,
    roles: OWNERS,
    summary:
      'An owner takes over a payment by hand, with a reason, from the person who opened the bank account. `from` is the id in `shownTo`: if another person has the payment by now, the answer is changed_since_seen.',
    body: z.strictObject({ ...reasonedWithdrawal.shape, from: z.string('fill_all').min(1, 'fill_all').max(100, 'fill_all') }),
    output: withdrawalAnswer,
    refusals: [...STALE_WITHDRAWAL, 'own_money', 'idempotency_mismatch'],
  }),
  withdrawalCameBack: staffCall('POST /admin/withdrawals/{id}/came-back', {
    ...decision,
    summary:
      'A payment by hand came back, or was recorded by mistake: the money goes back into the wallet. Where statements are imported, `line` is the line by which it came back, or null if they show that it never left. Above the limit the first voice waits for a second person.',
    body: z.strictObject({ ...reasonedWithdrawal.shape, line: z.string().min(1).max(100).nullable() }),
    output: withdrawalAnswer,
    refusals: [
      ...STALE_WITHDRAWAL,
      'payouts_by_gateway',
      'bank_line_needed',
      'bank_match_refused',
      ...SECOND_PERSON,
      'idempotency_mismatch',
    ],
  }),
  requestRefund: endpoint('POST /wallet/refunds', {
    access: 'verified',
    summary:
      'Requests a refund of at most the unused part of a top-up of the last seven days, and of at least a rupee or the whole part; the amount is held at once.',
    body: z.strictObject({
      order_id: z.string('fill_all').min(1, 'fill_all').max(100, 'fill_all'),
      amount: rupeeAmount,
      reason: decisionReason,
    }),
    output: z.object({ balance: rupees, refund }),
    refusals: [
      'on_hold',
      'order_not_found',
      'refund_not_possible',
      'refund_exceeds_unused',
      'refund_too_small',
      'refunds_open',
      'idempotency_mismatch',
      'overloaded',
    ],
  }),
  refunds: endpoint('GET /wallet/refunds', {
    access: 'member',
    summary: "The member's refunds, newest first, and the top-ups that can be refunded, each with its unused part.",
    query: page,
    output: z.object({
      refunds: z.array(refund),
      refundable: z.array(z.object({ order_id: z.string(), amount: rupees, unused: rupees, createdAt: instant })),
      nextCursor,
    }),
    refusals: [],
  }),
  adminRefunds: staffCall('GET /admin/refunds', {
    roles: READERS,
    summary:
      "Refunds in all states, newest first or, by `order`, oldest first; q searches the member's name and mail, order, id and reference.",
    query: z.object({ ...page.shape, status: refundFilter.optional(), q: search, order }),
    output: z.object({ refunds: z.array(adminRefund), approvalAbove, nextCursor }),
    refusals: [],
  }),
  adminRefundsCsv: tableCall('/admin/refunds.csv', 'The list of refunds', {
    roles: READERS,
    stepUp: true,
    query: z.object({ status: refundFilter.optional(), q: search, order }),
  }),
  approveRefund: staffCall('POST /admin/refunds/{id}/approve', {
    ...decision,
    summary:
      'Approves a refund and sends it to the gateway; sends it again if the gateway refused it before. Above the limit the first approval waits for a second person.',
    body: seenRefund,
    output: refundAnswer,
    refusals: [...STALE_REFUND, 'payment_taken_back', 'member_on_hold', 'member_in_debt', ...SECOND_PERSON, 'idempotency_mismatch'],
  }),
  rejectRefund: staffCall('POST /admin/refunds/{id}/reject', {
    ...decision,
    summary: 'Rejects a refund that was not sent; the held amount goes back.',
    body: z.strictObject({ ...seenRefund.shape, reason: decisionReason }),
    output: refundAnswer,
    refusals: [...STALE_REFUND, 'idempotency_mismatch'],
  }),
  payoutWebhook: endpoint('POST /webhooks/cashfree-payouts', {
    access: 'signed',
    summary: 'Events of payouts; the event is stored, then the transfer is fetched from the gateway.',
    raw: true,
    output: z.object({ received: z.literal(true) }),
    refusals: ['webhook_signature', 'bad_json'],
  }),
} as const
