/**
 * Validates the body of a new order.
 *
 * - Refusals carry the gateway's codes: `<field>_missing`, `<field>_invalid`.
 * - The answer names the first fault only, as the gateway's does.
 */
import { absent, amount, isFields, optional, text } from './fields.ts'
import type { Customer } from './model.ts'
import { badBody, badExpiry, invalid, missing } from './refusals.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MIN_AMOUNT_PAISE = 100
const MAX_AMOUNT_PAISE = 100_000_000

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
    paymentMethods: optional(meta.payment_methods, 'order_meta.payment_methods', 2, 250, /^[a-z]+(,[a-z]+)*$/),
    expiresAtMs: expiry(body.order_expiry_time, nowMs),
    note: optional(body.order_note, 'order_note', 3, 200),
    tags: readTags(body.order_tags),
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

/** Accepts plain http, which the real gateway refuses: a shop on localhost has no TLS. */
function url(value: unknown, field: string): string | null {
  if (absent(value)) return null
  const address = text(value, field, 1, 250, /^https?:\/\/[\x21-\x7e]+$/, 'should be a url')
  if (!URL.canParse(address)) throw invalid(field, 'should be a url', value)
  return address
}

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/

function expiry(value: unknown, nowMs: number): number {
  if (absent(value)) return nowMs + 30 * DAY_MS
  const atMs = typeof value === 'string' && ISO_INSTANT.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(atMs)) {
    throw invalid(
      'order_expiry_time',
      'time should be ISO8601 string. Example 2021-07-02T10:20:12+05:30 for IST, 2021-07-02T10:20:12Z for UTC',
      value,
    )
  }
  if (atMs <= nowMs + 15 * MINUTE_MS || atMs >= nowMs + 30 * DAY_MS) throw badExpiry()
  return atMs
}

function readTags(value: unknown): Readonly<Record<string, string>> {
  if (absent(value)) return {}
  if (!isFields(value)) throw invalid('order_tags', 'should be an object', value)
  const entries = Object.entries(value)
  if (entries.length > 15) throw invalid('order_tags', 'should have at most 15 entries', entries.length)
  return Object.fromEntries(entries.map(([key, tag]) => [key, text(tag, `order_tags.${key}`, 1, 255, /^/, '')]))
}
