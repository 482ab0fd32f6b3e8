/** How orders and attempts look on the wire: the shapes of the gateway's API and of its webhooks. */
import { indianTime } from './clock.ts'
import type { Attempt, AttemptStatus, Order } from './model.ts'

const rupees = (paise: number): number => paise / 100

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
} as const satisfies Record<AttemptStatus, Record<string, string> | null>

const METHOD = { upi: { channel: 'collect', upi_id: 'testsuccess@gocash' } }

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
    payment_group: 'upi',
    payment_status: attempt.status,
    payment_message: MESSAGES[attempt.status],
    payment_time: indianTime(attempt.startedAtMs),
    payment_completion_time: attempt.endedAtMs === null ? null : indianTime(attempt.endedAtMs),
    bank_reference: bankReference(attempt),
    auth_id: null,
    authorization: null,
    error_details: error === null ? null : { ...error, error_code_raw: null, error_description_raw: null, error_subcode_raw: null },
    payment_method: METHOD,
    international_payment: { international: false },
    payment_surcharge: null,
  }
}

/** The gateway is reported to announce a pending payment under the success type as well: a shop has to read the status. */
export const WEBHOOK_TYPES = {
  SUCCESS: 'PAYMENT_SUCCESS_WEBHOOK',
  PENDING: 'PAYMENT_SUCCESS_WEBHOOK',
  FAILED: 'PAYMENT_FAILED_WEBHOOK',
  USER_DROPPED: 'PAYMENT_USER_DROPPED_WEBHOOK',
} as const satisfies Record<AttemptStatus, string>

/** Prints the very text it is given. Node has it since 21; the compiler's library does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(this: void, text: string): unknown }

/** Webhooks write amounts with two decimals (`10.00`), which no ordinary JSON number keeps. */
const decimals = (paise: number): unknown => rawJSON((paise / 100).toFixed(2))

/** The exact text of a webhook. */
export function webhookBody(order: Order, attempt: Attempt, nowMs: number): string {
  const error = errorDetails(attempt)
  return JSON.stringify({
    data: {
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
        payment_method: METHOD,
        payment_group: 'upi',
        international_payment: { international: false },
        payment_surcharge: null,
      },
      customer_details: customerEntity(order),
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
    type: WEBHOOK_TYPES[attempt.status],
  })
}
