/**
 * Validates the body of a new order.
 *
 * - Refusals carry the gateway's codes: `<field>_missing`, `<field>_invalid`.
 * - The answer names the first fault only, as the gateway's does.
 */
import { absent, amount, instant, isFields, optional, tags, text, url } from './fields.ts'
import type { Customer } from './model.ts'
import { badBody, badExpiry, invalid, missing } from './refusals.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MIN_AMOUNT_PAISE = 100
const MAX_AMOUNT_PAISE = 100_000_000

/** The gateway's words, comma-separated. */
const METHOD = 'upi|cc|dc|nb|app|ccc|ppc|paypal|paylater|cardlessemi|dcemi|ccemi|banktransfer'
const METHODS = new RegExp(`^(?:${METHOD})(?:,(?:${METHOD}))*$`)

export type NewOrder = {
  readonly orderId: string | undefined
  readonly amountPaise: number
  readonly expiresAtMs: number
  readonly customer: Customer
  readonly returnUrl: string | null
  readonly notifyUrl: string | null
  readonly paymentMethods: string | null
  readonly note: string | null
  readonly tags: Readonly<Record<string, string>>
}

export function readNewOrder(body: unknown, nowMs: number): NewOrder {
  if (!isFields(body)) throw badBody()
  const orderId = absent(body.order_id)
    ? undefined
    : text(body.order_id, 'order_id', 3, 45, /^[A-Za-z0-9_-]+$/, 'should be alphanumeric and may contain hyphen or underscore')
  const amountPaise = amount(body.order_amount, 'order_amount', MIN_AMOUNT_PAISE, MAX_AMOUNT_PAISE)
  if (absent(body.order_currency)) throw missing('order_currency')
  if (body.order_currency !== 'INR') throw invalid('order_currency', 'should be INR', body.order_currency)
  const customer = readCustomer(body.customer_details)
  const meta = body.order_meta ?? {}
  if (!isFields(meta)) throw invalid('order_meta', 'should be an object', meta)
  return {
    orderId,
    amountPaise,
    customer,
    returnUrl: url(meta.return_url, 'order_meta.return_url'),
    notifyUrl: url(meta.notify_url, 'order_meta.notify_url'),
    paymentMethods: optional(meta.payment_methods, 'order_meta.payment_methods', 2, 250, METHODS),
    expiresAtMs: expiry(body.order_expiry_time, nowMs),
    note: optional(body.order_note, 'order_note', 3, 200),
    tags: tags(body.order_tags, 'order_tags', 15),
  }
}

function readCustomer(value: unknown): Customer {
  if (absent(value)) throw missing('customer_details')
  if (!isFields(value)) throw invalid('customer_details', 'should be an object', value)
  if (absent(value.customer_id)) throw missing('customer_details.customer_id')
  if (absent(value.customer_phone)) throw missing('customer_details.customer_phone')
  return {
    id: text(value.customer_id, 'customer_details.customer_id', 3, 50, /^[A-Za-z0-9]+$/, 'should be alphanumeric'),
    phone: text(value.customer_phone, 'customer_details.customer_phone', 10, 10, /^\d{10}$/, 'should be a 10 digit phone number'),
    email: optional(value.customer_email, 'customer_details.customer_email', 3, 100, /^[^@\s]+@[^@\s]+$/),
    name: optional(value.customer_name, 'customer_details.customer_name', 3, 100),
  }
}

function expiry(value: unknown, nowMs: number): number {
  if (absent(value)) return nowMs + 30 * DAY_MS
  const atMs = instant(value, 'order_expiry_time')
  if (atMs <= nowMs + 15 * MINUTE_MS || atMs >= nowMs + 30 * DAY_MS) throw badExpiry()
  return atMs
}
