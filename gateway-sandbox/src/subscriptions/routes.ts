/** The gateway's API for plans, subscriptions, their payments and refunds, under /pg. */
import type { FastifyInstance } from 'fastify'
import { callsOf, type Parts, versionOf } from '../calls.ts'
import { absent, type Fields, isFields } from '../fields.ts'
import { badBody, invalid, missing } from '../refusals.ts'
import { paced, type Pace } from '../pace.ts'
import { type Paying, readNewChargeRefund, readPaying } from './charge-fields.ts'
import { cancelCharge, createAuth, createCharge, readCharge, retryCharge } from './charges.ts'
import { controlledRoutes } from './controlled.ts'
import { chargeEntity, chargeRefundEntity, payEntity, planEntity, subscriptionEntity } from './entities.ts'
import type { Subscription } from './model.ts'
import { createChargeRefund, readChargeRefund } from './refunds.ts'
import { readNewPlan, readNewSubscription } from './subscription-fields.ts'
import { activateSubscription, cancelSubscription, createPlan, createSubscription, readPlan, readSubscription } from './subscriptions.ts'
import { advance } from './timekeeper.ts'

export function subscriptionRoutes(app: FastifyInstance, parts: Parts, pace: Pace): void {
  const { store } = parts
  const calls = callsOf(app, parts, ({ request, reply, nowMs }) => {
    paced(parts, pace, request, reply, nowMs)
    advance(parts, nowMs)
  })
  const { get, write } = calls

  controlledRoutes(calls, parts)
  write('/plans', ({ body }) => planEntity(createPlan(store, readNewPlan(body))))
  get('/plans/:planId', ({ params }) => planEntity(readPlan(store, params.planId)))

  write('/subscriptions', ({ request, body, nowMs }) =>
    subscriptionEntity(store, createSubscription(store, readNewSubscription(store, body, nowMs), nowMs), versionOf(request)),
  )
  get('/subscriptions/:subscriptionId', ({ request, params, nowMs }) =>
    subscriptionEntity(store, readSubscription(parts, params.subscriptionId, nowMs), versionOf(request)),
  )
  write('/subscriptions/pay', ({ body, nowMs }) => {
    const paying = readPaying(body, nowMs)
    return paid(parts, readSubscription(parts, paying.subscriptionId, nowMs), paying, nowMs)
  })
  write('/subscriptions/:subscriptionId/manage', ({ request, params, body, nowMs }) =>
    subscriptionEntity(store, managed(parts, params.subscriptionId, body, nowMs), versionOf(request)),
  )
  get('/subscriptions/:subscriptionId/payments', ({ request, params, nowMs }) => {
    const { subscriptionId } = readSubscription(parts, params.subscriptionId, nowMs)
    return store.chargesOf(subscriptionId).map((charge) => chargeEntity(store, charge, versionOf(request)))
  })
  get('/subscriptions/:subscriptionId/payments/:paymentId', ({ request, params, nowMs }) => {
    const { subscriptionId } = readSubscription(parts, params.subscriptionId, nowMs)
    return chargeEntity(store, readCharge(store, params.paymentId, subscriptionId), versionOf(request))
  })
  write('/subscriptions/:subscriptionId/payments/:paymentId/manage', ({ request, params, body, nowMs }) => {
    const { action, details } = readAction(body, { subscription_id: params.subscriptionId, payment_id: params.paymentId })
    const subscription = readSubscription(parts, params.subscriptionId, nowMs)
    const charge = readCharge(store, params.paymentId, subscription.subscriptionId)
    if (action !== 'CANCEL' && action !== 'RETRY') throw invalid('action', 'should be CANCEL or RETRY', action)
    const changed =
      action === 'CANCEL'
        ? cancelCharge(parts, charge, nowMs)
        : retryCharge(parts, subscription, charge, details.next_scheduled_time, nowMs)
    return chargeEntity(store, changed, versionOf(request))
  })
  write('/subscriptions/:subscriptionId/refunds', ({ params, body, nowMs }) => {
    const { subscriptionId } = readSubscription(parts, params.subscriptionId, nowMs)
    return chargeRefundEntity(createChargeRefund(parts, subscriptionId, readNewChargeRefund(body), nowMs))
  })
  get('/subscriptions/:subscriptionId/refunds/:refundId', ({ params, nowMs }) => {
    const { subscriptionId } = readSubscription(parts, params.subscriptionId, nowMs)
    return chargeRefundEntity(readChargeRefund(store, subscriptionId, params.refundId))
  })
}

function paid(parts: Parts, subscription: Subscription, paying: Paying, nowMs: number): Record<string, unknown> {
  if (paying.type === 'CHARGE') return payEntity(createCharge(parts, subscription, paying, nowMs), null, '')
  return payEntity(createAuth(parts, subscription, paying, nowMs), paying.channel, mandateLink(subscription))
}

/** The amount in the UPI app: up to the plan's maximum, as presented. */
function mandateLink({ subscriptionId, plan, tags }: Subscription): string {
  const query = new URLSearchParams({
    pa: 'sandbox@testbank',
    pn: plan.name,
    tr: subscriptionId,
    am: (plan.maxAmountPaise / 100).toFixed(2),
    cu: 'INR',
    amrule: 'MAX',
    recur: 'ASPRESENTED',
    purpose: '14',
    tn: tags.psp_note ?? plan.name,
  })
  return `upi://mandate?${query.toString()}`
}

function managed(parts: Parts, subscriptionId: string, body: unknown, nowMs: number): Subscription {
  const { action, details } = readAction(body, { subscription_id: subscriptionId })
  if (action === 'CANCEL') return cancelSubscription(parts, subscriptionId, nowMs)
  if (action === 'ACTIVATE') return activateSubscription(parts, subscriptionId, details.next_scheduled_time, nowMs)
  const isKnown = action === 'PAUSE' || action === 'CHANGE_PLAN'
  throw invalid('action', isKnown ? 'is not for ON_DEMAND plans' : 'should be CANCEL or ACTIVATE', action)
}

/** The ids of the body must equal the path's. */
function readAction(body: unknown, ids: Readonly<Record<string, string>>): { action: unknown; details: Fields } {
  if (!isFields(body)) throw badBody()
  for (const [field, id] of Object.entries(ids)) {
    if (absent(body[field])) throw missing(field)
    if (body[field] !== id) throw invalid(field, 'should be the id in the path', body[field])
  }
  if (absent(body.action)) throw missing('action')
  const details = body.action_details ?? {}
  if (!isFields(details)) throw invalid('action_details', 'should be an object', details)
  return { action: body.action, details }
}
