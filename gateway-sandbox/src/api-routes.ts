/**
 * The gateway's API for orders and payments, under /pg. Keys and version are judged before anything
 * else; an answer is the same for the same idempotency key and body; every refusal has the gateway's
 * own shape. Faults of the API (`faults.api`) act here and nowhere else.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SandboxClock } from './clock.ts'
import { orderEntity, paymentEntity } from './entities.ts'
import type { AttemptStatus } from './model.ts'
import { isFields, readNewOrder } from './order-fields.ts'
import { createOrder, readAttempt, readOrder, simulate, terminateOrder } from './orders.ts'
import { badBody, badUrl, internal, invalid, keyReused, missing, Refusal, tooMany, wrongKeys } from './refusals.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

export type Keys = { readonly clientId: string; readonly clientSecret: string }
export type Parts = { readonly store: Store; readonly clock: SandboxClock; readonly webhooks: Webhooks; readonly keys: Keys }

/** Versions whose ids are strings, as this sandbox writes them. */
const VERSIONS: ReadonlySet<string> = new Set(['2023-08-01', '2025-01-01', '2026-01-01'])
const REPLAY_MS = 86_400_000
const SIMULATED: ReadonlySet<string> = new Set(['SUCCESS', 'FAILED', 'PENDING', 'USER_DROPPED'] satisfies AttemptStatus[])

type OrderPath = { Params: { orderId: string } }
type PaymentPath = { Params: { orderId: string; cfPaymentId: string } }

export function apiRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, webhooks } = parts
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  app.addHook('onRequest', (request, reply, done) => {
    admit(request, reply, parts)
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
  app.post('/simulate', (request, reply) =>
    answer(parts, reply, (nowMs) =>
      once(store, request, reply, nowMs, () => {
        const { entityId, status, errorCode } = readSimulation(request.body)
        webhooks.announce(simulate(store, entityId, status, errorCode, nowMs), 1, nowMs)
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

function admit(request: FastifyRequest, reply: FastifyReply, { store, keys }: Parts): void {
  const version = header(request, 'x-api-version')
  reply.header('x-request-id', header(request, 'x-request-id')?.slice(0, 200) ?? randomUUID())
  if (version !== undefined) reply.header('x-api-version', version)
  if (!same(header(request, 'x-client-id'), keys.clientId) || !same(header(request, 'x-client-secret'), keys.clientSecret))
    throw wrongKeys()
  if (version === undefined) throw new Refusal(400, 'version is missing in the request', 'version_missing')
  if (!VERSIONS.has(version)) {
    throw new Refusal(400, `version should be one of ${[...VERSIONS].join(', ')}. Value received: ${version}`, 'version_invalid')
  }
  if (store.faults().api !== 'rate_limit') return
  reply.headers({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0', 'x-ratelimit-retry': '1', 'x-ratelimit-type': 'app_id' })
  throw tooMany()
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Digests have one length, so that the comparison tells nothing about the keys' own. */
function same(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== undefined && timingSafeEqual(digest(given), digest(expected))
}

async function answer(parts: Parts, reply: FastifyReply, work: (nowMs: number) => unknown): Promise<FastifyReply> {
  const body = work(await parts.clock.now())
  const fault = parts.store.faults().api
  if (fault === 'error_after_commit') throw internal()
  // The socket stays open and silent until the caller gives up or the sandbox stops.
  if (fault === 'no_answer') return reply.hijack()
  return reply.type('application/json; charset=utf-8').send(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The first good answer to a key is given again for a day, to the same request only. */
function once(store: Store, request: FastifyRequest, reply: FastifyReply, nowMs: number, work: () => unknown): string {
  const key = header(request, 'x-idempotency-key')
  if (key === undefined) return JSON.stringify(work())
  reply.header('x-idempotency-key', key.slice(0, 200))
  const requestDigest = createHash('sha256')
    .update(`${request.url}\n${JSON.stringify(request.body)}`)
    .digest('hex')
  const first = store.replays.get(key)
  if (first !== undefined && nowMs - first.atMs < REPLAY_MS) {
    if (first.requestDigest !== requestDigest) throw keyReused()
    reply.header('x-idempotency-replayed', 'true')
    return first.body
  }
  const body = JSON.stringify(work())
  store.put({ kind: 'replay', value: { key, requestDigest, body, atMs: nowMs } })
  return body
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
