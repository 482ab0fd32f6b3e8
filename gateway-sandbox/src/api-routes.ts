/**
 * The gateway's API for orders, payments, refunds and disputes, under /pg.
 *
 * - Keys and version are checked before anything else.
 * - The same idempotency key with the same body gets the same answer.
 * - Every refusal has the gateway's own shape.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { admit, answer, once, type Parts } from './calls.ts'
import { disputeEntity, readDispute } from './disputes.ts'
import { orderEntity, paymentEntity, paymentEvent, refundEntity } from './entities.ts'
import { fakeEdge } from './edge.ts'
import { isFields } from './fields.ts'
import type { AttemptStatus } from './model.ts'
import { readNewOrder } from './order-fields.ts'
import { createOrder, readAttempt, readOrder, simulate, terminateOrder } from './orders.ts'
import { createRefund, readNewRefund, readRefund } from './refunds.ts'
import { badBody, badUrl, invalid, missing } from './refusals.ts'

/** API versions that write ids as strings: this sandbox writes no other form. */
const VERSIONS: ReadonlySet<string> = new Set(['2023-08-01', '2025-01-01', '2026-01-01'])
const SIMULATED: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'PENDING', 'USER_DROPPED'] satisfies AttemptStatus[])

type OrderPath = { Params: { orderId: string } }
type RefundPath = { Params: { orderId: string; refundId: string } }
type DisputePath = { Params: { disputeId: string } }
type PaymentPath = { Params: { orderId: string; cfPaymentId: string } }

export function apiRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, webhooks } = parts
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  fakeEdge(app, store)
  app.addHook('onRequest', (request, reply, done) => {
    admit(request, reply, { store, keys: parts.keys, versions: VERSIONS })
    done()
  })

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
  refundRoutes(app, parts)
  disputeRoutes(app, parts)
  app.post('/simulate', (request, reply) =>
    answer(parts, reply, (nowMs) =>
      once(store, request, reply, nowMs, () => {
        const { entityId, status, errorCode } = readSimulation(request.body)
        webhooks.announce(paymentEvent(simulate(store, entityId, status, errorCode, nowMs), nowMs), 1, nowMs)
        return {
          simulation_id: `sim_${randomUUID().replaceAll('-', '')}`,
          entity: 'PAYMENTS',
          entity_id: entityId,
          entity_simulation: { payment_status: status, ...(errorCode === null ? {} : { payment_error_code: errorCode }) },
        }
      }),
    ),
  )
}

function refundRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  app.post<OrderPath>('/orders/:orderId/refunds', (request, reply) =>
    answer(parts, reply, (nowMs) =>
      once(store, request, reply, nowMs, () =>
        refundEntity(createRefund(store, request.params.orderId, readNewRefund(request.body), nowMs)),
      ),
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
    answer(parts, reply, () => disputeEntity(store, readDispute(store, request.params.disputeId))),
  )
  app.get<OrderPath>('/orders/:orderId/disputes', (request, reply) =>
    answer(parts, reply, (nowMs) =>
      store.disputesOf(readOrder(store, request.params.orderId, nowMs).orderId).map((dispute) => disputeEntity(store, dispute)),
    ),
  )
}

function readSimulation(body: unknown): { entityId: string; status: AttemptStatus; errorCode: string | null } {
  if (!isFields(body)) throw badBody()
  if (body.entity !== 'PAYMENTS') throw invalid('entity', 'should be PAYMENTS', body.entity)
  if (typeof body.entity_id !== 'string' || body.entity_id === '') throw missing('entity_id')
  const simulation = body.entity_simulation
  if (!isFields(simulation)) throw missing('entity_simulation')
  const status = simulation.payment_status
  if (typeof status !== 'string' || !SIMULATED.has(status)) {
    throw invalid('entity_simulation.payment_status', `should be one of ${[...SIMULATED].join(', ')}`, status)
  }
  const code = simulation.payment_error_code ?? null
  if (code !== null && (typeof code !== 'string' || code.length > 100)) {
    throw invalid('entity_simulation.payment_error_code', 'should be a string', code)
  }
  return { entityId: body.entity_id, status: status as AttemptStatus, errorCode: code }
}
