/**
 * Endpoints for operators and load balancers.
 * - /healthz answers 200 while the process is alive.
 * - /readyz answers 200 with alarms and parked work while the server can serve, and 503 while it stops or has no database.
 * - /metrics answers in Prometheus format (docs/metrics.md); if METRICS_TOKEN is set, only with that token.
 */
import { timingSafeEqual } from 'node:crypto'
import { VERSION } from '@roz/core/version.ts'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { listAlarms } from './alarms.ts'
import { countParked } from '../jobs/parking.ts'
import { sendProblem } from '../http/faults.ts'
import { shareReading } from '../http/shared-reading.ts'
import { registerFigures, type Sources } from './figures.ts'
import { type RouteKey, routeKeyOf } from '../http/route-key.ts'
import type { Meters } from './meters.ts'

type OperatorDeps = Sources & {
  readonly meters: Meters
  readonly metricsToken: string | undefined
  readonly isStopping: () => boolean
}

type Labels = 'method' | 'route' | 'status'

/** Gauges with the name of a counter, whose figures by kind are served without that ending; and names that end in their type. */
const MISNAMED = [
  'active_handles_total',
  'active_requests_total',
  'active_resources_total',
  'eventloop_utilization_histogram',
  'eventloop_utilization_summary',
]

export function registerOperator(app: FastifyInstance, deps: OperatorDeps): void {
  const { registry } = deps.meters
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(`nodejs_${name}`)
  const build = { name: 'roz_build_info', help: 'Always 1; the label is the release', labelNames: ['version'] as const }
  new Gauge({ ...build, registers: [registry] }).set({ version: VERSION }, 1)
  const duration = new Histogram({
    name: 'roz_http_request_seconds',
    help: 'Time to answer, by route pattern (never by address)',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  const observers = new Map<RouteKey, Map<number, Histogram.Internal<Labels>>>()
  /** A cache: looking a series up by its labels takes longer than counting in it. */
  const observerOf = (routeKey: RouteKey, status: number): Histogram.Internal<Labels> => {
    const known = observers.get(routeKey)?.get(status)
    if (known !== undefined) return known
    const made = duration.labels({ method: routeKey.method, route: routeKey.pattern ?? 'unknown', status })
    observers.set(routeKey, (observers.get(routeKey) ?? new Map<number, Histogram.Internal<Labels>>()).set(status, made))
    return made
  }
  const figures = new Registry()
  const readFigures = registerFigures(figures, deps)
  app.addHook('onResponse', (request, reply, done) => {
    observerOf(routeKeyOf(request), reply.statusCode).observe(reply.elapsedTime / 1000)
    done()
  })
  const readWork = shareReading(async () => ({ alarms: await listAlarms(deps.db), parked: await countParked(deps.db) }))
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (deps.isStopping()) return sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 5 })
    // Alarms and parked work do not change the status: they take no server out of service.
    return { status: 'ready', ...(await readWork()) }
  })
  app.get('/metrics', async (request, reply) => {
    if (deps.metricsToken !== undefined && !sameText(request.headers.authorization ?? '', `Bearer ${deps.metricsToken}`)) {
      return sendProblem(request, reply, { code: 'unauthenticated' })
    }
    await readFigures()
    return reply.type(registry.contentType).send(`${await registry.metrics()}${await figures.metrics()}`)
  })
}

function sameText(given: string, expected: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(expected)
  return left.length === right.length && timingSafeEqual(left, right)
}
