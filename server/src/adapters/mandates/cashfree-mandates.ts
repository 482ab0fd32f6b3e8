/**
 * The mandates of the payment port over Cashfree's subscriptions API. `../cashfree/calls.ts` makes the calls.
 * - A POST is sent once, under our own id and with it as the idempotency key. After anything but a success we read by that id first.
 * - An answer about another mandate, charge or refund than the one asked for is refused.
 */
import type { MandateStatus } from '@roz/core/autopay.ts'
import { createHash } from 'node:crypto'
import { CURRENCY, rupeesFromPaise } from '@roz/core/money.ts'
import {
  type GatewayAnswer,
  type GatewayApi,
  type ApiConfig,
  askOnce,
  cashfreeApi,
  expectOk,
  expectSame,
  isUnknown,
  parseJson,
  read,
  refusal,
} from '../cashfree/calls.ts'
import { verifySignature, WEBHOOK_LIFE_MS } from '../cashfree/webhook-signature.ts'
import type { Mandate, MandateCharge, MandateEvent, MandateGateway, NewCharge, NewMandate } from './port.ts'
import {
  mandateStatusOf,
  readCharge,
  readMandate,
  readMandateRefund,
  type WireMandate,
  wireCharge,
  wireCharges,
  wireMandate,
  wireMandateEvent,
  wireMandateRefund,
} from './wire.ts'
import { GatewayRefusedError, GatewayUnavailableError, type NewRefund, type Refund } from '../payments/port.ts'
import { wireEvent } from '../payments/wire.ts'

const pathOf = (mandateId: string): string => `/subscriptions/${encodeURIComponent(mandateId)}`
const chargePath = (mandateId: string, chargeId: string): string => `${pathOf(mandateId)}/payments/${encodeURIComponent(chargeId)}`
const isOk = ({ status }: GatewayAnswer): boolean => status >= 200 && status < 300

export function cashfreeMandates(config: ApiConfig): MandateGateway {
  const api = cashfreeApi(config)

  function mandateOf(answer: GatewayAnswer, mandateId: string): WireMandate {
    const wire = read(wireMandate, expectOk(answer), answer)
    expectSame(answer, [[wire.subscription_id, mandateId]])
    return wire
  }

  async function findMandate(mandateId: string, signal?: AbortSignal): Promise<WireMandate | undefined> {
    const answer = await api.twice({ method: 'GET', path: pathOf(mandateId), signal })
    return isUnknown(answer) ? undefined : mandateOf(answer, mandateId)
  }

  async function createMandate(mandate: NewMandate): Promise<{ readonly sessionId: string }> {
    const answer = await api.once({
      method: 'POST',
      path: '/subscriptions',
      body: mandateRequest(mandate),
      idempotencyKey: mandate.mandateId,
    })
    const made = isOk(answer) ? mandateOf(answer, mandate.mandateId) : await orUnavailable(() => findMandate(mandate.mandateId))
    if (made === undefined) throw refusal(answer)
    const limit = made.plan_details?.plan_max_amount
    if (limit !== undefined && limit !== mandate.amount)
      throw new GatewayRefusedError(`Mandate ${mandate.mandateId} was created with another amount`, answer.status, 'mandate_mismatch')
    if (made.subscription_session_id === undefined) throw new GatewayUnavailableError(`No session for mandate ${mandate.mandateId}`)
    return { sessionId: made.subscription_session_id }
  }

  async function fetchMandate(mandateId: string, signal?: AbortSignal): Promise<Mandate | undefined> {
    const wire = await findMandate(mandateId, signal)
    if (wire === undefined) return undefined
    const answer = await api.twice({ method: 'GET', path: `${pathOf(mandateId)}/payments`, signal })
    // A mandate of which nothing was ever paid may have no list.
    const listed = isUnknown(answer) ? [] : read(wireCharges, expectOk(answer), answer)
    expectSame(
      answer,
      listed.flatMap(({ subscription_id: named }) => (named === undefined ? [] : [[named, mandateId] as const])),
    )
    return readMandate(wire, listed)
  }

  function chargeOf(answer: GatewayAnswer, mandateId: string, chargeId: string): MandateCharge {
    const wire = read(wireCharge, expectOk(answer), answer)
    expectSame(answer, [
      [wire.payment_id, chargeId],
      [wire.subscription_id ?? mandateId, mandateId],
    ])
    const charge = readCharge(wire)
    if (charge?.kind !== 'charge') throw new GatewayUnavailableError(`Payment ${chargeId} is no charge: ${wire.payment_type}`)
    return charge
  }

  async function fetchCharge(mandateId: string, chargeId: string): Promise<MandateCharge | undefined> {
    const answer = await api.twice({ method: 'GET', path: chargePath(mandateId, chargeId) })
    return isUnknown(answer) ? undefined : chargeOf(answer, mandateId, chargeId)
  }

  const raiseCharge = (charge: NewCharge): Promise<MandateCharge> =>
    askOnce(api, {
      request: { method: 'POST', path: '/subscriptions/pay', body: chargeRequest(charge), idempotencyKey: charge.chargeId },
      amount: charge.amount,
      currency: CURRENCY,
      read: (answer) => chargeOf(answer, charge.mandateId, charge.chargeId),
      find: () => fetchCharge(charge.mandateId, charge.chargeId),
    })

  async function cancelCharge(mandateId: string, chargeId: string): Promise<MandateCharge> {
    const body = { subscription_id: mandateId, payment_id: chargeId, action: 'CANCEL' }
    const answer = await api.once({ method: 'POST', path: `${chargePath(mandateId, chargeId)}/manage`, body })
    // Only the gateway's record says what the charge is now.
    const now = await orUnavailable(() => fetchCharge(mandateId, chargeId))
    if (now !== undefined) return now
    throw isOk(answer) ? new GatewayUnavailableError(`Charge ${chargeId} was cancelled, and is unknown`) : refusal(answer)
  }

  async function cancelMandate(mandateId: string): Promise<MandateStatus> {
    const body = { subscription_id: mandateId, action: 'CANCEL' }
    const answer = await api.once({ method: 'POST', path: `${pathOf(mandateId)}/manage`, body })
    if (isOk(answer)) return mandateStatusOf(mandateOf(answer, mandateId).subscription_status)
    const now = await orUnavailable(() => findMandate(mandateId))
    if (now === undefined) throw refusal(answer)
    return mandateStatusOf(now.subscription_status)
  }

  return {
    createMandate,
    fetchMandate,
    raiseCharge,
    fetchCharge,
    cancelCharge,
    cancelMandate,
    verifyWebhook: (headers, rawBody) => verifySignature(config, headers, rawBody),
    webhookLifeMs: WEBHOOK_LIFE_MS,
    parseMandateWebhook,
  }
}

/** A question after a refusal that is refused itself proves nothing about the first call. */
const orUnavailable = <T>(find: () => Promise<T>): Promise<T> =>
  find().catch((cause: unknown) => {
    throw cause instanceof GatewayRefusedError ? new GatewayUnavailableError(cause.message, { cause }) : cause
  })

const mandateRequest = ({ mandateId, amount, email, phone, returnUrl, expiresAtMs }: NewMandate): unknown => ({
  subscription_id: mandateId,
  customer_details: { customer_email: email, customer_phone: phone },
  plan_details: {
    plan_name: `autopay-${rupeesFromPaise(amount)}`,
    plan_type: 'ON_DEMAND',
    plan_currency: CURRENCY,
    plan_max_amount: rupeesFromPaise(amount),
  },
  authorization_details: {
    authorization_amount: rupeesFromPaise(amount),
    authorization_amount_refund: false,
    payment_methods: ['upi'],
  },
  subscription_meta: { return_url: returnUrl },
  subscription_expiry_time: new Date(expiresAtMs).toISOString(),
})

const chargeRequest = ({ mandateId, chargeId, amount, day, remarks }: NewCharge): unknown => ({
  subscription_id: mandateId,
  payment_id: chargeId,
  payment_type: 'CHARGE',
  payment_amount: rupeesFromPaise(amount),
  // Only the date counts; noon is the same day in every zone near India's.
  payment_schedule_date: `${day}T12:00:00+05:30`,
  payment_remarks: remarks,
})

export function parseMandateWebhook(rawBody: Buffer): MandateEvent | undefined {
  const event = wireEvent.safeParse(parseJson(rawBody.toString('utf8')))
  if (!event.success) return undefined
  const { type, data } = event.data
  const named = wireMandateEvent.safeParse(data)
  const mandateId = named.success ? (named.data.subscription_details?.subscription_id ?? named.data.subscription_id) : undefined
  return { eventKey: createHash('sha256').update(rawBody).digest('hex'), type, mandateId }
}

/** Refunds of charges: the payment is named by the gateway's id, because the first charge has no id of ours. */
export function mandateRefunds(api: GatewayApi) {
  type Asked = Pick<NewRefund, 'orderId' | 'refundId'> & { readonly from: NonNullable<NewRefund['from']> }
  const refundsPath = ({ from }: Pick<Asked, 'from'>): string => `${pathOf(from.mandateId)}/refunds`
  function refundOf(answer: GatewayAnswer, asked: Asked): Refund {
    const wire = read(wireMandateRefund, expectOk(answer), answer)
    expectSame(answer, [
      [wire.refund_id, asked.refundId],
      [wire.cf_payment_id ?? asked.from.cfPaymentId, asked.from.cfPaymentId],
    ])
    return readMandateRefund(wire, asked.orderId)
  }
  async function find(asked: Asked, signal?: AbortSignal): Promise<Refund | undefined> {
    const path = `${refundsPath(asked)}/${encodeURIComponent(asked.refundId)}`
    const answer = await api.twice({ method: 'GET', path, signal })
    return isUnknown(answer) ? undefined : refundOf(answer, asked)
  }
  const create = (refund: NewRefund, from: Asked['from']): Promise<Refund> =>
    askOnce(api, {
      request: {
        method: 'POST',
        path: refundsPath({ from }),
        body: {
          cf_payment_id: from.cfPaymentId,
          refund_id: refund.refundId,
          refund_amount: rupeesFromPaise(refund.amount),
          refund_note: refund.note,
          refund_speed: 'STANDARD',
        },
        signal: refund.signal,
        idempotencyKey: refund.refundId,
      },
      amount: refund.amount,
      currency: refund.currency,
      read: (answer) => refundOf(answer, { ...refund, from }),
      find: () => find({ ...refund, from }, refund.signal),
    })
  return { create, find }
}
