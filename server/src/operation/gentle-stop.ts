/**
 * Stops a server without failing a request.
 * - It listens no more. Requests on open connections are still answered, each with `connection: close`, so clients go elsewhere.
 * - When no connection is left, or after `drainMs`, idle connections are closed, and running requests end in peace.
 */
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const LOOK_MS = 25

export async function stopGently(app: FastifyInstance, drainMs: number): Promise<void> {
  if (drainMs > 0) await drain(app.server, drainMs)
  // A connection whose answer began before the stop becomes idle later.
  const reaper = setInterval(() => app.server.closeIdleConnections(), LOOK_MS)
  try {
    await app.close()
  } finally {
    clearInterval(reaper)
  }
}

async function drain(server: FastifyInstance['server'], drainMs: number): Promise<void> {
  // HTTP's own close would also end connections that are idle at this moment, on which a request may be on its way.
  Server.prototype.close.call(server)
  const until = performance.now() + drainMs
  while (performance.now() < until && (await countConnections(server)) > 0) await sleep(LOOK_MS)
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))
