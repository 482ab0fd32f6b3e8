/** Calls of the wallet: adding money, verifying an order, withdrawing, the list of transactions. */
import { rupeeAmount, ticketKey } from '@roz/core/fields.ts'
import { accountHolderName, accountNumber, accountType, bankName, ifscCode, upiId } from '@roz/core/bank-fields.ts'
import { phone } from '@roz/core/person-fields.ts'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { day, instant, newer, nextCursor, page, rupees } from './shapes.ts'

export const checkout = z.object({ mode: z.enum(['sandbox', 'production']), script_url: z.string() })
export const orderStatus = z.enum(['PAID', 'PENDING', 'FAILED', 'EXPIRED', 'TERMINATED'])

const nameMatch = z.enum(['match', 'no_match', 'no_such_id', 'unknown']).nullable().meta({
  description:
    'Whether the bank says that the UPI ID has the name that was given; no_such_id: it does not know the UPI ID, unknown: nothing could be learned. null: not checked',
})

export const withdrawal = z.object({
  id: z.string(),
  amount: rupees,
  status: z.enum(['pending', 'processing', 'completed', 'rejected', 'failed']),
  createdAt: instant,
  bank: z.object({
    name: z.string().meta({ description: 'The name of the bank, or UPI' }),
    lastFour: z.string().meta({ description: 'The last four digits of the account number, or the masked UPI ID' }),
    upi: newer(z.string().nullable().meta({ description: 'The masked UPI ID, if the money goes to one' }), { absent: null }),
    nameMatch: newer(nameMatch, { absent: null }),
  }),
  reference: z.string().nullable(),
  reason: z.string().nullable(),
})

export const transaction = z.object({
  id: z.string(),
  type: z.enum(['credit', 'debit']),
  description: z.string(),
  createdAt: instant,
  amount: rupees,
  status: z.string(),
  reason: newer(z.string().nullable().meta({ description: 'The reason why a withdrawal or refund was rejected' }), { absent: null }),
  nameMatch: newer(nameMatch, { absent: null }),
})

/** One transaction for a printed receipt: texts in the requested language, a bank account by its last four digits. */
export const transactionReceipt = z.object({
  ...transaction.shape,
  /** Number of the receipt: the wallet and the place of the transaction in it, or the order. */
  number: z.string(),
  from: z.string(),
  to: z.string(),
  /** Null if no money has moved. */
  balanceAfter: rupees.nullable(),
  orderId: z.string().nullable(),
  /** The reference of the gateway or the bank. */
  reference: z.string().nullable(),
  /** The day of its round. */
  day: day.nullable(),
})

/** A missing account is refused with the problem of its first field. */
export const bankDetail = z.strictObject({ accountHolderName, accountNumber, ifscCode, bankName, accountType }, 'holder_required')
/** A UPI ID in place of a bank account. */
export const upiDetail = z.strictObject({ accountHolderName, upiId }, 'holder_required')

/** The destination of a withdrawal: a bank account or a UPI ID. */
export const placeOfMoney = {
  bankDetail: bankDetail.optional(),
  upiDetail: upiDetail.optional(),
  nameCheck: z
    .boolean('wrong_type')
    .optional()
    .meta({ description: 'The member agrees that the bank is asked, by a rupee, whether the UPI ID has this name' }),
}

/** Why no order to add money is made, whatever the way to pay. */
export const ORDER_REFUSALS = [
  'other_way_to_pay',
  'forbidden',
  'on_hold',
  'topups_paused',
  'gateway_unavailable',
  'idempotency_mismatch',
  'ticket_key_taken',
  'overloaded',
  'too_many_requests',
] as const

export const walletCalls = {
  checkout: endpoint('GET /wallet/checkout', {
    access: 'member',
    summary: "The address of the gateway's script for the browser.",
    output: checkout,
    refusals: ['other_way_to_pay'],
  }),
  addMoney: endpoint('POST /wallet/add', {
    access: 'verified',
    summary: 'Creates an order at the gateway; the wallet is credited when the gateway reports the payment.',
    body: z.strictObject({ amount: rupeeAmount, phoneNumber: phone, ticketKey: z.optional(ticketKey) }),
    output: z.object({ payment_session_id: z.string(), order_id: newer(z.string()), checkout: newer(checkout) }),
    refusals: ORDER_REFUSALS,
  }),
  verifyOrder: endpoint('GET /wallet/verify/{orderId}', {
    access: 'member',
    summary: "Asks the gateway about one of the member's orders and credits it if it is paid.",
    params: z.object({ orderId: z.string().max(100) }),
    output: z.object({ balance: rupees, status: newer(orderStatus) }),
    refusals: ['order_not_found'],
  }),
  confirmPayment: endpoint('POST /payments/confirm', {
    access: 'visitor',
    summary: 'The status of an order, for the return page; names nobody.',
    body: z.strictObject({ order_id: z.string('fill_all').min(1, 'fill_all').max(100, 'fill_all') }),
    output: z.object({
      // An answer without it has a message of its own: No payment data received.
      data: newer(
        z.object({
          success: z.boolean(),
          orderUserDetails: newer(z.object({ order_id: z.string(), order_amount: rupees, order_status: orderStatus })),
        }),
      ),
    }),
    refusals: ['order_not_found'],
  }),
  withdraw: endpoint('POST /wallet/withdraw', {
    access: 'verified',
    summary: 'Requests a withdrawal to a bank account or to a UPI ID; the amount is held at once.',
    body: z.strictObject({ amount: rupeeAmount, ...placeOfMoney }),
    output: z.object({ balance: rupees, withdrawal: newer(withdrawal) }),
    refusals: ['on_hold', 'withdrawals_paused', 'insufficient_funds', 'idempotency_mismatch', 'overloaded'],
  }),
  withdrawals: endpoint('GET /wallet/withdrawals', {
    access: 'member',
    summary: "The member's withdrawals, newest first.",
    query: page,
    output: z.object({ withdrawals: z.array(withdrawal), nextCursor }),
    refusals: [],
  }),
  transactions: endpoint('GET /wallet/transactions', {
    access: 'member',
    summary: 'All transactions that changed the wallet or may still change it, newest first.',
    query: page,
    output: z.object({ transactions: z.array(transaction), nextCursor }),
    refusals: [],
  }),
  receipt: endpoint('GET /wallet/transactions/{id}', {
    access: 'member',
    summary: "One of the member's own transactions, for a printed receipt.",
    params: z.object({ id: z.string().max(100) }),
    output: z.object({ receipt: transactionReceipt }),
    refusals: ['transaction_not_found'],
  }),
  paymentWebhook: endpoint('POST /webhooks/cashfree', {
    access: 'signed',
    summary: 'Events of payments; the event is stored, then the order is fetched from the gateway.',
    raw: true,
    output: z.object({ received: z.literal(true) }),
    refusals: ['webhook_signature', 'bad_json'],
  }),
} as const
