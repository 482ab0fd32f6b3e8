/** Parsers of Cashfree's JSON of subscriptions (here: mandates) and their payments. They read only the fields that we use. */
import type { MandateStatus } from '@roz/core/autopay.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import { maskUpiId } from '@roz/core/upi-id.ts'
import { z } from 'zod'
import { amount, currency, unlisted, wireId, words } from '../cashfree/fields.ts'
import type { ChargeState, Mandate, MandateCharge } from './port.ts'
import { refundStateOf } from '../payments/wire.ts'
import type { Refund } from '../payments/port.ts'

/** An id; empty and absent are undefined. */
const maybeId = z
  .union([z.string(), z.int().transform(String)])
  .nullish()
  .transform((text) => (text === '' ? undefined : (text ?? undefined)))

const authorization = z.object({ payment_method: z.unknown() }).nullish()

export const wireMandate = z.object({
  subscription_id: z.string().min(1),
  subscription_status: z.string(),
  subscription_session_id: words,
  plan_details: z.object({ plan_max_amount: amount }).nullish(),
  // The gateway's documents spell it both ways.
  authorization_details: authorization,
  authorisation_details: authorization,
})
export type WireMandate = z.output<typeof wireMandate>

export const wireCharge = z.object({
  payment_id: wireId,
  subscription_id: words,
  payment_type: z.string(),
  payment_amount: amount,
  payment_currency: currency,
  payment_status: z.string(),
  cf_payment_id: maybeId,
  cf_txn_id: maybeId,
  cf_order_id: maybeId,
  payment_schedule_date: words,
  failure_details: z.object({ failure_reason: words }).nullish(),
})
type WireCharge = z.output<typeof wireCharge>
export const wireCharges = z.array(wireCharge)

export const wireMandateRefund = z.object({
  refund_id: z.string().min(1),
  refund_amount: amount,
  refund_currency: words,
  refund_status: z.string(),
  cf_payment_id: maybeId,
  failure_details: z.object({ failure_reason: words }).nullish(),
})

export const wireMandateEvent = z.object({
  subscription_id: words,
  subscription_details: z.object({ subscription_id: words }).nullish(),
})

const STATUSES: ReadonlyMap<string, MandateStatus> = new Map([
  ['INITIALIZED', 'INITIALIZED'],
  ['INITIALISED', 'INITIALIZED'],
  ['BANK_APPROVAL_PENDING', 'BANK_APPROVAL_PENDING'],
  ['ACTIVE', 'ACTIVE'],
  ['CUSTOMER_PAUSED', 'CUSTOMER_PAUSED'],
  ['CUSTOMER_CANCELLED', 'CUSTOMER_CANCELLED'],
  ['CANCELLED', 'CANCELLED'],
  ['COMPLETED', 'COMPLETED'],
  ['EXPIRED', 'EXPIRED'],
  ['LINK_EXPIRED', 'EXPIRED'],
])
export const mandateStatusOf = (word: string): MandateStatus => STATUSES.get(word) ?? 'UNKNOWN'

const CHARGE_STATES: ReadonlyMap<string, ChargeState> = new Map([
  ['INITIALIZED', 'initialized'],
  ['INITIALISED', 'initialized'],
  ['PENDING', 'pending'],
  ['SUCCESS', 'paid'],
  ['FAILED', 'failed'],
  ['CANCELLED', 'cancelled'],
])
/** A word that the gateway's documents do not list may still become a payment: it is pending. */
export const chargeStateOf = (word: string): ChargeState => CHARGE_STATES.get(word) ?? 'pending'

const CHARGE_KINDS: ReadonlyMap<string, MandateCharge['kind']> = new Map([
  ['AUTH', 'auth'],
  ['CHARGE', 'charge'],
])

/** Of a type that is neither, nothing is known to us: undefined. */
export function readCharge(wire: WireCharge): MandateCharge | undefined {
  const kind = CHARGE_KINDS.get(wire.payment_type)
  if (kind === undefined) return undefined
  return {
    chargeId: wire.payment_id,
    kind,
    state: chargeStateOf(wire.payment_status),
    word: wire.payment_status,
    amount: wire.payment_amount,
    currency: wire.payment_currency,
    cfPaymentId: wire.cf_payment_id,
    cfTxnId: wire.cf_txn_id,
    cfOrderId: wire.cf_order_id,
    day: parseDay(wire.payment_schedule_date?.slice(0, 10) ?? ''),
    failureReason: wire.failure_details?.failure_reason,
  }
}

export const readMandate = (wire: WireMandate, charges: readonly WireCharge[]): Mandate => ({
  mandateId: wire.subscription_id,
  status: mandateStatusOf(wire.subscription_status),
  word: wire.subscription_status,
  sessionId: wire.subscription_session_id,
  payerMasked: maskedPayer((wire.authorization_details ?? wire.authorisation_details)?.payment_method),
  charges: charges.flatMap((one) => readCharge(one) ?? []),
  strangeWords: unlisted(
    [charges.map(({ payment_type: type }) => type), CHARGE_KINDS],
    [charges.map(({ payment_status: status }) => status), CHARGE_STATES],
  ),
})

/** `payment_method` is an object or a word; in the object a UPI ID is where its name says so. */
function maskedPayer(method: unknown): string | undefined {
  if (typeof method !== 'object' || method === null) return undefined
  for (const [name, value] of Object.entries(method)) {
    if (typeof value === 'string' && /^(?:upi_id|vpa|payer_vpa)$/.test(name)) return maskUpiId(value)
    const found = maskedPayer(value)
    if (found !== undefined) return found
  }
  return undefined
}

const REFUND_WORDS: ReadonlySet<string> = new Set(['INITIALIZED', 'PENDING', 'SUCCESS', 'CANCEL', 'FAILED'])

export const readMandateRefund = (wire: z.output<typeof wireMandateRefund>, orderId: string): Refund => ({
  refundId: wire.refund_id,
  orderId,
  // CANCEL is this interface's word for a refund that was called off.
  state: wire.refund_status === 'CANCEL' ? 'failed' : refundStateOf(wire.refund_status),
  status: wire.refund_status,
  strangeWords: unlisted([[wire.refund_status], REFUND_WORDS]),
  description: wire.failure_details?.failure_reason,
  amount: wire.refund_amount,
  currency: wire.refund_currency,
  paymentId: wire.cf_payment_id,
  bankReference: undefined,
})
