/**
 * The body of a new order, judged field by field with the gateway's own codes (`<field>_missing`,
 * `<field>_invalid`). The first fault found is answered, as the gateway does.
 */
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

type Fields = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const absent = (value: unknown): value is undefined | null => value === undefined || value === null || value === ''

export function readNewOrder(body: unknown, nowMs: number): NewOrder {
  if (!isFields(body)) throw badBody()
  const orderId = absent(body.order_id)
    ? undefined
    : text(body.order_id, 'order_id', 3, 45, /^[A-Za-z0-9_-]+$/, 'should be alphanumeric and may contain hyphen or underscore')
  const amountPaise = amount(body.order_amount)
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

function text(value: unknown, field: string, min: number, max: number, pattern: RegExp, rule: string): string {
  if (typeof value !== 'string') throw invalid(field, 'should be a string', value)
  if (value.length < min || value.length > max) throw invalid(field, `should have ${min} to ${max} characters`, value)
  if (!pattern.test(value)) throw invalid(field, rule, value)
  return value
}

const optional = (value: unknown, field: string, min: number, max: number, pattern = /^/): string | null =>
  absent(value) ? null : text(value, field, min, max, pattern, 'invalid value')

/** By the number's shortest decimal text: multiplying by a hundred would turn 19.99 into 1998.9999999999998. */
function amount(value: unknown): number {
  if (absent(value)) throw missing('order_amount')
  const match = typeof value === 'number' ? /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(String(value)) : null
  if (match === null) throw invalid('order_amount', 'should be a number with at most two decimals', value)
  const paise = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  if (paise < MIN_AMOUNT_PAISE) throw invalid('order_amount', 'should be at least 1', value)
  if (paise > MAX_AMOUNT_PAISE) throw invalid('order_amount', 'should be at most 1000000', value)
  return paise
}

/** Plain http is taken here, unlike by the gateway itself: a shop on localhost has nothing else. */
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
