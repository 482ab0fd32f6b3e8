/**
 * Ends answers that are read too slowly.
 * - An answer may take `graceMs` plus the time that its bytes take at `bytesPerSecondMin`; then its socket is reset.
 * - At most `unreadMax` written answers wait to be read: one more ends the oldest one.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

export type ReadLimits = {
  /** Answers that are written and not yet read. */
  readonly unreadMax: number
  readonly graceMs: number
  readonly bytesPerSecondMin: number
}

type Watched = {
  readonly raw: ServerResponse
  /** `bytesWritten` of the socket before the answer. */
  readonly bytesBefore: number
  /** Time of the first check that found headers sent: the work before the answer may take any time. */
  begunMs: number | undefined
}
export type SlowReaders = {
  /** An answer that is being written; watched until `forget`. */
  readonly watch: (raw: ServerResponse, bytesBefore: number) => void
  /** The whole answer is written and not yet read. */
  readonly wait: (raw: ServerResponse, bytesBefore: number) => void
  readonly forget: (raw: ServerResponse) => void
}

/** A reset makes the system drop the bytes that it has buffered for the client. */
const end = (raw: ServerResponse | undefined): unknown => raw?.socket?.resetAndDestroy()

export function createSlowReaders(app: FastifyInstance, { unreadMax, graceMs, bytesPerSecondMin }: ReadLimits): SlowReaders {
  const written = new Map<ServerResponse, Watched>()
  const unread = new Map<ServerResponse, Watched>()

  function endSlow({ raw, bytesBefore }: Watched, sinceMs: number): void {
    const bytes = (raw.socket?.bytesWritten ?? 0) - bytesBefore
    if (sinceMs > graceMs + (bytes / bytesPerSecondMin) * 1000) end(raw)
  }
  const timer = setInterval(
    () => {
      const nowMs = performance.now()
      for (const one of [...written.values(), ...unread.values()]) {
        if (!one.raw.headersSent) continue
        one.begunMs ??= nowMs
        endSlow(one, nowMs - one.begunMs)
      }
    },
    Math.min(graceMs / 2, 5000),
  ).unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer)
    done()
  })

  return {
    watch: (raw, bytesBefore) => void written.set(raw, { raw, bytesBefore, begunMs: undefined }),
    wait: (raw, bytesBefore) => {
      unread.set(raw, written.get(raw) ?? { raw, bytesBefore, begunMs: performance.now() })
      written.delete(raw)
      if (unread.size > unreadMax) end(unread.keys().next().value)
    },
    forget: (raw) => {
      written.delete(raw)
      unread.delete(raw)
    },
  }
}
