/**
 * The controlled flow of a charge: the shop notifies the payer and executes the debit by calls of its own.
 *
 * - The first notification makes the payment, without a day. A payment of /subscriptions/pay stays with the gateway.
 * - At most seven notifications and four executions of a payment, one at a time and an hour apart.
 * - An execution needs a notification that succeeded one or two days before, and a debit window.
 * - No attempt ends by itself: a control call plays the bank.
 */
import { z } from 'zod'
import type { Calls, Parts } from '../calls.ts'
import { indianTime } from '../clock.ts'
import { type Controls, webhookCopies } from '../control-views.ts'
import { decimals, rupees } from '../entities.ts'
import { amount, isFields, optional, required } from '../fields.ts'
import { badBody, invalid, noCharge, noSuchStep, notNow, restricted } from '../refusals.ts'
import type { Store } from '../store.ts'
import { dayOf, HOUR_MS, isDebitTime, nextDebitTime } from './calendar.ts'
import { createCharge, moveCharge, readCharge } from './charges.ts'
import { announceToTab } from './events.ts'
import type { Charge, ControlledAttempt, ControlledKind } from './model.ts'
import { readSubscription } from './subscriptions.ts'

const KINDS = ['notification', 'execution'] as const satisfies readonly ControlledKind[]
const MOST = { notification: 7, execution: 4 } as const
const MAX_PAISE = 100_000_000
const FAILURE = { failure_reason: 'Declined by the bank', failure_error_code: 'U30', failure_sub_error_code: 'U30' }

const idOf = (value: unknown, field: string): string => required(value, field, 1, 250, /^[A-Za-z0-9 _.-]+$/, 'should be alphanumeric')
const isControlled = ({ type, day }: Charge): boolean => type === 'CHARGE' && day === null
const listed = (store: Store, kind: ControlledKind, paymentId: string): ControlledAttempt[] =>
  store.controlledOf(paymentId).filter((attempt) => attempt.kind === kind)

function readAttempt(store: Store, kind: ControlledKind, attemptId: string, paymentId?: string): ControlledAttempt {
  const attempt = store.controlled.get(`${kind}:${attemptId}`)
  if (attempt === undefined || attempt.paymentId !== (paymentId ?? attempt.paymentId)) throw noCharge()
  return attempt
}

function notifyMandate(parts: Parts, body: unknown, nowMs: number): ControlledAttempt {
  if (!isFields(body)) throw badBody()
  const subscription = readSubscription(parts, idOf(body.subscription_id, 'subscription_id'), nowMs)
  const paymentId = idOf(body.payment_id, 'payment_id')
  const attemptId = idOf(body.notification_id, 'notification_id')
  const amountPaise = amount(body.payment_amount, 'payment_amount', 100, MAX_PAISE)
  const remarks = optional(body.payment_remarks, 'payment_remarks', 1, 250)
  judgeAttempt(parts.store, 'notification', attemptId, paymentId, nowMs)
  const known = parts.store.chargeByPaymentId(paymentId)
  if (known === undefined) createCharge(parts, subscription, { paymentId, type: 'CHARGE', amountPaise, day: null, remarks }, nowMs)
  else if (!isControlled(known) || known.subscriptionId !== subscription.subscriptionId || known.status !== 'INITIALIZED')
    throw notNow('payment', known.status, 'NOTIFY')
  else if (known.amountPaise !== amountPaise) throw invalid('payment_amount', 'should be the one announced', amountPaise / 100)
  else if (subscription.status !== 'ACTIVE') throw notNow('subscription', subscription.status, 'NOTIFY')
  return begin(parts.store, { kind: 'notification', attemptId, paymentId }, nowMs)
}

function executeMandate(parts: Parts, body: unknown, nowMs: number): ControlledAttempt {
  if (!isFields(body)) throw badBody()
  const { store } = parts
  const charge = readCharge(store, idOf(body.payment_id, 'payment_id'))
  const attemptId = idOf(body.execution_id, 'execution_id')
  judgeAttempt(store, 'execution', attemptId, charge.paymentId, nowMs)
  if (!isControlled(charge) || charge.status !== 'INITIALIZED') throw notNow('payment', charge.status, 'EXECUTE')
  const { status } = readSubscription(parts, charge.subscriptionId, nowMs)
  if (status !== 'ACTIVE') throw notNow('subscription', status, 'EXECUTE')
  const last = listed(store, 'notification', charge.paymentId).at(-1)
  if (last?.status !== 'SUCCESS') throw restricted('execution', 'a successful notification should come first')
  const days = dayOf(nowMs) - dayOf(last.endedAtMs ?? nowMs)
  if (days < 1 || days > 2) throw restricted('execution', 'should follow one or two days after the notification')
  if (!isDebitTime(nowMs)) throw restricted('execution', `the next allowed time is ${indianTime(nextDebitTime(nowMs))}`)
  moveCharge(parts, charge, { status: 'PENDING', reason: undefined, copies: 0, force: false }, nowMs)
  return begin(store, { kind: 'execution', attemptId, paymentId: charge.paymentId }, nowMs)
}

function judgeAttempt(store: Store, kind: ControlledKind, attemptId: string, paymentId: string, nowMs: number): void {
  if (store.controlled.has(`${kind}:${attemptId}`)) throw restricted(kind, `${kind}_id was already used`)
  const past = listed(store, kind, paymentId)
  if (past.some(({ status }) => status === 'INITIALIZED')) throw restricted(kind, 'the previous one is in progress')
  if (past.length >= MOST[kind]) throw restricted(kind, 'the most are made')
  const nextMs = (past.at(-1)?.atMs ?? 0) + HOUR_MS
  if (nowMs < nextMs) throw restricted(kind, `the next allowed time is ${indianTime(nextMs)}`)
}

function begin(store: Store, ids: Pick<ControlledAttempt, 'kind' | 'attemptId' | 'paymentId'>, nowMs: number): ControlledAttempt {
  const attempt = { ...ids, cfId: store.nextCfId(), status: 'INITIALIZED', atMs: nowMs, endedAtMs: null } as const
  store.put({ kind: 'controlled', value: attempt })
  return attempt
}

/** Plays the bank. A failed execution may be followed by another one, unless it was the last. */
function end(parts: Parts, attempt: ControlledAttempt, status: 'SUCCESS' | 'FAILED', copies: number, nowMs: number): ControlledAttempt {
  const { store } = parts
  const { kind, paymentId } = attempt
  if (attempt.status !== 'INITIALIZED') throw noSuchStep(attempt.status, status)
  const ended = { ...attempt, status, endedAtMs: nowMs }
  store.put({ kind: 'controlled', value: ended })
  if (kind === 'execution') {
    const mayFollow = listed(store, kind, paymentId).length < MOST.execution
    const charged = status === 'FAILED' && mayFollow ? 'INITIALIZED' : status
    moveCharge(parts, readCharge(store, paymentId), { status: charged, reason: FAILURE.failure_reason, copies: 0, force: true }, nowMs)
  }
  const type = `SUBSCRIPTION_PAYMENT_CONTROLLED_${kind.toUpperCase()}_STATUS`
  announceToTab(parts, () => ({ type, subject: `charge:${paymentId}`, data: shape(store, ended, decimals) }), copies, nowMs)
  return ended
}

function shape(store: Store, attempt: ControlledAttempt, shown: (paise: number) => unknown = rupees): Record<string, unknown> {
  const { kind, status } = attempt
  const charge = readCharge(store, attempt.paymentId)
  return {
    [`cf_${kind}_id`]: attempt.cfId,
    [`${kind}_id`]: attempt.attemptId,
    [`${kind}_status`]: status,
    [`${kind}_initiated_time`]: indianTime(attempt.atMs),
    subscription_id: charge.subscriptionId,
    payment_id: charge.paymentId,
    cf_payment_id: charge.cfPaymentId,
    payment_amount: shown(charge.amountPaise),
    payment_status: charge.status,
    failure_details: status === 'FAILED' ? FAILURE : null,
  }
}

/** `calls` admits these like the calls of subscriptions. */
export function controlledRoutes({ get, write }: Pick<Calls, 'get' | 'write'>, parts: Parts): void {
  const { store } = parts
  write('/subscriptions/pay/controlled/notify-mandate', ({ body, nowMs }) => shape(store, notifyMandate(parts, body, nowMs)))
  write('/subscriptions/pay/controlled/execute-mandate', ({ body, nowMs }) => shape(store, executeMandate(parts, body, nowMs)))
  for (const kind of KINDS) {
    const path = `/subscriptions/payments/:paymentId/controlled/${kind}s` as const
    get(path, ({ params }) => listed(store, kind, readCharge(store, params.paymentId).paymentId).map((one) => shape(store, one)))
    get(`${path}/:attemptId`, ({ params }) => shape(store, readAttempt(store, kind, params.attemptId, params.paymentId)))
  }
}

const ending = z.strictObject({ status: z.enum(['SUCCESS', 'FAILED']), webhooks: webhookCopies })

export function controlledControl({ press }: Pick<Controls, 'press'>, parts: Parts): void {
  for (const kind of KINDS)
    press(`/${kind}s/:attemptId`, ending, ({ status, webhooks: copies }, { params, nowMs }) =>
      shape(parts.store, end(parts, readAttempt(parts.store, kind, params.attemptId), status, copies, nowMs)),
    )
}
