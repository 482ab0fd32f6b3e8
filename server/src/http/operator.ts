/** What operators and load balancers ask: /healthz (alive), /readyz (can serve), /metrics (Prometheus, behind METRICS_TOKEN where set). */
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Registry, collectDefaultMetrics, Gauge, Histogram } from 'prom-client'
import { type Db, one, sql } from '../db/sql.ts'
import { sendProblem } from './faults.ts'

export type OperatorDeps = { readonly db: Db; readonly metricsToken: string | undefined; readonly isStopping: () => boolean }

export function registerOperator(app: FastifyInstance, deps: OperatorDeps): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'roz_http_request_seconds',
    help: 'Time to answer, by route pattern (never by address)',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  registry.registerMetric(moneyToLookAt(deps.db))
  app.addHook('onResponse', async (request, reply) => {
    duration.observe(
      { method: request.method, route: request.routeOptions.url ?? 'unknown', status: reply.statusCode },
      reply.elapsedTime / 1000,
    )
  })
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (deps.isStopping()) return sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 5 })
    await deps.db.query(sql`select 1 as ready`)
    return { status: 'ready' }
  })
  app.get('/metrics', async (request, reply) => {
    if (deps.metricsToken !== undefined && !sameText(request.headers.authorization ?? '', `Bearer ${deps.metricsToken}`)) {
      return sendProblem(request, reply, { code: 'unauthenticated' })
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

/** Counted from the books at each look, so that a restart forgets nothing: above zero somebody has to look. */
function moneyToLookAt(db: Db): Gauge {
  return new Gauge({
    name: 'roz_withdrawals_contradicted',
    help: 'Withdrawals of which the gateway said otherwise than we had booked, or holds another amount',
    registers: [],
    async collect() {
      const { flagged } = await one<{ flagged: number }>(
        db,
        sql`select count(*)::int as flagged from withdrawal where flags && array['gateway_conflict', 'other_amount']`,
      )
      this.set(flagged)
    },
  })
}

function sameText(given: string, expected: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(expected)
  return left.length === right.length && timingSafeEqual(left, right)
}
