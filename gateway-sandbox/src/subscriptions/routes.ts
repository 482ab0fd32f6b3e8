/** The gateway's API for plans, subscriptions, their payments and refunds, under /pg. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answer, once, type Parts, versionOf } from '../calls.ts'
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

type PlanPath = { Params: { planId: string } }
type Path = { Params: { subscriptionId: string } }
type PaymentPath = { Params: { subscriptionId: string; paymentId: string } }
type RefundPath = { Params: { subscriptionId: string; refundId: string } }

type Work = (nowMs: number) => unknown

export function subscriptionRoutes(app: FastifyInstance, parts: Parts, pace: Pace): void {
  const { store } = parts
  /** Reads answer with the state at the present time of the clock. */
  const read = (request: FastifyRequest, reply: FastifyReply, work: Work): Promise<FastifyReply> =>
    answer(parts, reply, (nowMs) => {
      paced(parts, pace, request, reply, nowMs)
      advance(parts, nowMs)
      return work(nowMs)
    })
  /** A write is repeated under its idempotency key. */
  const write = (request: FastifyRequest, reply: FastifyReply, work: Work): Promise<FastifyReply> =>
    read(request, reply, (nowMs) => once(store, request, reply, nowMs, () => work(nowMs)))

  controlledRoutes(app, parts, read, write)
  app.post('/plans', (request, reply) => write(request, reply, () => planEntity(createPlan(store, readNewPlan(request.body)))))
  app.get<PlanPath>('/plans/:planId', (request, reply) => read(request, reply, () => planEntity(readPlan(store, request.params.planId))))

  app.post('/subscriptions', (request, reply) =>
    write(request, reply, (nowMs) =>
      subscriptionEntity(store, createSubscription(store, readNewSubscription(store, request.body, nowMs), nowMs), versionOf(request)),
    ),
  )
  app.get<Path>('/subscriptions/:subscriptionId', (request, reply) =>
    read(request, reply, (nowMs) =>
      subscriptionEntity(store, readSubscription(parts, request.params.subscriptionId, nowMs), versionOf(request)),
    ),
  )
  app.post('/subscriptions/pay', (request, reply) =>
    write(request, reply, (nowMs) => {
      const paying = readPaying(request.body, nowMs)
      return paid(parts, readSubscription(parts, paying.subscriptionId, nowMs), paying, nowMs)
    }),
  )
  app.post<Path>('/subscriptions/:subscriptionId/manage', (request, reply) =>
    write(request, reply, (nowMs) =>
      subscriptionEntity(store, managed(parts, request.params.subscriptionId, request.body, nowMs), versionOf(request)),
    ),
  )
  app.get<Path>('/subscriptions/:subscriptionId/payments', (request, reply) =>
    read(request, reply, (nowMs) => {
      const { subscriptionId } = readSubscription(parts, request.params.subscriptionId, nowMs)
      return store.chargesOf(subscriptionId).map((charge) => chargeEntity(store, charge, versionOf(request)))
    }),
  )
  app.get<PaymentPath>('/subscriptions/:subscriptionId/payments/:paymentId', (request, reply) =>
    read(request, reply, (nowMs) => {
      const { subscriptionId } = readSubscription(parts, request.params.subscriptionId, nowMs)
      return chargeEntity(store, readCharge(store, request.params.paymentId, subscriptionId), versionOf(request))
    }),
  )
  app.post<PaymentPath>('/subscriptions/:subscriptionId/payments/:paymentId/manage', (request, reply) =>
    write(request, reply, (nowMs) => {
      const { body, params } = request
      const { action, details } = readAction(body, { subscription_id: params.subscriptionId, payment_id: params.paymentId })
      const subscription = readSubscription(parts, params.subscriptionId, nowMs)
      const charge = readCharge(store, params.paymentId, subscription.subscriptionId)
      if (action !== 'CANCEL' && action !== 'RETRY') throw invalid('action', 'should be CANCEL or RETRY', action)
      const changed =
        action === 'CANCEL'
          ? cancelCharge(parts, charge, nowMs)
          : retryCharge(parts, subscription, charge, details.next_scheduled_time, nowMs)
      return chargeEntity(store, changed, versionOf(request))
    }),
  )
  app.post<Path>('/subscriptions/:subscriptionId/refunds', (request, reply) =>
    write(request, reply, (nowMs) => {
      const { subscriptionId } = readSubscription(parts, request.params.subscriptionId, nowMs)
      return chargeRefundEntity(createChargeRefund(parts, subscriptionId, readNewChargeRefund(request.body), nowMs))
    }),
  )
  app.get<RefundPath>('/subscriptions/:subscriptionId/refunds/:refundId', (request, reply) =>
    read(request, reply, (nowMs) => {
      const { subscriptionId } = readSubscription(parts, request.params.subscriptionId, nowMs)
      return chargeRefundEntity(readChargeRefund(store, subscriptionId, request.params.refundId))
    }),
  )
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
