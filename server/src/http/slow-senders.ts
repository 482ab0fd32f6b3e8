/**
 * Bounds request bodies that are still arriving.
 * - A body may take `graceMs` plus the time that its bytes take at `bytesPerSecondMin`; then its socket is reset.
 * - At most `arrivingMax` bodies arrive at once: one more ends the oldest one.
 * - A body that arrived together with its head is not watched: most do.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type SendLimits = {
  readonly arrivingMax: number
  readonly graceMs: number
  readonly bytesPerSecondMin: number
}
type Arriving = { readonly sinceMs: number; readonly bytesBefore: number }

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** `arrive` counts an arriving body for its address and returns the function that ends the count. */
export function endSlowSenders(
  app: FastifyInstance,
  { arrivingMax, graceMs, bytesPerSecondMin }: SendLimits,
  arrive: (request: FastifyRequest) => () => void,
): void {
  const arriving = new Map<FastifyRequest['raw'], Arriving>()
  const end = (raw: FastifyRequest['raw'] | undefined): void => void raw?.socket.resetAndDestroy()

  function watch(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request
    const forget = arrive(request)
    arriving.set(raw, { sinceMs: performance.now(), bytesBefore: raw.socket.bytesRead })
    const done = (): void => void (arriving.delete(raw) && forget())
    raw.once('end', done)
    // A body that was refused unread never ends for us.
    reply.raw.once('close', done)
    if (arriving.size > arrivingMax) end(arriving.keys().next().value)
  }
  app.addHook('preParsing', (request, reply, _body, done) => {
    if (hasBody(request) && !request.raw.complete && !reply.raw.destroyed) watch(request, reply)
    done()
  })

  const timer = setInterval(
    () => {
      const nowMs = performance.now()
      for (const [raw, { sinceMs, bytesBefore }] of arriving)
        if (nowMs - sinceMs > graceMs + ((raw.socket.bytesRead - bytesBefore) / bytesPerSecondMin) * 1000) end(raw)
    },
    Math.min(graceMs / 2, 5000),
  ).unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    done()
  })
}
