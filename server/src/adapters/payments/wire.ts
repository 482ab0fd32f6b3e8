/** Parsers of Cashfree's JSON of orders, payments, refunds and disputes. They read only the fields that we use. */
import { CURRENCY } from '@roz/core/money.ts'
import { z } from 'zod'
import { amount, currency, unlisted, wireId, wireInstant, words } from '../cashfree/fields.ts'
import type { Dispute, OrderStatus, Payment, PaymentStatus, Refund, RefundState } from './port.ts'

export const wireOrder = z.object({
  order_id: z.string(),
  order_amount: amount,
  order_currency: currency,
  order_status: z.string(),
  payment_session_id: z.string().min(1),
})
export type WireOrder = z.output<typeof wireOrder>

const wirePayment = z.object({
  cf_payment_id: wireId,
  order_id: z.string(),
  payment_status: z.string(),
  order_amount: amount,
  order_currency: currency,
  payment_amount: amount,
  payment_currency: currency,
  payment_group: z.string().nullish(),
  payment_message: z.string().nullish(),
  bank_reference: z.string().nullish(),
  payment_time: wireInstant.nullish(),
})
export const wirePayments = z.array(wirePayment)

export const wireRefund = z.object({
  refund_id: z.string().min(1),
  order_id: z.string().min(1),
  refund_amount: amount,
  refund_currency: currency,
  refund_status: z.string(),
  status_description: words,
  cf_payment_id: wireId.nullish(),
  refund_arn: words,
})

export const wireDispute = z.object({
  dispute_id: wireId,
  dispute_type: z.string(),
  dispute_status: z.string(),
  dispute_amount: amount,
  dispute_amount_currency: currency,
  respond_by: wireInstant.nullish(),
  updated_at: wireInstant.nullish(),
  order_details: z.object({ order_id: z.string().min(1), cf_payment_id: wireId }),
})
export const wireDisputes = z.array(z.object({ dispute_id: wireId }))

export const wireEvent = z.object({ type: z.string(), data: z.unknown().optional() })
export const wirePaymentEvent = z.object({
  order: z.object({ order_id: z.string().min(1) }),
  payment: z.object({ cf_payment_id: wireId.nullish() }).nullish(),
})
export const wireRefundEvent = z.object({ refund: z.object({ order_id: z.string().min(1), refund_id: z.string().min(1) }) })

export const wireDisputeEvent = z.object({
  dispute: z.object({ dispute_id: wireId }),
  order_details: z.object({ order_id: z.string().min(1) }),
})

const PAYMENT_STATUSES = {
  SUCCESS: 'SUCCESS',
  NOT_ATTEMPTED: 'NOT_ATTEMPTED',
  FAILED: 'FAILED',
  USER_DROPPED: 'USER_DROPPED',
  VOID: 'VOID',
  CANCELLED: 'CANCELLED',
  PENDING: 'PENDING',
  FLAGGED: 'FLAGGED',
  UNKNOWN: 'UNKNOWN',
} as const satisfies { readonly [S in PaymentStatus]: S }

const isPaymentStatus = (word: string): word is PaymentStatus => Object.hasOwn(PAYMENT_STATUSES, word)

/** Sorts attempts oldest first: by time, and within one second by the gateway's rising ids. */
export function readPayments(wire: z.output<typeof wirePayments>): Payment[] {
  const payments = wire.map(
    (one): Payment => ({
      paymentId: one.cf_payment_id,
      status: isPaymentStatus(one.payment_status) ? one.payment_status : 'UNKNOWN',
      orderAmount: one.order_amount,
      paymentAmount: one.payment_amount,
      currency: [one.order_currency, one.payment_currency].find((code) => code !== CURRENCY) ?? CURRENCY,
      group: one.payment_group ?? undefined,
      message: one.payment_message ?? undefined,
      bankReference: one.bank_reference ?? undefined,
      paidAtMs: one.payment_time ?? undefined,
    }),
  )
  return payments.sort((a, b) => (a.paidAtMs ?? 0) - (b.paidAtMs ?? 0) || compareIds(a.paymentId, b.paymentId))
}

/** Compares decimal ids by length first: as text, 9 would follow 10. */
const compareIds = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

type AfterNewest = Extract<OrderStatus, 'PENDING' | 'FAILED'>

/** State of an unpaid order by its newest attempt. An attempt that may still succeed is pending. */
const UNPAID_BY_NEWEST = {
  SUCCESS: 'PENDING',
  NOT_ATTEMPTED: 'PENDING',
  FAILED: 'FAILED',
  USER_DROPPED: 'FAILED',
  VOID: 'PENDING',
  CANCELLED: 'FAILED',
  PENDING: 'PENDING',
  FLAGGED: 'PENDING',
  UNKNOWN: 'PENDING',
} as const satisfies Record<PaymentStatus, AfterNewest>

/**
 * State of an order from its own status and its attempts (oldest first). An order is PAID only if its status is PAID and
 * one attempt is SUCCESS: if only one of the two has arrived, the other is still to come.
 */
export function orderStatusOf(word: string, payments: readonly Payment[]): OrderStatus {
  const newest = payments.at(-1)
  switch (word) {
    case 'PAID':
      return payments.some((payment) => payment.status === 'SUCCESS') ? 'PAID' : 'PENDING'
    case 'ACTIVE':
      return newest === undefined ? 'PENDING' : UNPAID_BY_NEWEST[newest.status]
    case 'EXPIRED':
    case 'TERMINATED':
      return word
    default:
      return 'PENDING'
  }
}

const ORDER_WORDS: ReadonlySet<string> = new Set(['ACTIVE', 'PAID', 'EXPIRED', 'TERMINATED', 'TERMINATION_REQUESTED'])
export const strangeWordsOf = (word: string, payments: z.output<typeof wirePayments>): readonly string[] | undefined =>
  unlisted([[word], ORDER_WORDS], [payments.map((payment) => payment.payment_status), { has: isPaymentStatus }])

const REFUND_STATES: ReadonlyMap<string, RefundState> = new Map([
  ['SUCCESS', 'paid'],
  ['CANCELLED', 'failed'],
  ['FAILED', 'failed'],
  ['PENDING', 'pending'],
  ['ONHOLD', 'pending'],
])

/** On hold, pending, and any word that the gateway's documents do not list, can still change, so they are pending. */
export const refundStateOf = (word: string): RefundState => REFUND_STATES.get(word) ?? 'pending'

export const readRefund = (wire: z.output<typeof wireRefund>): Refund => ({
  refundId: wire.refund_id,
  orderId: wire.order_id,
  state: refundStateOf(wire.refund_status),
  status: wire.refund_status,
  strangeWords: unlisted([[wire.refund_status], REFUND_STATES]),
  description: wire.status_description,
  amount: wire.refund_amount,
  currency: wire.refund_currency,
  paymentId: wire.cf_payment_id ?? undefined,
  bankReference: wire.refund_arn,
})

const DISPUTE_STATUS =
  /^(?:(RETRIEVAL|DISPUTE|CHARGEBACK|PRE_ARBITRATION|ARBITRATION)_)?(CREATED|DOCS_RECEIVED|UNDER_REVIEW|MERCHANT_WON|MERCHANT_LOST|MERCHANT_ACCEPTED|INSUFFICIENT_EVIDENCE)$/
/** Stages in which the payer's bank takes the money before the decision. */
const TAKEN_AT_ONCE: ReadonlySet<string> = new Set(['CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'])

/**
 * State of a dispute, and whether the money is taken.
 * - A retrieval only asks for documents. Whether a lost one took the money, only a settlement says.
 * - A dispute takes the money when it is lost.
 * - A chargeback and the stages after it take the money at once. A won dispute returns it.
 * - A status that the gateway's documents do not list says nothing about the money.
 */
function disputeStateOf(type: string, status: string): Pick<Dispute, 'state' | 'isTaken'> {
  const [, named, step] = DISPUTE_STATUS.exec(status) ?? []
  const stage = named ?? type
  if (step === undefined) return { state: 'open', isTaken: undefined }
  if (step === 'MERCHANT_WON') return { state: 'won', isTaken: false }
  if (step === 'CREATED' || step === 'DOCS_RECEIVED' || step === 'UNDER_REVIEW') return { state: 'open', isTaken: TAKEN_AT_ONCE.has(stage) }
  return { state: 'lost', isTaken: stage === 'RETRIEVAL' ? undefined : true }
}

export const readDispute = (wire: z.output<typeof wireDispute>): Dispute => ({
  disputeId: wire.dispute_id,
  orderId: wire.order_details.order_id,
  paymentId: wire.order_details.cf_payment_id,
  amount: wire.dispute_amount,
  currency: wire.dispute_amount_currency,
  type: wire.dispute_type,
  status: wire.dispute_status,
  strangeWords: DISPUTE_STATUS.test(wire.dispute_status) ? undefined : [wire.dispute_status],
  ...disputeStateOf(wire.dispute_type, wire.dispute_status),
  respondByMs: wire.respond_by ?? undefined,
  toldAtMs: wire.updated_at ?? undefined,
})
