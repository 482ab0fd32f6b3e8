/**
 * Bounds request bodies that are still arriving.
 * - A body may take `graceMs` plus the time that its bytes take at `bytesPerSecondMin`; then its socket is reset.
 * - At most `arrivingMax` bodies arrive at once: one more ends the oldest body of the address that sends most of them.
 * - Uploads are not counted there, so that no flood of bodies ends them: they have bounds of their own.
 * - A body that arrived together with its head is not watched: most do.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export type SendLimits = {
  readonly arrivingMax: number
  readonly graceMs: number
  readonly bytesPerSecondMin: number
}
type Raw = FastifyRequest['raw']
type Arriving = {
  readonly sinceMs: number
  readonly bytesBefore: number
  /** The sender; undefined for an upload. */
  readonly sender: string | undefined
  readonly forget: () => void
}
type Senders = {
  /** Counts an arriving body for its address and returns the function that ends the count. */
  readonly arrive: (request: FastifyRequest) => () => void
  /** The address that a body is counted for; undefined for an upload. */
  readonly senderOf: (request: FastifyRequest) => string | undefined
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

export function endSlowSenders(
  app: FastifyInstance,
  { arrivingMax, graceMs, bytesPerSecondMin }: SendLimits,
  { arrive, senderOf }: Senders,
): void {
  const arriving = new Map<Raw, Arriving>()
  const forget = (raw: Raw): void => {
    const entry = arriving.get(raw)
    arriving.delete(raw)
    entry?.forget()
  }
  const end = (raw: Raw): void => {
    forget(raw)
    raw.socket.resetAndDestroy()
  }

  function watch(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request
    const given = { sender: senderOf(request), forget: arrive(request) }
    arriving.set(raw, { sinceMs: performance.now(), bytesBefore: raw.socket.bytesRead, ...given })
    const done = (): void => forget(raw)
    raw.once('end', done)
    // A body that was refused unread never ends for us.
    reply.raw.once('close', done)
    if (arriving.size > arrivingMax) endOneOfMost()
  }

  /** Ends the oldest body of the address that sends most of them, unless uploads alone exceed the bound. */
  function endOneOfMost(): void {
    const bySender = Map.groupBy(
      [...arriving].filter(([, { sender }]) => sender !== undefined),
      ([, { sender }]) => sender,
    )
    const counted = [...bySender.values()]
    if (counted.reduce((sum, { length }) => sum + length, 0) <= arrivingMax) return
    const [oldest] = counted.reduce((most, bodies) => (bodies.length > most.length ? bodies : most))
    if (oldest !== undefined) end(oldest[0])
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
