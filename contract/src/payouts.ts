/** Money that leaves, as administrators see it, and the payouts' webhook (api.md). */
import { rupeeAmount } from '@roz/core/fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { bankReference } from '@roz/core/reference-fields.ts'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { instant, nextCursor, page, rupees } from './shapes.ts'
import { bankDetail, withdrawal } from './wallet.ts'

/** The states of money.md, not the words that members read. */
export const withdrawalState = z.enum(['requested', 'approved', 'sending', 'paid', 'rejected', 'failed', 'reversed'], 'choice_invalid')

const payee = z.object({ id: z.string(), name: z.string(), email: z.string().nullable() })

const onHold = z.boolean().meta({ description: 'The member is on hold: nothing is sent until the hold ends' })
const approvedAt = instant.nullable().meta({ description: 'When it was approved; a rejection after it undid that' })
/** For whoever decides about a member's money. */
const suspect = {
  memberFlags: z
    .array(z.string())
    .meta({ description: 'What the member is known for: dispute, gateway_conflict, other_amount; debt while something is owed' }),
  owed: rupees.meta({ description: 'What the member owes for payments that the bank took back: nothing is approved until it is paid' }),
}

export const adminWithdrawal = z.object({
  ...withdrawal.shape,
  status: withdrawalState,
  member: payee,
  transferId: z.string().meta({ description: "The withdrawal's id without dashes: its key at the gateway" }),
  flags: z.array(z.string()).meta({ description: 'new_account, young_money, gateway_conflict, other_amount: for a second look' }),
  problem: z
    .string()
    .nullable()
    .meta({ description: 'Why it stands still, in the words of the gateway, or member_on_hold, member_in_debt' }),
  onHold,
  approvedAt,
  shownTo: z
    .object({ id: z.string(), name: z.string(), at: instant })
    .nullable()
    .meta({ description: 'Who was shown the bank account, to pay by hand: only that person ends it' }),
  ...suspect,
  endedAt: instant.nullable(),
})

export const refundState = z.enum(['requested', 'approved', 'sending', 'paid', 'rejected', 'failed'], 'choice_invalid')
export const suspenseState = z.enum(['open', 'credited', 'refunded', 'paid', 'taken'], 'choice_invalid')
export const disputeState = z.enum(['open', 'won', 'lost'], 'choice_invalid')

/** As its member reads it. */
export const refund = z.object({
  id: z.string(),
  order_id: z.string(),
  amount: rupees,
  status: z.enum(['pending', 'processing', 'completed', 'rejected', 'failed']),
  reason: z.string(),
  decision: z.string().nullable().meta({ description: 'Why it was rejected or failed' }),
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
  ...suspect,
  endedAt: instant.nullable(),
})

export const suspenseItem = z.object({
  id: z.string(),
  order_id: z.string(),
  paymentId: z.string(),
  amount: rupees.meta({ description: 'In `currency`' }),
  currency: z.string().meta({ description: 'INR, or what the gateway named instead: then nobody is credited' }),
  reason: z.enum(['unknown_order', 'other_amount', 'second_payment', 'closed_account', 'no_wallet', 'other_currency']),
  onHold,
  source: z
    .enum(['payment', 'payout', 'refund', 'dispute'])
    .meta({ description: 'A payment that came, or what came back for a closed account' }),
  status: suspenseState,
  createdAt: instant,
  decidedAt: instant.nullable(),
  member: payee.nullable().meta({ description: 'Whose order or withdrawal it came by, or who it was credited to' }),
  ...suspect,
  bank: withdrawal.shape.bank.nullable().meta({ description: 'Where a payout went that came back' }),
  reference: z
    .string()
    .nullable()
    .meta({ description: "The bank's, where it was paid by hand; that of the chargeback or of the debt's payment, where it was taken" }),
})

export const dispute = z.object({
  id: z.string().meta({ description: "The gateway's own" }),
  order_id: z.string(),
  paymentId: z.string(),
  amount: rupees,
  type: z.string(),
  status: z.string().meta({ description: "The gateway's own word" }),
  state: disputeState,
  needsAnswer: z.boolean().meta({ description: 'The bank waits for our answer, until respondBy' }),
  respondBy: instant.nullable(),
  isTaken: z.boolean().meta({ description: "The money is with the payer's bank now" }),
  loss: rupees.meta({
    description: 'What of it is our loss now: neither the member nor SUSPENSE had it; what the member has paid of it since is none',
  }),
  problem: z.enum(['unknown_payment', 'more_than_paid', 'other_currency']).nullable().meta({ description: 'Why nothing was booked' }),
  createdAt: instant,
  updatedAt: instant,
  member: payee.nullable().meta({ description: 'Whose payment it was' }),
})

const id = z.object({ id: z.string().max(100) })
const search = z.string().max(200).optional()
const withdrawalAnswer = z.object({ withdrawal: adminWithdrawal })
/** Every decision names the state that the administrator saw. */
const seenWithdrawal = z.strictObject({ status: withdrawalState })
const seenRefund = z.strictObject({ status: refundState })
const seenItem = z.strictObject({ status: suspenseState })
const reasonedWithdrawal = z.strictObject({ ...seenWithdrawal.shape, reason: decisionReason })
const refundAnswer = z.object({ refund: adminRefund })
const itemAnswer = z.object({ item: suspenseItem })

export const payoutCalls = {
  adminWithdrawals: endpoint({
    method: 'GET',
    path: '/admin/withdrawals',
    access: 'admin',
    summary: "Withdrawals in all states, newest first; q looks in the member's name and mail, in id and reference.",
    query: z.object({ ...page.shape, status: withdrawalState.optional(), q: search }),
    output: z.object({
      withdrawals: z.array(adminWithdrawal),
      byHand: z.boolean().meta({ description: 'No gateway pays out here: an approved withdrawal is paid by hand' }),
      nextCursor,
    }),
    refusals: [],
  }),
  approveWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/approve',
    access: 'admin',
    stepUp: true,
    summary: 'Approves a withdrawal: it is sent by the gateway, or waits for a payment by hand where there is none.',
    params: id,
    body: seenWithdrawal,
    output: withdrawalAnswer,
    refusals: [
      'withdrawal_not_found',
      'changed_since_seen',
      'withdrawal_final',
      'member_on_hold',
      'member_in_debt',
      'idempotency_mismatch',
    ],
  }),
  rejectWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/reject',
    access: 'admin',
    stepUp: true,
    summary: 'Rejects a withdrawal that was not sent; the money goes back into the wallet.',
    params: id,
    body: reasonedWithdrawal,
    output: withdrawalAnswer,
    refusals: ['withdrawal_not_found', 'changed_since_seen', 'withdrawal_final', 'being_paid_by_hand', 'idempotency_mismatch'],
  }),
  retryWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/retry',
    access: 'admin',
    stepUp: true,
    summary: 'Sends an approved withdrawal that the gateway would not take once more, or asks at once about one under way.',
    params: id,
    body: seenWithdrawal,
    output: withdrawalAnswer,
    refusals: [
      'withdrawal_not_found',
      'changed_since_seen',
      'withdrawal_final',
      'payouts_by_hand',
      'being_paid_by_hand',
      'member_on_hold',
      'member_in_debt',
      'idempotency_mismatch',
    ],
  }),
  completeWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/complete',
    access: 'admin',
    stepUp: true,
    summary: 'Notes that an approved withdrawal was paid by hand, by the person who was shown the bank account, if anybody was.',
    params: id,
    body: z.strictObject({ ...seenWithdrawal.shape, bankReference }),
    output: withdrawalAnswer,
    refusals: [
      'withdrawal_not_found',
      'changed_since_seen',
      'withdrawal_final',
      'payouts_by_gateway',
      'being_paid_by_hand',
      'member_on_hold',
      'idempotency_mismatch',
    ],
  }),
  withdrawalBank: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/bank',
    access: 'admin',
    stepUp: true,
    summary:
      'The whole bank account of an approved withdrawal, to pay it by hand. From then on only this person ends it, by complete or not-paid; each look is written down. Only where no gateway pays out.',
    params: id,
    body: seenWithdrawal,
    output: z.object({ bankDetail }),
    refusals: [
      'withdrawal_not_found',
      'changed_since_seen',
      'withdrawal_final',
      'payouts_by_gateway',
      'being_paid_by_hand',
      'member_on_hold',
      'member_in_debt',
    ],
  }),
  withdrawalNotPaid: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/not-paid',
    access: 'admin',
    stepUp: true,
    summary: 'The person who was shown the bank account says that it was not paid, and why; the money goes back into the wallet.',
    params: id,
    body: reasonedWithdrawal,
    output: withdrawalAnswer,
    refusals: ['withdrawal_not_found', 'changed_since_seen', 'withdrawal_final', 'being_paid_by_hand', 'idempotency_mismatch'],
  }),
  takeOverWithdrawal: endpoint({
    method: 'POST',
    path: '/admin/withdrawals/{id}/take-over',
    access: 'admin',
    stepUp: true,
    summary: 'An owner takes a payment by hand from the person who was shown the bank account and cannot end it any more; with a reason.',
    params: id,
    body: reasonedWithdrawal,
    output: withdrawalAnswer,
    refusals: ['forbidden', 'withdrawal_not_found', 'changed_since_seen', 'withdrawal_final', 'idempotency_mismatch'],
  }),
  requestRefund: endpoint({
    method: 'POST',
    path: '/wallet/refunds',
    access: 'verified',
    summary: 'Asks for the unused part of a top-up of the last seven days, or less, to go back to where it came from; held at once.',
    body: z.strictObject({
      order_id: z.string('fill_all').min(1, 'fill_all').max(100, 'fill_all'),
      amount: rupeeAmount,
      reason: decisionReason,
    }),
    output: z.object({ balance: rupees, refund }),
    refusals: ['on_hold', 'order_not_found', 'refund_not_possible', 'refund_exceeds_unused', 'idempotency_mismatch', 'overloaded'],
  }),
  refunds: endpoint({
    method: 'GET',
    path: '/wallet/refunds',
    access: 'member',
    summary: "The member's refunds, newest first, and the top-ups of which something can be refunded, each with its unused part.",
    query: page,
    output: z.object({
      refunds: z.array(refund),
      refundable: z.array(z.object({ order_id: z.string(), amount: rupees, unused: rupees, createdAt: instant })),
      nextCursor,
    }),
    refusals: [],
  }),
  adminRefunds: endpoint({
    method: 'GET',
    path: '/admin/refunds',
    access: 'admin',
    summary: "Refunds in all states, newest first; q looks in the member's name and mail, in order, id and reference.",
    query: z.object({ ...page.shape, status: refundState.optional(), q: search }),
    output: z.object({ refunds: z.array(adminRefund), nextCursor }),
    refusals: [],
  }),
  approveRefund: endpoint({
    method: 'POST',
    path: '/admin/refunds/{id}/approve',
    access: 'admin',
    stepUp: true,
    summary: 'Approves a refund: it is sent to the gateway; once more, where the gateway would not take it before.',
    params: id,
    body: seenRefund,
    output: refundAnswer,
    refusals: [
      'refund_not_found',
      'changed_since_seen',
      'refund_final',
      'payment_taken_back',
      'member_on_hold',
      'member_in_debt',
      'idempotency_mismatch',
    ],
  }),
  rejectRefund: endpoint({
    method: 'POST',
    path: '/admin/refunds/{id}/reject',
    access: 'admin',
    stepUp: true,
    summary: 'Rejects a refund that was not sent; what was held goes back.',
    params: id,
    body: z.strictObject({ ...seenRefund.shape, reason: decisionReason }),
    output: refundAnswer,
    refusals: ['refund_not_found', 'changed_since_seen', 'refund_final', 'idempotency_mismatch'],
  }),
  suspense: endpoint({
    method: 'GET',
    path: '/admin/suspense',
    access: 'admin',
    summary: 'Payments without a place to go, newest first; q looks in order and payment.',
    query: z.object({ ...page.shape, status: suspenseState.optional(), q: search }),
    output: z.object({ suspense: z.array(suspenseItem), nextCursor }),
    refusals: [],
  }),
  creditSuspense: endpoint({
    method: 'POST',
    path: '/admin/suspense/{id}/credit',
    access: 'admin',
    stepUp: true,
    summary: 'Gives an open item to a member.',
    params: id,
    body: z.strictObject({ ...seenItem.shape, memberId: z.string('fill_all').min(1, 'fill_all').max(100, 'fill_all') }),
    output: itemAnswer,
    refusals: [
      'suspense_not_found',
      'changed_since_seen',
      'suspense_decided',
      'payment_taken_back',
      'member_not_found',
      'suspense_other_currency',
      'idempotency_mismatch',
    ],
  }),
  refundSuspense: endpoint({
    method: 'POST',
    path: '/admin/suspense/{id}/refund',
    access: 'admin',
    stepUp: true,
    summary: 'Sends an open item back to where it came from; if that fails it is open again.',
    params: id,
    body: seenItem,
    output: itemAnswer,
    refusals: [
      'suspense_not_found',
      'changed_since_seen',
      'suspense_decided',
      'payment_taken_back',
      'suspense_no_source',
      'member_on_hold',
      'idempotency_mismatch',
    ],
  }),
  paySuspense: endpoint({
    method: 'POST',
    path: '/admin/suspense/{id}/pay',
    access: 'admin',
    stepUp: true,
    summary: 'Notes that an open item of a closed account was paid to its owner by hand, from the bank.',
    params: id,
    body: z.strictObject({ ...seenItem.shape, bankReference }),
    output: itemAnswer,
    refusals: [
      'suspense_not_found',
      'changed_since_seen',
      'suspense_decided',
      'payment_taken_back',
      'suspense_by_wallet',
      'idempotency_mismatch',
    ],
  }),
  disputes: endpoint({
    method: 'GET',
    path: '/admin/disputes',
    access: 'admin',
    summary: "Disputes of payments, newest first; q looks in the member's name and mail, in dispute, order and payment.",
    query: z.object({ ...page.shape, status: disputeState.optional(), q: search }),
    output: z.object({ disputes: z.array(dispute), nextCursor }),
    refusals: [],
  }),
  cashfreePayoutsWebhook: endpoint({
    method: 'POST',
    path: '/webhooks/cashfree-payouts',
    access: 'signed',
    summary: "The payouts' events; stored raw, then the transfer is asked for at the gateway.",
    raw: true,
    output: z.object({ received: z.literal(true) }),
    refusals: ['webhook_signature', 'bad_json'],
  }),
} as const
