/**
 * The sandbox's time: the product's clock if its address is given, else the machine's clock.
 *
 * - If the product's clock does not answer, the sandbox keeps running with the last known offset.
 */
const TIMEOUT_MS = 1_000
const CACHE_MS = 900

export type SandboxClock = {
  /** Asks the product's clock each time, so a clock that was just moved is seen. For rules that depend on the time. */
  now(): Promise<number>
  /** Cached for 900 ms. For the retry timer. */
  recent(): Promise<number>
}

export function sandboxClock(clockUrl: string | undefined): SandboxClock {
  let offsetMs = 0
  let askedAtMs = Number.NEGATIVE_INFINITY
  let knownAtMs = Number.NEGATIVE_INFINITY

  async function ask(url: string): Promise<void> {
    const before = Date.now()
    askedAtMs = before
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      const body: unknown = await response.json()
      const now = typeof body === 'object' && body !== null && 'now' in body ? Date.parse(String(body.now)) : Number.NaN
      // A slow answer to an earlier request must not overwrite a newer offset.
      if (Number.isNaN(now) || before < knownAtMs) return
      offsetMs = now - (before + Date.now()) / 2
      knownAtMs = before
    } catch {
      // The product is down or busy: keep the last known offset.
    }
  }

  async function read(maxAgeMs: number): Promise<number> {
    if (clockUrl !== undefined && Date.now() - askedAtMs >= maxAgeMs) await ask(clockUrl)
    return Math.round(Date.now() + offsetMs)
  }
  return { now: () => read(0), recent: () => read(CACHE_MS) }
}

const IST_OFFSET_MS = 19_800_000

/** `2025-01-15T12:20:29+05:30`: the gateway writes every instant in Indian time, to the second. */
export const indianTime = (instantMs: number): string => `${new Date(instantMs + IST_OFFSET_MS).toISOString().slice(0, 19)}+05:30`
