/**
 * The gateway's API for orders, payments, refunds and disputes, under /pg.
 *
 * - Keys and version are checked before anything else.
 * - The same idempotency key with the same body gets the same answer.
 * - Every refusal has the gateway's own shape.
 */
import type { FastifyInstance } from 'fastify'
import { admit, answer, API_VERSIONS, once, type Parts } from './calls.ts'
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

type OrderPath = { Params: { orderId: string } }
type RefundPath = { Params: { orderId: string; refundId: string } }
type DisputePath = { Params: { disputeId: string } }
type PaymentPath = { Params: { orderId: string; cfPaymentId: string } }

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

  app.post('/orders', (request, reply) =>
    answer(parts, reply, (nowMs) =>
      once(store, request, reply, nowMs, () => orderEntity(createOrder(store, readNewOrder(request.body, nowMs), nowMs))),
    ),
  )
  app.get<OrderPath>('/orders/:orderId', (request, reply) =>
    answer(parts, reply, (nowMs) => orderEntity(readOrder(store, request.params.orderId, nowMs))),
  )
  app.patch<OrderPath>('/orders/:orderId', (request, reply) =>
    answer(parts, reply, (nowMs) => {
      const status = isFields(request.body) ? request.body.order_status : undefined
      if (status === undefined) throw missing('order_status')
      if (status !== 'TERMINATED') throw invalid('order_status', 'should be TERMINATED', status)
      return orderEntity(terminateOrder(store, request.params.orderId, nowMs))
    }),
  )
  app.get<OrderPath>('/orders/:orderId/payments', (request, reply) =>
    answer(parts, reply, (nowMs) => {
      const order = readOrder(store, request.params.orderId, nowMs)
      return store.attemptsOf(order.orderId).map((attempt) => paymentEntity(order, attempt))
    }),
  )
  app.get<PaymentPath>('/orders/:orderId/payments/:cfPaymentId', (request, reply) =>
    answer(parts, reply, (nowMs) => {
      const order = readOrder(store, request.params.orderId, nowMs)
      return paymentEntity(order, readAttempt(store, order.orderId, request.params.cfPaymentId))
    }),
  )
  subscriptionRoutes(app, parts, newPace(undefined))
  payOrderRoute(app, parts)
  settlementRoutes(app, parts)
  refundRoutes(app, parts)
  disputeRoutes(app, parts)
  simulationRoutes(app, parts)
}

function refundRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  app.post<OrderPath>('/orders/:orderId/refunds', (request, reply) =>
    answer(parts, reply, (nowMs) =>
      once(store, request, reply, nowMs, () => {
        const refund = createRefund(store, request.params.orderId, readNewRefund(request.body), nowMs)
        if (refund.processedAtMs !== null) announceRefund(parts, refund, 1, nowMs)
        return refundEntity(refund)
      }),
    ),
  )
  app.get<OrderPath>('/orders/:orderId/refunds', (request, reply) =>
    answer(parts, reply, (nowMs) => store.refundsOf(readOrder(store, request.params.orderId, nowMs).orderId).map(refundEntity)),
  )
  app.get<RefundPath>('/orders/:orderId/refunds/:refundId', (request, reply) =>
    answer(parts, reply, (nowMs) => {
      const { orderId, refundId } = request.params
      return refundEntity(readRefund(store, readOrder(store, orderId, nowMs).orderId, refundId))
    }),
  )
}

function disputeRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  app.get<DisputePath>('/disputes/:disputeId', (request, reply) =>
    answer(parts, reply, () => disputeEntity(parts, readDispute(store, request.params.disputeId))),
  )
  app.get<{ Params: { cfPaymentId: string } }>('/payments/:cfPaymentId/disputes', (request, reply) =>
    answer(parts, reply, () => disputesOfPayment(store, request.params.cfPaymentId).map((dispute) => disputeEntity(parts, dispute))),
  )
  app.get<OrderPath>('/orders/:orderId/disputes', (request, reply) =>
    answer(parts, reply, (nowMs) =>
      store.disputesOf(readOrder(store, request.params.orderId, nowMs).orderId).map((dispute) => disputeEntity(parts, dispute)),
    ),
  )
}
