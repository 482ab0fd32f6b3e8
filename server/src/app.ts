/**
 * Builds the HTTP server of one process; it does not listen yet.
 * - It serves the API below /api, the operator's endpoints, uploads and the site.
 * - Outside production it also serves the developer's controls below /dev.
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
import { registerAccessLog } from './operation/access-log.ts'
import { trustedProxies } from './protection/client-address.ts'
import { registerFaults, sendProblem } from './http/faults.ts'
import type { Meters } from './operation/meters.ts'
import { readJsonBodies } from './http/bodies.ts'
import { registerDocs } from './http/openapi.ts'
import { registerOperator } from './operation/operator.ts'
import { registerOwnHosts } from './protection/own-hosts.ts'
import { registerRequestSpans } from './operation/request-spans.ts'
import { registerCalls } from './http/route.ts'
import { answerUnreadable, registerSecurityHeaders } from './http/security-headers.ts'
import { registerShedding } from './protection/shedding.ts'
import type { Secrets } from './secrets/secrets.ts'
import type { Services } from './services.ts'
import { siteDeps } from './site-deps.ts'

type AppDeps = {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly storage: Storage
  readonly secrets: Pick<Secrets, 'fingerprints'>
  readonly services: Services
  /** Catches mails outside production; undefined if mails are really sent. */
  readonly catcher: Catcher | undefined
  readonly log: FastifyBaseLogger
  readonly meters: Meters
  readonly isStopping: () => boolean
}

export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, services } = deps
  const app = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    // No logger per request: the few lines that are logged carry the request's id themselves.
    childLoggerFactory: (logger) => logger,
    // An address that cannot be decoded answers 404.
    frameworkErrors: (_error, request, reply) => void sendProblem(request, reply, { code: 'not_found' }),
    trustProxy: trustedProxies(config.trustProxy),
    genReqId: () => randomUUID(),
    // Timeouts of slow clients: 15 s for the head of a request, 60 s for the whole request; checked every 5 s.
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5000 },
    requestTimeout: 60_000,
    // Longer than the usual 60 s of proxies: a proxy must not send a request into a connection that is just closing.
    keepAliveTimeout: 72_000,
    // Generous, because on a busy machine a start is slow, and after Fastify's own 10 s the start would only begin again.
    pluginTimeout: 300_000,
    clientErrorHandler: answerUnreadable(config),
    // A stop waits for running requests, not for idle connections that browsers keep open.
    forceCloseConnections: 'idle',
    // A request on an open connection is served until the end (gentle-stop.ts).
    return503OnClosing: false,
  })
  app.decorateRequest('session', undefined)
  app.decorateRequest('routeKey', undefined)
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id)
    if (deps.isStopping()) reply.header('connection', 'close')
    done()
  })
  if (config.traces !== undefined) registerRequestSpans(app)
  readJsonBodies(app)
  registerSecurityHeaders(app, config)
  registerAccessLog(app, deps.secrets)
  registerFaults(app)
  if (!config.production) registerOwnHosts(app, config)
  registerShedding(app, { production: config.production })
  const { db, meters, isStopping } = deps
  const { witnesses, dataDir, metricsToken } = config
  registerOperator(app, { db, meters, witnesses, dataDir, metricsToken, isStopping })
  await app.register(
    async (scope) => {
      scope.setNotFoundHandler((request, reply) => sendProblem(request, reply, { code: 'not_found' }))
      registerDocs(scope, config.business)
      registerCalls(scope, services.handlers, { sessions: services.sessions, publicUrl: config.publicUrl })
    },
    { prefix: '/api' },
  )
  services.mountPages(app)
  registerUploads(app, deps.storage)
  if (!config.production) {
    registerDevClock(app, { db: deps.db, clock: deps.clock, runDue: services.worker.runDue })
    if (deps.catcher !== undefined) registerDevMail(app, deps.catcher)
  }
  if (config.webDir === undefined) app.setNotFoundHandler((request, reply) => sendProblem(request, reply, { code: 'not_found' }))
  else
    await registerSite(
      app,
      siteDeps(config, deps.db, services, {
        webDir: config.webDir,
        hasAutopay: await services.hasAutopay(),
        hasTransfers: await services.hasTransfers(),
        nowMs: () => deps.clock.now().getTime(),
      }),
    )
  return app
}
