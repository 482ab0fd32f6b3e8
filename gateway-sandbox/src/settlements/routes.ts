/** The gateway's API for settlements and their reconciliation, under /pg. Each call may be made 30 times a minute. */
import type { FastifyInstance } from 'fastify'
import { callsOf, type Parts, versionOf } from '../calls.ts'
import { absent, type Fields, isFields, oneOf, optional, parseTime } from '../fields.ts'
import { readOrder } from '../orders.ts'
import { newPace, paced } from '../pace.ts'
import { badBody, invalid, missing, noOrder, noSettlement, orderNotPaid, Refusal } from '../refusals.ts'
import { keepSimulation, readSimulation } from '../simulation-routes.ts'
import { orderSettlementEntity, reconEntity, settlementEntity } from './entities.ts'
import { pageOf, readPage, readReconFilters, readSettlementFilters, readSpan } from './filters.ts'
import { moneyEvents, settledIn } from './ledger.ts'
import { settle } from './settlements.ts'

const CALLS_A_MINUTE = 30
const DAY_MS = 86_400_000
const SIMULATED_DAYS = 7
const DEFAULT_REASON = 'Due to some technical issues, your amount will be settled in the next settlement cycle.'

export function settlementRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const pace = newPace(CALLS_A_MINUTE)
  const { get, post } = callsOf(app, parts, ({ request, reply, nowMs }) => paced(parts, pace, request, reply, nowMs))
  post('/settlements', ({ body }) => {
    const { page, filters } = readPage(body)
    return pageOf([...store.settlements.values()].filter(readSettlementFilters(filters)), page, settlementEntity)
  })
  post('/settlement/recon', ({ body }) => {
    const { page, filters } = readPage(body)
    const found = [...store.settlements.values()].filter(readReconFilters(filters))
    const rows = found.flatMap((settlement) => settlement.events.map((event) => ({ event, settlement })))
    return pageOf(rows, page, ({ event, settlement }) => reconEntity(store, event, settlement))
  })
  post('/recon', ({ body }) => {
    const { page, filters } = readPage(body)
    const span = readSpan(filters, 'start_date', 'end_date')
    if (span === undefined) throw missing('filters.start_date')
    const settled = settledIn(store)
    const rows = moneyEvents(store).filter(({ atMs }) => atMs >= span[0] && atMs <= span[1])
    return pageOf(rows, page, (event) => reconEntity(store, event, settled.get(event.key)))
  })
  get('/orders/:orderId/settlements', ({ request, params, nowMs }) => {
    const order = readOrder(store, params.orderId, nowMs)
    // The newest settlement of the payment: another may follow a failed settlement.
    for (const settlement of [...store.settlements.values()].reverse()) {
      const event = settlement.events.find((one) => one.type === 'PAYMENT' && one.orderId === order.orderId)
      if (event !== undefined) return orderSettlementEntity(order, event, settlement, versionOf(request))
    }
    throw noSettlement()
  })
  simulationRoutes(app, parts)
}

function simulationRoutes(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const { get, write } = callsOf(app, parts)
  write('/simulate/settlement', ({ body, nowMs }) => keepSimulation(store, 'settlement', simulated(parts, body, nowMs)))
  get('/simulate/settlement/:simulationId', ({ params }) => readSimulation(store, 'settlement', params.simulationId))
}

/** Settles what is open of the orders named, or of all since `txnTime`. */
function simulated(parts: Parts, body: unknown, nowMs: number): Fields {
  if (!isFields(body)) throw badBody()
  const status = oneOf(body.status, 'status', ['SUCCESS', 'FAILED', 'PENDING'])
  const orderIds = readOrderIds(parts, body.merchantOrderIds)
  const sinceMs = readTime(body.txnTime, nowMs)
  if (orderIds === undefined && absent(body.txnTime)) throw missing('merchantOrderIds')
  const reason = status === 'FAILED' ? (optional(body.errorReason, 'errorReason', 1, 250) ?? DEFAULT_REASON) : null
  const settlement = settle(
    parts,
    {
      status,
      reason,
      includes: ({ orderId, atMs }) => atMs >= sinceMs && (orderIds === undefined || (orderId !== null && orderIds.has(orderId))),
      adjustmentPaise: 0,
      remarks: null,
    },
    1,
    nowMs,
  )
  return { entity: 'SETTLEMENTS', settlement_ids: [Number(settlement.settlementId)], simulation_status: status }
}

function readOrderIds({ store }: Parts, value: unknown): ReadonlySet<string> | undefined {
  if (absent(value)) return undefined
  if (!Array.isArray(value) || value.length === 0) throw invalid('merchantOrderIds', 'should be a list', value)
  return new Set(
    value.map((orderId: unknown) => {
      const order = typeof orderId === 'string' ? store.orders.get(orderId) : undefined
      if (order === undefined) throw noOrder()
      if (order.status !== 'PAID') throw new Refusal(400, 'order is not paid, nothing to settle', orderNotPaid().code)
      return order.orderId
    }),
  )
}

/** `YYYY-MM-DD HH:mm:ss` in Indian time, at most seven days back. */
function readTime(value: unknown, nowMs: number): number {
  if (absent(value)) return 0
  const isTime = typeof value === 'string' && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value)
  const atMs = isTime ? parseTime(`${value.replace(' ', 'T')}+05:30`) : Number.NaN
  if (Number.isNaN(atMs)) throw invalid('txnTime', 'should be YYYY-MM-DD HH:mm:ss', value)
  if (atMs < nowMs - SIMULATED_DAYS * DAY_MS || atMs > nowMs) throw invalid('txnTime', 'should be of the last seven days', value)
  return atMs
}
