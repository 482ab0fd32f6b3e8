/**
 * A local stand-in for the payment gateway: HTTP API, browser script, hosted page and webhooks.
 *
 * - A control API and an overview page let people and tests play payer and bank.
 * - The sandbox knows about the shop only what the real gateway would be told.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import { apiRoutes } from './api-routes.ts'
import type { Account, Keys, Parts, PayoutAccount, Tabs } from './calls.ts'
import { checkoutRoutes, scriptRoute } from './checkout-routes.ts'
import { sandboxClock } from './clock.ts'
import { controlRoutes } from './control-routes.ts'
import { overviewRoutes } from './overview-routes.ts'
import { payoutRoutes } from './payout-routes.ts'
import { badBody, badHost, badUrl, internal, Refusal } from './refusals.ts'
import { openStore } from './store.ts'
import { mandatePageRoutes } from './subscriptions/checkout-routes.ts'
import { startTimekeeper } from './subscriptions/timekeeper.ts'
import { verificationRoutes } from './verification/routes.ts'
import { startWebhooks } from './webhooks.ts'

const BODY_LIMIT_BYTES = 65_536

export type SandboxOptions = {
  /** 0 picks a free port. */
  readonly port: number
  readonly host: string
  /** Folder of the journal; made if missing. Only one sandbox at a time may use it. */
  readonly dataDir: string
  readonly pg: Keys
  /** Without an account the payouts API answers that payouts are not enabled. */
  readonly payouts?: PayoutAccount | undefined
  /** Without an account checks of bank details are not enabled. */
  readonly verification?: Account | undefined
  /** Where webhooks of settlements and subscriptions go. A control call may set it later. */
  readonly tabs?: Partial<Tabs> | undefined
  /** Address that answers `{"now": iso}`. Without it the machine's clock is used. */
  readonly clockUrl?: string | undefined
}

export type Sandbox = { readonly url: string; close(): Promise<void> }

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  await claimable(options.port, options.host)
  const store = openStore(options.dataDir)
  const clock = sandboxClock(options.clockUrl)
  const secrets = { pg: options.pg.clientSecret, payouts: options.payouts?.clientSecret ?? options.pg.clientSecret }
  const webhooks = startWebhooks(store, clock, secrets)
  const tabs: Tabs = { payments: options.tabs?.payments, subscriptions: options.tabs?.subscriptions }
  const parts: Parts = { store, clock, webhooks, keys: options.pg, payouts: options.payouts, verification: options.verification, tabs }
  const app = build(parts, options.host)
  const timekeeper = startTimekeeper(parts)
  async function close(): Promise<void> {
    timekeeper.close()
    webhooks.close()
    await app.close()
    store.close()
  }
  try {
    return { url: await app.listen({ port: options.port, host: options.host }), close }
  } catch (cause) {
    await close()
    throw cause
  }
}

const ALL_ADDRESSES = ['0.0.0.0', '::']

/** A web page whose name leads to this machine must not play the bank. */
function refuseOtherNames(app: FastifyInstance, host: string): void {
  const own = new Set(['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host])
  app.addHook('onRequest', async (request) => {
    const given = `http://${request.headers.host ?? ''}`
    if (!URL.canParse(given) || !own.has(new URL(given).hostname)) throw badHost()
  })
}

/** Fails on a busy port before the journal is opened: the sandbox on that port may be using the journal. */
async function claimable(port: number, host: string): Promise<void> {
  const probe = createServer()
  probe.listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

function build(parts: Parts, host: string): FastifyInstance {
  // Without forceCloseConnections, close() would wait for keep-alive connections.
  const app = Fastify({ logger: false, bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true })
  app.setErrorHandler((error, _request, reply) => {
    const refusal = asRefusal(error)
    return reply.code(refusal.status).send({ message: refusal.message, code: refusal.code, type: refusal.type })
  })
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  if (!ALL_ADDRESSES.includes(host)) refuseOtherNames(app, host)
  app.get('/healthz', () => ({ status: 'ok' }))
  scriptRoute(app)
  app.register(async (scope) => apiRoutes(scope, parts), { prefix: '/pg' })
  app.register(
    async (scope) => {
      await scope.register(formbody)
      mandatePageRoutes(scope, parts)
    },
    { prefix: '/pg/view/subscriptions' },
  )
  app.register(async (scope) => payoutRoutes(scope, parts), { prefix: '/payout' })
  app.register(async (scope) => verificationRoutes(scope, parts), { prefix: '/verification' })
  app.register(async (scope) => controlRoutes(scope, parts), { prefix: '/__sandbox' })
  app.register(
    async (scope) => {
      await scope.register(formbody)
      checkoutRoutes(scope, parts)
    },
    { prefix: '/pg/view/sessions' },
  )
  app.register(async (scope) => {
    await scope.register(formbody)
    overviewRoutes(scope, parts)
  })
  return app
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const { statusCode, message } = error as FastifyError
  // Fastify's own refusals: the body is too large, has another content type, or is not JSON.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return badBody(message, statusCode)
  console.error(error)
  return internal()
}
