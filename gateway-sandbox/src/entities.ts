/** Converts orders, attempts and refunds to the JSON of the gateway's API and of its webhooks. */
import { indianTime } from './clock.ts'
import type { Attempt, AttemptStatus, Event, Order, Refund, RefundStatus } from './model.ts'
import type { Moved } from './orders.ts'

export const rupees = (paise: number): number => paise / 100

export const orderEntity = (order: Order): Record<string, unknown> => ({
  cf_order_id: order.cfOrderId,
  order_id: order.orderId,
  entity: 'order',
  order_currency: 'INR',
  order_amount: rupees(order.amountPaise),
  order_status: order.status,
  payment_session_id: order.sessionId,
  order_expiry_time: indianTime(order.expiresAtMs),
  order_note: order.note,
  created_at: indianTime(order.createdAtMs),
  order_splits: [],
  customer_details: { ...customerEntity(order), customer_uid: null },
  order_meta: { return_url: order.returnUrl, notify_url: order.notifyUrl, payment_methods: order.paymentMethods },
  order_tags: order.tags,
  terminal_data: null,
  cart_details: null,
})

const customerEntity = (order: Order): Record<string, string | null> => ({
  customer_id: order.customer.id,
  customer_name: order.customer.name,
  customer_email: order.customer.email,
  customer_phone: order.customer.phone,
})

const MESSAGES = {
  SUCCESS: '00::Transaction success',
  FAILED: 'Transaction failed',
  PENDING: 'Transaction is pending with the bank',
  NOT_ATTEMPTED: 'Transaction was not attempted',
  FLAGGED: 'Transaction is held for a check',
  VOID: 'Transaction was voided',
  CANCELLED: 'Transaction was cancelled',
  USER_DROPPED: 'User dropped and did not complete the two factor authentication',
} as const satisfies Record<AttemptStatus, string>

const ERRORS = {
  SUCCESS: null,
  PENDING: null,
  FAILED: {
    error_code: 'TRANSACTION_DECLINED',
    error_description: 'issuer bank or payment service provider declined the transaction',
    error_reason: 'auth_declined',
    error_source: 'customer',
  },
  USER_DROPPED: null,
  NOT_ATTEMPTED: null,
  FLAGGED: null,
  VOID: null,
  CANCELLED: null,
} as const satisfies Record<AttemptStatus, Record<string, string> | null>

const CARD = { channel: 'link', card_number: 'XXXXXXXXXXXX1111', card_network: 'visa', card_country: 'IN' }
/** The way of each attempt: the payer's, else UPI or the first one that the order allows. Its words beside UPI and cards are the order's. */
function wayOf({ paymentMethods }: Order, attempt: Attempt): { payment_group: string; payment_method: Record<string, unknown> } {
  const ways = paymentMethods?.split(',') ?? ['upi']
  const way = attempt.way ?? (ways.includes('upi') ? 'upi' : (ways[0] ?? 'upi'))
  if (way === 'upi')
    return { payment_group: 'upi', payment_method: { upi: attempt.upi ?? { channel: 'collect', upi_id: 'testsuccess@gocash' } } }
  if (way === 'cc' || way === 'dc')
    return {
      payment_group: way === 'cc' ? 'credit_card' : 'debit_card',
      payment_method: { card: { ...CARD, card_type: `${way === 'cc' ? 'credit' : 'debit'}_card` } },
    }
  if (way === 'nb') return { payment_group: 'net_banking', payment_method: { netbanking: { channel: 'link' } } }
  return { payment_group: way, payment_method: { [way]: { channel: 'link' } } }
}

function errorDetails(attempt: Attempt): Record<string, string> | null {
  const error = ERRORS[attempt.status]
  return error === null ? null : { ...error, ...(attempt.errorCode === null ? {} : { error_code: attempt.errorCode }) }
}

const bankReference = (attempt: Attempt): string | null => (attempt.status === 'SUCCESS' ? attempt.cfPaymentId.slice(-12) : null)

export function paymentEntity(order: Order, attempt: Attempt): Record<string, unknown> {
  const error = errorDetails(attempt)
  return {
    cf_payment_id: attempt.cfPaymentId,
    order_id: order.orderId,
    entity: 'payment',
    is_captured: attempt.status === 'SUCCESS',
    order_amount: rupees(order.amountPaise),
    order_currency: 'INR',
    payment_amount: rupees(attempt.amountPaise),
    payment_currency: 'INR',
    payment_status: attempt.status,
    payment_message: MESSAGES[attempt.status],
    payment_time: indianTime(attempt.startedAtMs),
    payment_completion_time: attempt.endedAtMs === null ? null : indianTime(attempt.endedAtMs),
    bank_reference: bankReference(attempt),
    auth_id: null,
    authorization: null,
    error_details: error === null ? null : { ...error, error_code_raw: null, error_description_raw: null, error_subcode_raw: null },
    ...wayOf(order, attempt),
    international_payment: { international: false },
    payment_surcharge: null,
  }
}

/**
 * Webhook type of each attempt status; undefined sends no webhook.
 *
 * - The gateway is reported to announce a pending payment under the success type, so a shop must read the status.
 * - The gateway publishes no type for the other states, so a shop must poll for them.
 */
const WEBHOOK_TYPES = {
  SUCCESS: 'PAYMENT_SUCCESS_WEBHOOK',
  PENDING: 'PAYMENT_SUCCESS_WEBHOOK',
  FAILED: 'PAYMENT_FAILED_WEBHOOK',
  USER_DROPPED: 'PAYMENT_USER_DROPPED_WEBHOOK',
  NOT_ATTEMPTED: undefined,
  FLAGGED: undefined,
  VOID: undefined,
  CANCELLED: undefined,
} as const satisfies Record<AttemptStatus, string | undefined>

/** Writes a number exactly as given. Node has it since 21; TypeScript's library does not declare it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown }

/** Webhooks write amounts with two decimals (`10.00`); JSON.stringify would write `10`. */
export const decimals = (paise: number): unknown => rawJSON((paise / 100).toFixed(2))

/** The webhook for an attempt, sent to the order's `notify_url`. */
export function paymentEvent({ order, attempt }: Moved, nowMs: number): Event | undefined {
  const type = WEBHOOK_TYPES[attempt.status]
  const { orderId, notifyUrl } = order
  if (type === undefined || notifyUrl === null) return undefined
  return { channel: 'pg', subject: `order:${orderId}`, type, url: notifyUrl, body: paymentBody(order, attempt, type, nowMs) }
}

/** The data of a payment, its order and its payer in webhooks. */
export const paymentData = (order: Order, attempt: Attempt): Record<string, unknown> => ({
  order: {
    order_id: order.orderId,
    order_amount: decimals(order.amountPaise),
    order_currency: 'INR',
    order_tags: Object.keys(order.tags).length === 0 ? null : order.tags,
  },
  payment: {
    cf_payment_id: attempt.cfPaymentId,
    payment_status: attempt.status,
    payment_amount: decimals(attempt.amountPaise),
    payment_currency: 'INR',
    payment_message: MESSAGES[attempt.status],
    payment_time: indianTime(attempt.startedAtMs),
    bank_reference: bankReference(attempt),
    auth_id: null,
    ...wayOf(order, attempt),
    international_payment: { international: false },
    payment_surcharge: null,
  },
  customer_details: customerEntity(order),
})

function paymentBody(order: Order, attempt: Attempt, type: string, nowMs: number): string {
  const error = errorDetails(attempt)
  return JSON.stringify({
    data: {
      ...paymentData(order, attempt),
      ...(error === null ? {} : { error_details: error }),
      payment_gateway_details: {
        gateway_name: 'CASHFREE',
        gateway_order_id: null,
        gateway_payment_id: null,
        gateway_status_code: null,
        gateway_order_reference_id: null,
        gateway_settlement: 'CASHFREE',
        gateway_reference_name: null,
      },
      payment_offers: null,
    },
    event_time: indianTime(nowMs),
    type,
  })
}

const REFUND_WORDS = {
  PENDING: 'Refund is pending',
  ONHOLD: 'Refund is on hold for want of balance',
  SUCCESS: 'Refund processed successfully',
  CANCELLED: 'Refund was cancelled',
  FAILED: 'Refund could not be processed by the bank',
} as const satisfies Record<RefundStatus, string>

const refundArn = (refund: Refund): string | null => (refund.status === 'SUCCESS' ? refund.cfRefundId.slice(-12) : null)

const refundShape = (refund: Refund, amountShown: unknown, idShown: (cfId: string) => unknown): Record<string, unknown> => ({
  cf_refund_id: idShown(refund.cfRefundId),
  cf_payment_id: idShown(refund.cfPaymentId),
  refund_id: refund.refundId,
  order_id: refund.orderId,
  entity: 'refund',
  refund_amount: amountShown,
  refund_currency: 'INR',
  refund_note: refund.note,
  refund_status: refund.status,
  refund_type: 'MERCHANT_INITIATED',
  refund_mode: refund.speed,
  refund_arn: refundArn(refund),
  refund_charge: 0,
  refund_splits: [],
  status_description: REFUND_WORDS[refund.status],
  metadata: null,
  created_at: indianTime(refund.createdAtMs),
  processed_at: refund.processedAtMs === null ? null : indianTime(refund.processedAtMs),
})

export const refundEntity = (refund: Refund): Record<string, unknown> => ({
  ...refundShape(refund, rupees(refund.amountPaise), String),
  refund_speed: {
    requested: refund.speed,
    accepted: refund.speed,
    processed: refund.status === 'SUCCESS' ? refund.speed : null,
    message: null,
  },
})

/** As in the gateway's samples: refund webhooks write the gateway's ids as numbers and carry the speeds as fields. */
export const refundEvent = (order: Order, refund: Refund, nowMs: number): Event | undefined =>
  order.notifyUrl === null
    ? undefined
    : {
        channel: 'pg',
        subject: `refund:${refund.refundId}`,
        type: 'REFUND_STATUS_WEBHOOK',
        url: order.notifyUrl,
        body: JSON.stringify({
          data: {
            refund: {
              ...refundShape(refund, decimals(refund.amountPaise), Number),
              requested_speed: refund.speed,
              processed_speed: refund.speed,
              service_charge: 0,
              service_tax: 0,
            },
          },
          event_time: indianTime(nowMs),
          type: 'REFUND_STATUS_WEBHOOK',
        }),
      }
