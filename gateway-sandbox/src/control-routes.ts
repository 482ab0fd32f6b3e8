/**
 * The control API, for people and tests that play payer, bank and bad network: /__sandbox/….
 * 200 with the order, 400 for a body that says nothing known, 404 for no such order, 409 for a step
 * that the order's state does not allow. It needs a JSON content type, so no web page can call it.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Parts } from './api-routes.ts'
import { indianTime } from './clock.ts'
import { orderEntity, paymentEntity } from './entities.ts'
import { faultSwitches } from './faults.ts'
import type { AttemptStatus, Delivery } from './model.ts'
import { pay, readOrder } from './orders.ts'
import { badBody, badUrl, Refusal } from './refusals.ts'
import type { Store } from './store.ts'

const MAX_WEBHOOKS = 100

export const OUTCOMES = { success: 'SUCCESS', failed: 'FAILED', pending: 'PENDING', dropped: 'USER_DROPPED' } as const satisfies Record<
  string,
  AttemptStatus
>

const payment = z.strictObject({
  outcome: z.enum(['success', 'failed', 'pending', 'dropped']),
  webhooks: z.int().min(0).max(MAX_WEBHOOKS).default(1),
})

type OrderPath = { Params: { orderId: string } }

export function controlRoutes(app: FastifyInstance, { store, clock, webhooks }: Parts): void {
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  app.post<OrderPath>('/orders/:orderId/pay', async (request) => {
    const { outcome, webhooks: copies } = parse(payment, request.body)
    const nowMs = await clock.now()
    const surchargePaise = Math.round(store.faults().surcharge * 100)
    webhooks.announce(
      step(() => pay(store, request.params.orderId, OUTCOMES[outcome], surchargePaise, nowMs)),
      copies,
      nowMs,
    )
    return orderView(store, request.params.orderId, nowMs)
  })
  app.get<OrderPath>('/orders/:orderId', async (request) => orderView(store, request.params.orderId, await clock.now()))
  app.get('/faults', () => store.faults())
  app.post('/faults', (request) => {
    store.put({ kind: 'faults', value: parse(faultSwitches, request.body) })
    return store.faults()
  })
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {})
  if (result.success) return result.data
  throw badBody(result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '))
}

/** What the API calls a bad request is here a step that cannot be. */
function step<T>(move: () => T): T {
  try {
    return move()
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'order_inactive') throw new Refusal(409, cause.message, cause.code)
    throw cause
  }
}

/** The order as its own entity, with its attempts and every webhook sent for it. */
function orderView(store: Store, orderId: string, nowMs: number): Record<string, unknown> {
  const order = readOrder(store, orderId, nowMs)
  return {
    ...orderEntity(order),
    payments: store.attemptsOf(orderId).map((attempt) => paymentEntity(order, attempt)),
    webhooks: store.deliveriesOf(orderId).map(deliveryView),
  }
}

const deliveryView = (delivery: Delivery): Record<string, unknown> => ({
  type: delivery.type,
  url: delivery.url,
  idempotency_key: delivery.idempotencyKey,
  body: delivery.body,
  state: delivery.state,
  next_attempt_at: delivery.state === 'waiting' ? indianTime(delivery.dueAtMs) : null,
  attempts: delivery.sendings.map(({ attempt, atMs, status, answer, error }) => ({ attempt, at: indianTime(atMs), status, answer, error })),
})
