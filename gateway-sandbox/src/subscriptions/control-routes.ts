/**
 * Control calls of subscriptions: people and tests play the payer, the bank and the dashboard.
 *
 * - An AUTH that a control call moves leaves its mandate where it is: the two may be known at different times.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { API_VERSIONS, type Parts } from '../calls.ts'
import { controlsOf, force, webhookCopies, webhooksOf } from '../control-views.ts'
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

export function subscriptionControl(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const controls = controlsOf(app, parts)
  const { press, show } = controls
  press('/subscriptions/:subscriptionId', mandateMove, (move, { params, nowMs }) => {
    const subscription = readSubscription(parts, params.subscriptionId, nowMs)
    const moved =
      'step' in move
        ? playMandate(parts, subscription, { step: move.step, copies: move.webhooks, force: move.force }, nowMs)
        : changeStatus(parts, subscription, move.status, move.webhooks, nowMs)
    return subscriptionView(parts, moved)
  })
  show('/subscriptions/:subscriptionId', ({ params, nowMs }) => {
    advance(parts, nowMs)
    return subscriptionView(parts, readSubscription(parts, params.subscriptionId, nowMs))
  })
  press('/charges/:paymentId', chargeMove, ({ status, reason, webhooks: copies, force: forced }, { params, nowMs }) => {
    advance(parts, nowMs)
    const charge = readCharge(store, params.paymentId)
    const moved =
      status === 'NOTIFIED'
        ? notify(parts, charge, copies, nowMs, nowMs)
        : moveCharge(parts, charge, { status, reason, copies, force: forced }, nowMs)
    return chargeView(parts, moved)
  })
  show('/charges/:paymentId', ({ params, nowMs }) => {
    advance(parts, nowMs)
    return chargeView(parts, readCharge(store, params.paymentId))
  })
  press('/charge-refunds/:refundId', refundMove, ({ status, webhooks: copies, force: forced }, { params, nowMs }) =>
    refundView(parts, moveChargeRefund(parts, params.refundId, { status, copies, force: forced }, nowMs)),
  )
  show('/charge-refunds/:refundId', ({ params }) => refundView(parts, findChargeRefund(store, params.refundId)))
  controlledControl(controls, parts)
  show('/webhooks', () => shownTabs(parts))
  press('/webhooks', tabs, (given) => {
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
