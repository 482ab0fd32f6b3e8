/**
 * The HTTP server of one process: the API below /api, the operator's endpoints, uploads, the site,
 * and outside production the developer's controls. Built by hand; nothing listens yet.
 */
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Clock } from './adapters/clock.ts'
import type { Catcher } from './adapters/mail/catcher.ts'
import { registerDevMail } from './adapters/mail/dev-mail.ts'
import type { Storage } from './adapters/storage/port.ts'
import { registerUploads } from './adapters/storage/uploads.ts'
import type { Config } from './config/config.ts'
import type { Db } from './db/sql.ts'
import { registerDevClock } from './dev/clock.ts'
import { registerSite } from './features/site/site.ts'
import { registerAccessLog } from './http/access-log.ts'
import { trustedProxies } from './http/client-address.ts'
import { registerFaults, sendProblem } from './http/faults.ts'
import { registerDocs } from './http/openapi.ts'
import { registerOperator } from './http/operator.ts'
import { registerCalls } from './http/route.ts'
import { registerSecurityHeaders } from './http/security-headers.ts'
import { registerShedding } from './http/shedding.ts'
import type { Services } from './services.ts'
import { siteDeps } from './site-deps.ts'

export type AppDeps = {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly storage: Storage
  readonly services: Services
  /** Where mails are caught outside production; undefined when they really leave. */
  readonly catcher: Catcher | undefined
  readonly log: FastifyBaseLogger
  readonly isStopping: () => boolean
}

export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, services } = deps
  const app = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    // No logger for each request: the few who log name the request themselves.
    childLoggerFactory: (logger) => logger,
    // An address that cannot be decoded leads nowhere.
    frameworkErrors: (_error, request, reply) => void sendProblem(request, reply, { code: 'not_found' }),
    trustProxy: trustedProxies(config.trustProxy),
    genReqId: () => randomUUID(),
    // A line on which nothing comes, or too slowly, ends: before a request's head is whole, before its body is, and between two.
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5000 },
    requestTimeout: 60_000,
    // Longer than the minute for which proxies keep theirs: they must not send a request into a line that just ends.
    keepAliveTimeout: 72_000,
    // On a machine that is busy a start takes its time, and giving up after ten seconds would only begin it anew; a part that never comes up is named.
    pluginTimeout: 300_000,
    // A stop waits for what runs, not for idle connections that browsers keep.
    forceCloseConnections: 'idle',
  })
  app.decorateRequest('session', undefined)
  app.decorateRequest('goal', undefined)
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  registerSecurityHeaders(app, config)
  registerAccessLog(app)
  registerFaults(app)
  registerShedding(app, { production: config.production })
  registerOperator(app, { db: deps.db, metricsToken: config.metricsToken, isStopping: deps.isStopping })
  await app.register(
    async (scope) => {
      scope.setNotFoundHandler((request, reply) => sendProblem(request, reply, { code: 'not_found' }))
      registerDocs(scope, config.business.brandName)
      registerCalls(scope, services.handlers, { sessions: services.sessions, publicUrl: config.publicUrl })
    },
    { prefix: '/api' },
  )
  registerUploads(app, deps.storage)
  if (!config.production) {
    registerDevClock(app, { db: deps.db, clock: deps.clock, runDue: services.worker.runDue })
    if (deps.catcher !== undefined) registerDevMail(app, deps.catcher)
  }
  if (config.webDir === undefined) app.setNotFoundHandler((request, reply) => sendProblem(request, reply, { code: 'not_found' }))
  else
    await registerSite(
      app,
      siteDeps(config, deps.db, services, config.webDir, () => deps.clock.now().getTime()),
    )
  return app
}
