/** Validates the bodies of new plans and new subscriptions. The answer names the first fault only. */
import { absent, amount, type Fields, instant, isFields, oneOf, optional, required, tags, text, url } from '../fields.ts'
import { badBody, invalid, missing, noPlan } from '../refusals.ts'
import type { Store } from '../store.ts'
import type { Plan, Subscription } from './model.ts'

const MIN_PAISE = 100
const MAX_PAISE = 100_000_000
const SESSION_MS = 2 * 3_600_000
/** The validity of a mandate that names none. */
const YEARS = 10
const YEAR_MS = 365 * 86_400_000

const PLAN_ID = /^[A-Za-z0-9._-]+$/
const WORDS = 'should be alphanumeric and may contain dot, hyphen or underscore'

function count(value: unknown, field: string): number | null {
  if (absent(value)) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw invalid(field, 'should be a whole number', value)
  return value
}

export function readNewPlan(body: unknown): Plan {
  if (!isFields(body)) throw badBody()
  return planOf(body, '', required(body.plan_id, 'plan_id', 1, 40, PLAN_ID, WORDS))
}

/** `within` is the path of the fields in the body, with its dot. */
function planOf(body: Fields, within: string, planId: string): Plan {
  const name = required(body.plan_name, `${within}plan_name`, 1, 40, /^/, '')
  const type = oneOf(body.plan_type, `${within}plan_type`, ['PERIODIC', 'ON_DEMAND'])
  const maxAmountPaise = amount(body.plan_max_amount, `${within}plan_max_amount`, MIN_PAISE, MAX_PAISE)
  if (!absent(body.plan_currency) && body.plan_currency !== 'INR')
    throw invalid(`${within}plan_currency`, 'should be INR', body.plan_currency)
  const isPeriodic = type === 'PERIODIC'
  const recurring = body.plan_recurring_amount ?? body.plan_amount
  return {
    planId,
    name,
    type,
    maxAmountPaise,
    recurringAmountPaise: isPeriodic ? amount(recurring, `${within}plan_recurring_amount`, MIN_PAISE, maxAmountPaise) : null,
    maxCycles: count(body.plan_max_cycles, `${within}plan_max_cycles`),
    intervals: isPeriodic ? (count(body.plan_intervals, `${within}plan_intervals`) ?? 1) : null,
    intervalType: isPeriodic ? oneOf(body.plan_interval_type, `${within}plan_interval_type`, ['DAY', 'WEEK', 'MONTH', 'YEAR']) : null,
    note: optional(body.plan_note, `${within}plan_note`, 1, 250),
  }
}

export type NewSubscription = Pick<
  Subscription,
  | 'subscriptionId'
  | 'plan'
  | 'customer'
  | 'authAmountPaise'
  | 'refundsAuth'
  | 'paymentMethods'
  | 'returnUrl'
  | 'sessionExpiresAtMs'
  | 'expiresAtMs'
  | 'tags'
>

export function readNewSubscription(store: Store, body: unknown, nowMs: number): NewSubscription {
  if (!isFields(body)) throw badBody()
  const subscriptionId = required(
    body.subscription_id,
    'subscription_id',
    1,
    250,
    /^[A-Za-z0-9 _.-]+$/,
    'should be alphanumeric and may contain underscore, dot, hyphen and space',
  )
  const customer = readCustomer(body.customer_details)
  const plan = readPlan(store, subscriptionId, body.plan_details)
  const auth = body.authorization_details ?? body.authorisation_details ?? {}
  if (!isFields(auth)) throw invalid('authorization_details', 'should be an object', auth)
  const meta = body.subscription_meta ?? {}
  if (!isFields(meta)) throw invalid('subscription_meta', 'should be an object', meta)
  if (!absent(body.subscription_first_charge_time)) throw invalid('subscription_first_charge_time', 'is for PERIODIC plans only', '')
  return {
    subscriptionId,
    customer,
    plan,
    ...readAuthorization(auth),
    returnUrl: url(meta.return_url, 'subscription_meta.return_url'),
    sessionExpiresAtMs: future(meta.session_id_expiry, 'subscription_meta.session_id_expiry', nowMs, nowMs + SESSION_MS),
    expiresAtMs: future(body.subscription_expiry_time, 'subscription_expiry_time', nowMs, nowMs + YEARS * YEAR_MS),
    tags: tags(body.subscription_tags, 'subscription_tags', 10),
  }
}

function future(value: unknown, field: string, nowMs: number, otherwise: number): number {
  if (absent(value)) return otherwise
  const atMs = instant(value, field)
  if (atMs <= nowMs) throw invalid(field, 'should be in the future', value)
  return atMs
}

function readCustomer(value: unknown): Subscription['customer'] {
  if (absent(value)) throw missing('customer_details')
  if (!isFields(value)) throw invalid('customer_details', 'should be an object', value)
  const field = 'customer_details.customer'
  return {
    email: required(value.customer_email, `${field}_email`, 3, 100, /^[^@\s]+@[^@\s]+$/, 'should be an email address'),
    phone: required(value.customer_phone, `${field}_phone`, 10, 10, /^\d{10}$/, 'should be a 10 digit phone number'),
    name: optional(value.customer_name, `${field}_name`, 1, 100),
  }
}

/** A plan by its id, or a plan that the subscription defines, under the subscription's id. */
function readPlan(store: Store, subscriptionId: string, value: unknown): Plan {
  if (absent(value)) throw missing('plan_details')
  if (!isFields(value)) throw invalid('plan_details', 'should be an object', value)
  let plan: Plan | undefined
  if (absent(value.plan_id)) plan = planOf(value, 'plan_details.', subscriptionId)
  else plan = store.plans.get(text(value.plan_id, 'plan_details.plan_id', 1, 40, PLAN_ID, WORDS))
  if (plan === undefined) throw noPlan()
  if (plan.type !== 'ON_DEMAND') throw invalid('plan_details.plan_type', 'should be ON_DEMAND: this sandbox plays no other', plan.type)
  return plan
}

function readAuthorization(auth: Fields): Pick<Subscription, 'authAmountPaise' | 'refundsAuth' | 'paymentMethods'> {
  const field = 'authorization_details'
  const asked = absent(auth.authorization_amount) ? 0 : amount(auth.authorization_amount, `${field}.authorization_amount`, 0, MAX_PAISE)
  const refunds = auth.authorization_amount_refund ?? false
  if (typeof refunds !== 'boolean') throw invalid(`${field}.authorization_amount_refund`, 'should be true or false', refunds)
  const methods = auth.payment_methods ?? ['upi']
  if (!Array.isArray(methods) || methods.some((one) => one !== 'upi'))
    throw invalid(`${field}.payment_methods`, 'should be ["upi"]: this sandbox plays no other', methods)
  // UPI has no debit of nothing: 0 becomes ₹1.
  return { authAmountPaise: Math.max(asked, MIN_PAISE), refundsAuth: refunds, paymentMethods: methods as string[] }
}
