/** Administrators' calls of payments in suspense. */
import { bankReference } from '@roz/core/reference-fields.ts'
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { approvalAbove, decision, onHold, payee, search, SECOND_PERSON, seenFacts, suspect } from './payouts.ts'
import { READERS } from './roles.ts'
import { count, instant, newer, nextCursor, order, page, rupees, seen } from './shapes.ts'
import { withdrawal } from './wallet.ts'

/** States of the ledger, and `awaiting_second`: one of two persons has decided. */
const suspenseState = z.enum(['open', 'awaiting_second', 'credited', 'refunded', 'paid', 'taken'], 'choice_invalid')
/** Work that waits for the team, as the to-do list counts it for the caller. */
const suspenseFilter = z.enum([...suspenseState.options, 'to_decide'], 'choice_invalid')

/** The member to credit, who need not be the member of the row. */
const credited = z.object({
  ...payee.shape,
  memberFlags: newer(suspect.memberFlags, { absent: [] }),
  owed: newer(suspect.owed, { absent: 0 }),
})

export const suspenseItem = z.object({
  id: z.string(),
  order_id: z.string(),
  paymentId: z.string(),
  amount: rupees.meta({ description: 'In `currency`' }),
  currency: z.string().meta({ description: 'INR, or another currency from the gateway: then nobody is credited' }),
  reason: z.enum(['unknown_order', 'other_amount', 'second_payment', 'closed_account', 'no_wallet', 'other_currency']),
  onHold,
  source: z
    .enum(['payment', 'transfer', 'payout', 'refund', 'dispute'])
    .meta({ description: 'A payment, a bank transfer, or money of a closed account that was returned' }),
  status: suspenseState,
  createdAt: instant,
  waitingHours: count.nullable().meta({ description: 'Whole hours since it came, until it is decided' }),
  decidedAt: instant.nullable(),
  member: payee
    .nullable()
    .meta({ description: 'The member of the order, of the mandate or of the withdrawal, or the member who was credited' }),
  ...suspect,
  bank: withdrawal.shape.bank.nullable().meta({ description: 'The bank account of a payout that was returned' }),
  reference: z
    .string()
    .nullable()
    .meta({ description: "The bank's reference of a payment by hand; the reference of the chargeback or of the debt's payment, if taken" }),
  first: z
    .object({
      by: z.object({ id: z.string(), name: z.string() }),
      at: instant,
      payee: credited.nullable(),
      reference: z.string().nullable(),
    })
    .nullable()
    .meta({ description: 'The first of two voices: the member to credit, or the reference of the payment. Another person names the same' }),
  seen: newer(seenFacts),
})

/** Every decision contains the state that the administrator saw; another state is refused with `changed_since_seen`. */
const seenItem = z.strictObject({ status: suspenseState, seen })
const STALE_ITEM = ['suspense_not_found', 'changed_since_seen', 'suspense_decided', 'payment_taken_back'] as const
const itemAnswer = z.object({ item: suspenseItem })

export const suspenseCalls = {
  suspense: staffCall('GET /admin/suspense', {
    roles: READERS,
    summary: 'Payments in suspense, newest first or, by `order`, oldest first; q searches order and payment.',
    query: z.object({ ...page.shape, status: suspenseFilter.optional(), q: search, order }),
    output: z.object({ suspense: z.array(suspenseItem), approvalAbove, nextCursor }),
    refusals: [],
  }),
  suspenseCsv: tableCall('/admin/suspense.csv', 'The payments in suspense', {
    roles: READERS,
    stepUp: true,
    query: z.object({ status: suspenseFilter.optional(), q: search, order }),
  }),
  creditSuspense: staffCall('POST /admin/suspense/{id}/credit', {
    ...decision,
    summary:
      'Credits an open item to a member. Above the limit, or to another member than the item’s own, the first decision waits for a second person.',
    body: z.strictObject({ ...seenItem.shape, memberId: z.string('fill_all').min(1, 'fill_all').max(100, 'fill_all') }),
    output: itemAnswer,
    refusals: [...STALE_ITEM, 'member_not_found', ...SECOND_PERSON, 'suspense_other_currency', 'idempotency_mismatch'],
  }),
  refundSuspense: staffCall('POST /admin/suspense/{id}/refund', {
    ...decision,
    summary:
      'Refunds an open item to its payer; above the limit the refund waits for a second person. If the refund fails, the item is open again.',
    body: seenItem,
    output: itemAnswer,
    refusals: [...STALE_ITEM, 'suspense_no_source', 'member_on_hold', ...SECOND_PERSON, 'idempotency_mismatch'],
  }),
  paySuspense: staffCall('POST /admin/suspense/{id}/pay', {
    ...decision,
    summary:
      'Records that an open item of a closed account was paid to its owner by hand, from the bank. Above the limit a second person confirms it.',
    body: z.strictObject({ ...seenItem.shape, bankReference }),
    output: itemAnswer,
    refusals: [...STALE_ITEM, 'suspense_by_wallet', ...SECOND_PERSON, 'idempotency_mismatch'],
  }),
} as const
