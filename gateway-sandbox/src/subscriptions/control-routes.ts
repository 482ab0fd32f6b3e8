/**
 * Control calls of subscriptions: people and tests play the payer, the bank and the dashboard.
 *
 * - An AUTH that a control call moves leaves its mandate where it is: the two may be known at different times.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { API_VERSIONS, type Parts } from '../calls.ts'
import { force, parse, webhookCopies, webhooksOf } from '../control-views.ts'
import { badBody } from '../refusals.ts'
import { controlledControl } from './controlled.ts'
import { chargeEntity, chargeRefundEntity, subscriptionEntity } from './entities.ts'
import { moveCharge, notify, readCharge } from './charges.ts'
import { MANDATE_STEPS, playMandate } from './mandates.ts'
import type { Charge, ChargeRefund, Subscription } from './model.ts'
import { findChargeRefund, moveChargeRefund } from './refunds.ts'
import { changeStatus, readSubscription } from './subscriptions.ts'
import { advance } from './timekeeper.ts'

const VIEW = '2025-01-01'

/** `status` sets any word, also an undocumented one. */
const mandateMove = z.union([
  z.strictObject({ step: z.enum(MANDATE_STEPS), webhooks: webhookCopies, force }),
  z.strictObject({ status: z.string().regex(/^[A-Z_]{1,60}$/), webhooks: webhookCopies }),
])

/** NOTIFIED is no status: the issuer tells the payer, and a webhook says so. */
const chargeMove = z.strictObject({
  status: z.enum(['NOTIFIED', 'INITIALIZED', 'PENDING', 'SUCCESS', 'FAILED', 'CANCELLED']),
  reason: z.string().max(250).optional(),
  webhooks: webhookCopies,
  force,
})

const refundMove = z.strictObject({
  status: z.enum(['INITIALIZED', 'PENDING', 'SUCCESS', 'CANCEL', 'FAILED']),
  webhooks: webhookCopies,
  force,
})

const address = z.url({ protocol: /^https?$/ }).max(250)
/** null empties the tab. A tab left out keeps its setting. */
const tabs = z.strictObject({
  payments: address.nullable().optional(),
  subscriptions: z
    .strictObject({ url: address, version: z.enum(API_VERSIONS).default('2025-01-01') })
    .nullable()
    .optional(),
})

type Path = { Params: { subscriptionId: string } }
type ChargePath = { Params: { paymentId: string } }
type RefundPath = { Params: { refundId: string } }

export function subscriptionControl(app: FastifyInstance, parts: Parts): void {
  const { store, clock } = parts
  app.post<Path>('/subscriptions/:subscriptionId', async (request) => {
    const move = parse(mandateMove, request.body)
    const nowMs = await clock.now()
    const subscription = readSubscription(parts, request.params.subscriptionId, nowMs)
    const moved =
      'step' in move
        ? playMandate(parts, subscription, { step: move.step, copies: move.webhooks, force: move.force }, nowMs)
        : changeStatus(parts, subscription, move.status, move.webhooks, nowMs)
    return subscriptionView(parts, moved)
  })
  app.get<Path>('/subscriptions/:subscriptionId', async (request) => {
    const nowMs = await clock.now()
    advance(parts, nowMs)
    return subscriptionView(parts, readSubscription(parts, request.params.subscriptionId, nowMs))
  })
  app.post<ChargePath>('/charges/:paymentId', async (request) => {
    const { status, reason, webhooks: copies, force: forced } = parse(chargeMove, request.body)
    const nowMs = await clock.now()
    advance(parts, nowMs)
    const charge = readCharge(store, request.params.paymentId)
    const moved =
      status === 'NOTIFIED'
        ? notify(parts, charge, copies, nowMs, nowMs)
        : moveCharge(parts, charge, { status, reason, copies, force: forced }, nowMs)
    return chargeView(parts, moved)
  })
  app.get<ChargePath>('/charges/:paymentId', async (request) => {
    advance(parts, await clock.now())
    return chargeView(parts, readCharge(store, request.params.paymentId))
  })
  app.post<RefundPath>('/charge-refunds/:refundId', async (request) => {
    const { status, webhooks: copies, force: forced } = parse(refundMove, request.body)
    return refundView(parts, moveChargeRefund(parts, request.params.refundId, { status, copies, force: forced }, await clock.now()))
  })
  app.get<RefundPath>('/charge-refunds/:refundId', (request) => refundView(parts, findChargeRefund(store, request.params.refundId)))
  controlledControl(app, parts)
  app.get('/webhooks', () => shownTabs(parts))
  app.post('/webhooks', (request) => {
    const given = parse(tabs, request.body)
    if (given.payments === undefined && given.subscriptions === undefined) throw badBody('body: names no tab')
    if (given.payments !== undefined) parts.tabs.payments = given.payments ?? undefined
    if (given.subscriptions !== undefined) parts.tabs.subscriptions = given.subscriptions ?? undefined
    return shownTabs(parts)
  })
}

const shownTabs = ({ tabs: { payments, subscriptions } }: Parts): Record<string, unknown> => ({
  payments: payments ?? null,
  subscriptions: subscriptions ?? null,
})

/** The subscription, its payments and refunds, and every webhook sent for it. */
const subscriptionView = ({ store }: Parts, subscription: Subscription): Record<string, unknown> => ({
  ...subscriptionEntity(store, subscription, VIEW),
  payments: store.chargesOf(subscription.subscriptionId).map((charge) => chargeEntity(store, charge, VIEW)),
  refunds: store.chargeRefundsOf(subscription.subscriptionId).map(chargeRefundEntity),
  webhooks: webhooksOf(store, `subscription:${subscription.subscriptionId}`),
})

const chargeView = ({ store }: Parts, charge: Charge): Record<string, unknown> => ({
  ...chargeEntity(store, charge, VIEW),
  webhooks: webhooksOf(store, `charge:${charge.paymentId}`),
})

const refundView = ({ store }: Parts, refund: ChargeRefund): Record<string, unknown> => ({
  ...chargeRefundEntity(refund),
  webhooks: webhooksOf(store, `charge_refund:${refund.refundId}`),
})
