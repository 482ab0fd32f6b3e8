/**
 * The overview page at `/` and its buttons.
 *
 * - Each press carries a CSRF token, made at each start: no other web page can press a button.
 * - Only steps that the page offers are carried out.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Parts } from './calls.ts'
import { OUTCOMES } from './control-routes.ts'
import { EDGES } from './faults.ts'
import { isFields } from './fields.ts'
import type { Order, Refund, Transfer } from './model.ts'
import { advanceTransfers, playOrder, playRefund, playTransfer } from './moves.ts'
import { pendingAttempt, readOrder } from './orders.ts'
import { type Overview, overviewPage, type Row } from './overview-page.ts'
import { pagePolicy } from './page.ts'
import { transferSteps } from './payouts.ts'
import { refundSteps } from './refunds.ts'
import { badBody, Refusal } from './refusals.ts'
import type { Settlement } from './settlements/model.ts'
import { moveSettlement, settle, settlementSteps } from './settlements/settlements.ts'
import type { Store } from './store.ts'
import { dayStart } from './subscriptions/calendar.ts'
import { chargeSteps, moveCharge } from './subscriptions/charges.ts'
import { playMandate, stepsOf } from './subscriptions/mandates.ts'
import type { Charge, Subscription } from './subscriptions/model.ts'
import { readSubscription } from './subscriptions/subscriptions.ts'
import { advance } from './subscriptions/timekeeper.ts'

const SHOWN_MAX = 50

export function overviewRoutes(app: FastifyInstance, parts: Parts): void {
  const { clock } = parts
  const token = randomUUID()

  app.get('/', async (_request, reply) => show(reply, overviewPage(overviewOf(parts, await clock.now()), token)))
  app.post('/press', async (request, reply) => {
    const { body } = request
    if (!isFields(body) || body.token !== token) throw badBody('this page is out of date, open it again', 403)
    try {
      press(parts, { kind: body.kind, id: String(body.id), step: String(body.step) }, await clock.now())
    } catch (cause) {
      // A second press, or a press on a stale page: the redirect shows the present state.
      if (!(cause instanceof Refusal) || cause.status >= 500) throw cause
    }
    return reply.header('cache-control', 'no-store').redirect('/', 303)
  })
}

type Press = { readonly kind: unknown; readonly id: string; readonly step: string }

/** Carries out a step that the page offers; ignores any other. */
function press(parts: Parts, pressed: Press, nowMs: number): void {
  const { kind, id, step } = pressed
  const { store } = parts
  if (kind === 'order') {
    const found = ORDER_STEPS.find(([outcome]) => outcome === step)
    if (found !== undefined) playOrder(parts, id, { outcome: OUTCOMES[found[0]], again: false }, 1, nowMs)
  } else if (kind === 'edge') {
    const edge = EDGES.find((one) => one === step)
    if (edge !== undefined) store.put({ kind: 'faults', value: { ...store.faults(), edge } })
  } else if (kind === 'refund') {
    const refund = store.refunds.get(id)
    const status = refund && refundSteps(refund).find((one) => one === step)
    if (status !== undefined) playRefund(parts, id, { status, force: false }, 1, nowMs)
  } else if (kind === 'transfer') {
    const transfer = store.transfers.get(id)
    const status = transfer && transferSteps(transfer).find((one) => one === step)
    if (status !== undefined) playTransfer(parts, id, { status, statusCode: undefined, force: false }, 1, nowMs)
  } else pressSubscription(parts, pressed, nowMs)
}

function pressSubscription(parts: Parts, { kind, id, step }: Press, nowMs: number): void {
  const { store } = parts
  if (kind === 'subscription') {
    const subscription = readSubscription(parts, id, nowMs)
    const found = stepsOf(subscription).find((one) => one === step)
    if (found !== undefined) playMandate(parts, subscription, { step: found, copies: 1, force: false }, nowMs)
  } else if (kind === 'charge') {
    const charge = store.charges.get(id)
    const status = charge && chargeSteps(charge).find((one) => one === step)
    if (charge !== undefined && status !== undefined)
      moveCharge(parts, charge, { status, reason: undefined, copies: 1, force: false }, nowMs)
  } else if (kind === 'settlement') {
    const settlement = store.settlements.get(id)
    const status = settlement && settlementSteps(settlement).find((one) => one === step)
    if (status !== undefined) moveSettlement(parts, id, { status, reason: null, copies: 1, force: false }, nowMs)
  } else if (kind === 'settle') {
    settle(parts, { status: 'SUCCESS', reason: null, includes: () => true, adjustmentPaise: 0, remarks: null }, 1, nowMs)
  }
}

const ORDER_STEPS = [
  ['success', 'Pay'],
  ['failed', 'Fail'],
  ['pending', 'Keep pending'],
  ['dropped', 'Cancel'],
] as const satisfies readonly (readonly [keyof typeof OUTCOMES, string])[]

function overviewOf(parts: Parts, nowMs: number): Overview {
  const { store } = parts
  advance(parts, nowMs)
  advanceTransfers(parts, nowMs)
  const newest = <T>(all: ReadonlyMap<string, T>): T[] => [...all.values()].slice(-SHOWN_MAX).reverse()
  return {
    orders: newest(store.orders).map((order) => orderRow(store, readOrder(store, order.orderId, nowMs))),
    refunds: newest(store.refunds).map(refundRow),
    mandates: newest(store.subscriptions).map((one) => mandateRow(readSubscription(parts, one.subscriptionId, nowMs))),
    charges: newest(store.charges).map(chargeRow),
    settlements: newest(store.settlements).map(settlementRow),
    transfers: newest(store.transfers).map(transferRow),
    edge: store.faults().edge,
  }
}

function orderRow(store: Store, order: Order): Row {
  const payable = order.status === 'ACTIVE' || (order.status !== 'PAID' && pendingAttempt(store, order.orderId) !== undefined)
  return {
    kind: 'order',
    id: order.orderId,
    amountPaise: order.amountPaise,
    status: order.status,
    atMs: order.createdAtMs,
    steps: payable ? ORDER_STEPS : [],
  }
}

const named = (steps: readonly string[]): Row['steps'] => steps.map((step) => [step, step.replaceAll('_', ' ')])

const refundRow = (refund: Refund): Row => ({
  kind: 'refund',
  id: refund.refundId,
  amountPaise: refund.amountPaise,
  status: refund.status,
  atMs: refund.createdAtMs,
  steps: named(refundSteps(refund)),
})

const mandateRow = (subscription: Subscription): Row => ({
  kind: 'subscription',
  id: subscription.subscriptionId,
  amountPaise: subscription.plan.maxAmountPaise,
  status: subscription.status,
  atMs: subscription.createdAtMs,
  steps: named(stepsOf(subscription)),
})

const chargeRow = (charge: Charge): Row => ({
  kind: 'charge',
  id: charge.cfPaymentId,
  amountPaise: charge.amountPaise,
  status: `${charge.type} ${charge.status}`,
  atMs: charge.day === null ? charge.initiatedAtMs : dayStart(charge.day),
  steps: named(chargeSteps(charge)),
})

const settlementRow = (settlement: Settlement): Row => ({
  kind: 'settlement',
  id: settlement.settlementId,
  amountPaise: settlement.amountSettledPaise,
  status: settlement.status,
  atMs: settlement.initiatedAtMs,
  steps: named(settlementSteps(settlement)),
})

const transferRow = (transfer: Transfer): Row => ({
  kind: 'transfer',
  id: transfer.transferId,
  amountPaise: transfer.amountPaise,
  status: transfer.status === 'SUCCESS' ? `SUCCESS ${transfer.statusCode}` : transfer.status,
  atMs: transfer.addedAtMs,
  steps: named(transferSteps(transfer)),
})

const show = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': pagePolicy(null),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(html)
