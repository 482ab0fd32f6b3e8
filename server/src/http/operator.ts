/**
 * Endpoints for operators and load balancers.
 * - /healthz answers 200 while the process is alive.
 * - /readyz answers 200 with alarms and parked work while the server can serve, and 503 while it stops or has no database.
 * - /metrics answers in Prometheus format; if METRICS_TOKEN is set, only with that token.
 */
import { timingSafeEqual } from 'node:crypto'
import { VERSION } from '@roz/core/version.ts'
import type { FastifyInstance } from 'fastify'
import { Registry, collectDefaultMetrics, Gauge, Histogram } from 'prom-client'
import { type Db, one, type Sql, sql } from '../db/sql.ts'
import { listAlarms } from './alarms.ts'
import { countParked } from '../jobs/parking.ts'
import { sendProblem } from './faults.ts'
import { type Goal, goalOf } from './goal.ts'

export type OperatorDeps = { readonly db: Db; readonly metricsToken: string | undefined; readonly isStopping: () => boolean }

type Labels = 'method' | 'route' | 'status'

export function registerOperator(app: FastifyInstance, deps: OperatorDeps): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({ name: 'roz_build_info', help: 'Always 1; the label is the release', labelNames: ['version'], registers: [registry] }).set(
    { version: VERSION },
    1,
  )
  const duration = new Histogram({
    name: 'roz_http_request_seconds',
    help: 'Time to answer, by route pattern (never by address)',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  const observers = new Map<Goal, Map<number, Histogram.Internal<Labels>>>()
  /** A cache: looking a series up by its labels takes longer than counting in it. */
  const observerOf = (goal: Goal, status: number): Histogram.Internal<Labels> => {
    const known = observers.get(goal)?.get(status)
    if (known !== undefined) return known
    const made = duration.labels({ method: goal.method, route: goal.pattern ?? 'unknown', status })
    observers.set(goal, (observers.get(goal) ?? new Map<number, Histogram.Internal<Labels>>()).set(status, made))
    return made
  }
  for (const figure of MONEY_TO_LOOK_AT) registry.registerMetric(figureGauge(deps.db, figure))
  app.addHook('onResponse', (request, reply, done) => {
    observerOf(goalOf(request), reply.statusCode).observe(reply.elapsedTime / 1000)
    done()
  })
  app.get('/healthz', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (deps.isStopping()) return sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 5 })
    // Alarms and parked work do not change the status: they take no server out of service.
    return { status: 'ready', alarms: await listAlarms(deps.db), parked: await countParked(deps.db) }
  })
  app.get('/metrics', async (request, reply) => {
    if (deps.metricsToken !== undefined && !sameText(request.headers.authorization ?? '', `Bearer ${deps.metricsToken}`)) {
      return sendProblem(request, reply, { code: 'unauthenticated' })
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}

type Figure = { readonly name: string; readonly help: string; readonly read: Sql }

/** Gauges counted from the database at each scrape, so a restart forgets nothing. A value above zero needs a person. */
const MONEY_TO_LOOK_AT: readonly Figure[] = [
  {
    name: 'roz_work_parked',
    help: 'Due work that failed again and again and is tried rarely: npm run parked lists it',
    read: sql`select count(*)::float8 as value from parked_work`,
  },
  {
    name: 'roz_withdrawals_contradicted',
    help: 'Withdrawals whose status or amount at the gateway contradicts our books',
    read: sql`select count(*)::float8 as value from withdrawal where flags && array['gateway_conflict', 'other_amount']`,
  },
  {
    name: 'roz_refunds_contradicted',
    help: 'Refunds whose status or amount at the gateway contradicts our books',
    read: sql`select count(*)::float8 as value from refund where problem in ('gateway_conflict', 'other_amount')`,
  },
  {
    name: 'roz_disputes_unbooked',
    help: 'Disputes whose money could not be booked',
    read: sql`select count(*)::float8 as value from dispute where problem is not null`,
  },
  {
    name: 'roz_disputes_open',
    help: 'Disputes that await our answer or a decision',
    read: sql`select count(*)::float8 as value from dispute where state = 'open'`,
  },
  {
    name: 'roz_audit_broken_invariants',
    help: 'Invariants of money that the newest audit found broken',
    read: sql`
      select coalesce((select jsonb_array_length(broken) from audit_run where finished_at is not null order by started_at desc limit 1), 0)::float8 as value`,
  },
  {
    name: 'roz_audit_age_seconds',
    help: 'Seconds since the newest audit ended; -1 before the first audit',
    read: sql`
      select coalesce(extract(epoch from roz_now() - (select max(finished_at) from audit_run)), -1)::float8 as value`,
  },
]

const figureGauge = (db: Db, { name, help, read }: Figure): Gauge =>
  new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set((await one<{ value: number }>(db, read)).value)
    },
  })

function sameText(given: string, expected: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(expected)
  return left.length === right.length && timingSafeEqual(left, right)
}
