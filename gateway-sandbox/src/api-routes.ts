/**
 * The gateway's API for orders, payments, refunds and disputes, under /pg.
 *
 * - Keys and version are checked before anything else.
 * - The same idempotency key with the same body gets the same answer.
 * - Every refusal has the gateway's own shape.
 */
import type { FastifyInstance } from 'fastify'
import { admit, API_VERSIONS, callsOf, type Parts } from './calls.ts'
import { disputeEntity, disputesOfPayment, readDispute } from './disputes.ts'
import { orderEntity, paymentEntity, refundEntity } from './entities.ts'
import { fakeEdge } from './edge.ts'
import { isFields } from './fields.ts'
import { announceRefund } from './moves.ts'
import { readNewOrder } from './order-fields.ts'
import { createOrder, readAttempt, readOrder, terminateOrder } from './orders.ts'
import { createRefund, readNewRefund, readRefund } from './refunds.ts'
import { PAY_ORDER_PATH, payOrderRoute } from './pay-order.ts'
import { newPace, paceAsPublished } from './pace.ts'
import { badUrl, invalid, missing } from './refusals.ts'
import { settlementRoutes } from './settlements/routes.ts'
import { simulationRoutes } from './simulation-routes.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'

const VERSIONS: ReadonlySet<string> = new Set(API_VERSIONS)

export function apiRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  fakeEdge(app, store)
  app.addHook('onRequest', (request, reply, done) => {
    const needsKeys = request.routeOptions.url !== `/pg${PAY_ORDER_PATH}`
    admit(request, reply, { store, keys: needsKeys ? parts.keys : undefined, versions: VERSIONS })
    done()
  })
  paceAsPublished(app, parts)

  const { get, patch, write } = callsOf(app, parts)
  write('/orders', ({ body, nowMs }) => orderEntity(createOrder(store, readNewOrder(body, nowMs), nowMs)))
  get('/orders/:orderId', ({ params, nowMs }) => orderEntity(readOrder(store, params.orderId, nowMs)))
  patch('/orders/:orderId', ({ params, body, nowMs }) => {
    const status = isFields(body) ? body.order_status : undefined
    if (status === undefined) throw missing('order_status')
    if (status !== 'TERMINATED') throw invalid('order_status', 'should be TERMINATED', status)
    return orderEntity(terminateOrder(store, params.orderId, nowMs))
  })
  get('/orders/:orderId/payments', ({ params, nowMs }) => {
    const order = readOrder(store, params.orderId, nowMs)
    return store.attemptsOf(order.orderId).map((attempt) => paymentEntity(order, attempt))
  })
  get('/orders/:orderId/payments/:cfPaymentId', ({ params, nowMs }) => {
    const order = readOrder(store, params.orderId, nowMs)
    return paymentEntity(order, readAttempt(store, order.orderId, params.cfPaymentId))
  })
  subscriptionRoutes(app, parts, newPace(undefined))
  payOrderRoute(app, parts)
  settlementRoutes(app, parts)
  refundRoutes(app, parts)
  disputeRoutes(app, parts)
  simulationRoutes(app, parts)
}

function refundRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const { get, write } = callsOf(app, parts)
  write('/orders/:orderId/refunds', ({ params, body, nowMs }) => {
    const refund = createRefund(store, params.orderId, readNewRefund(body), nowMs)
    if (refund.processedAtMs !== null) announceRefund(parts, refund, 1, nowMs)
    return refundEntity(refund)
  })
  get('/orders/:orderId/refunds', ({ params, nowMs }) => store.refundsOf(readOrder(store, params.orderId, nowMs).orderId).map(refundEntity))
  get('/orders/:orderId/refunds/:refundId', ({ params, nowMs }) =>
    refundEntity(readRefund(store, readOrder(store, params.orderId, nowMs).orderId, params.refundId)),
  )
}

function disputeRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const { get } = callsOf(app, parts)
  get('/disputes/:disputeId', ({ params }) => disputeEntity(parts, readDispute(store, params.disputeId)))
  get('/payments/:cfPaymentId/disputes', ({ params }) =>
    disputesOfPayment(store, params.cfPaymentId).map((dispute) => disputeEntity(parts, dispute)),
  )
  get('/orders/:orderId/disputes', ({ params, nowMs }) =>
    store.disputesOf(readOrder(store, params.orderId, nowMs).orderId).map((dispute) => disputeEntity(parts, dispute)),
  )
}
