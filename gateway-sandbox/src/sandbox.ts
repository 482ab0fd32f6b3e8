/**
 * A local stand-in for the payment gateway's public HTTP API (orders, payments, refunds and payouts),
 * with its script for the browser, its hosted page, its webhooks, and a control API and a page to play
 * the bank. It knows nothing of the shop that uses it: only what the gateway itself would be told.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import { apiRoutes } from './api-routes.ts'
import type { Keys, Parts, PayoutAccount } from './calls.ts'
import { checkoutRoutes, scriptRoute } from './checkout-routes.ts'
import { sandboxClock } from './clock.ts'
import { controlRoutes } from './control-routes.ts'
import { overviewRoutes } from './overview-routes.ts'
import { payoutRoutes } from './payout-routes.ts'
import { badBody, badUrl, internal, Refusal } from './refusals.ts'
import { openStore } from './store.ts'
import { startWebhooks } from './webhooks.ts'

const BODY_LIMIT_BYTES = 65_536

export type SandboxOptions = {
  /** 0 takes a free one. */
  readonly port: number
  readonly host: string
  /** Where orders are kept across restarts; made if missing. One sandbox at a time. */
  readonly dataDir: string
  readonly pg: Keys
  /** Without it the payouts API says that it is not enabled. */
  readonly payouts?: PayoutAccount | undefined
  /** Answers `{"now": iso}`; the machine's time without it. */
  readonly clockUrl?: string | undefined
}

export type Sandbox = { readonly url: string; close(): Promise<void> }

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  await claimable(options.port, options.host)
  const store = openStore(options.dataDir)
  const clock = sandboxClock(options.clockUrl)
  const secrets = { pg: options.pg.clientSecret, payouts: options.payouts?.clientSecret ?? options.pg.clientSecret }
  const webhooks = startWebhooks(store, clock, secrets)
  const app = build({ store, clock, webhooks, keys: options.pg, payouts: options.payouts })
  async function close(): Promise<void> {
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

/** Refuses a busy port before the journal is touched: it may belong to the sandbox that is running there. */
async function claimable(port: number, host: string): Promise<void> {
  const probe = createServer()
  probe.listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

function build(parts: Parts): FastifyInstance {
  // A stop does not wait for a caller that holds its connection open.
  const app = Fastify({ logger: false, bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true })
  app.setErrorHandler((error, _request, reply) => {
    const refusal = asRefusal(error)
    return reply.code(refusal.status).send({ message: refusal.message, code: refusal.code, type: refusal.type })
  })
  app.setNotFoundHandler(() => {
    throw badUrl()
  })
  app.get('/healthz', () => ({ status: 'ok' }))
  scriptRoute(app)
  app.register(async (scope) => apiRoutes(scope, parts), { prefix: '/pg' })
  app.register(async (scope) => payoutRoutes(scope, parts), { prefix: '/payout' })
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
  // What the framework refuses before a handler runs: a body too large, of another type, or no JSON.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) return badBody(message, statusCode)
  console.error(error)
  return internal()
}
