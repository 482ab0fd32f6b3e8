/** POST /simulate: the gateway's own way to play a payer and a bank in its sandbox. */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { callsOf, type Parts } from './calls.ts'
import { paymentEvent } from './entities.ts'
import { type Fields, isFields, oneOf, optional, required } from './fields.ts'
import type { AttemptStatus } from './model.ts'
import { simulate } from './orders.ts'
import { badBody, missing, noSimulation } from './refusals.ts'
import type { Simulation } from './settlements/model.ts'
import type { Store } from './store.ts'
import { moveCharge, readCharge, rescheduleCharge } from './subscriptions/charges.ts'
import { playMandate } from './subscriptions/mandates.ts'
import { readSubscription } from './subscriptions/subscriptions.ts'

const SUBSCRIPTION_ENTITIES = ['SUBS_PAYMENTS', 'SUBS_EXECUTION', 'SUBS_RESCHEDULE'] as const
const ENTITIES = ['PAYMENTS', ...SUBSCRIPTION_ENTITIES] as const
const STATUSES = ['SUCCESS', 'FAILED', 'PENDING', 'USER_DROPPED'] as const satisfies readonly AttemptStatus[]

export function simulationRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const { get, write } = callsOf(app, parts)
  write('/simulate', ({ body, nowMs }) => keepSimulation(store, 'payment', simulated(parts, body, nowMs)))
  get('/simulate/:simulationId', ({ params }) => readSimulation(store, 'payment', params.simulationId))
}

/** Gives the answer its id, and keeps both. */
export function keepSimulation(store: Store, kind: Simulation['kind'], answered: Fields): Fields {
  const simulationId = `sim_${randomUUID().replaceAll('-', '')}`
  const body = { simulation_id: simulationId, ...answered }
  store.put({ kind: 'simulation', value: { simulationId, kind, body: JSON.stringify(body) } })
  return body
}

export function readSimulation(store: Store, kind: Simulation['kind'], simulationId: string): string {
  const found = store.simulations.get(simulationId)
  if (found?.kind !== kind) throw noSimulation()
  return found.body
}

function simulated(parts: Parts, body: unknown, nowMs: number): Fields {
  if (!isFields(body)) throw badBody()
  const entity = oneOf(body.entity, 'entity', ENTITIES)
  const entityId = required(body.entity_id, 'entity_id', 1, 250, /^/, '')
  if (!isFields(body.entity_simulation)) throw missing('entity_simulation')
  const status = oneOf(body.entity_simulation.payment_status, 'entity_simulation.payment_status', STATUSES)
  const code = optional(body.entity_simulation.payment_error_code, 'entity_simulation.payment_error_code', 1, 100)
  if (entity === 'PAYMENTS') {
    parts.webhooks.announce(paymentEvent(simulate(parts.store, entityId, status, code, nowMs), nowMs), 1, nowMs)
  } else simulateCharge(parts, entity, entityId, status, code, nowMs)
  const played = { payment_status: status, ...(code === null ? {} : { payment_error_code: code }) }
  return { entity, entity_id: entityId, entity_simulation: played }
}

/** An AUTH takes its mandate with it, as the press on the hosted page does. */
function simulateCharge(
  parts: Parts,
  entity: (typeof SUBSCRIPTION_ENTITIES)[number],
  paymentId: string,
  status: (typeof STATUSES)[number],
  code: string | null,
  nowMs: number,
): void {
  const charge = readCharge(parts.store, paymentId)
  if (entity === 'SUBS_RESCHEDULE') {
    rescheduleCharge(parts, charge)
  } else if (charge.type === 'AUTH') {
    const step = ({ SUCCESS: 'approve', PENDING: 'bank_pending', FAILED: 'decline', USER_DROPPED: 'leave' } as const)[status]
    playMandate(parts, readSubscription(parts, charge.subscriptionId, nowMs), { step, copies: 1, force: false }, nowMs)
  } else {
    const played = status === 'USER_DROPPED' ? 'FAILED' : status
    moveCharge(parts, charge, { status: played, reason: code ?? undefined, copies: 1, force: false }, nowMs)
  }
}
