/**
 * Ends answers that are read too slowly. Invariants:
 * - An answer may take a grace and the time that its bytes take at a slow phone's speed; then its socket is destroyed.
 * - A bounded number of whole answers waits to be read: one more ends the one that has waited longest.
 */
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

export type ReadLimits = {
  /** Answers that are written and wait to be read. */
  readonly unreadMax: number
  readonly graceMs: number
  readonly bytesPerSecondMin: number
}

type Watched = {
  readonly raw: ServerResponse
  /** Of the socket, before the answer. */
  readonly bytesBefore: number
  /** When a look found the answer begun: the work before it takes what time it needs. */
  begunMs: number | undefined
}
export type SlowReaders = {
  /** Until `forget`: an answer that is being written. */
  readonly watch: (raw: ServerResponse, bytesBefore: number) => void
  /** The answer is whole and nobody has read it yet. */
  readonly wait: (raw: ServerResponse, bytesBefore: number) => void
  readonly forget: (raw: ServerResponse) => void
}

/** By a reset: the system, too, lets go of what it still holds for somebody who does not read. */
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
