/**
 * The sandbox's time: the product's clock where an address for it is given, else the machine's.
 * Invariant: a clock that does not answer never stops the gateway; its last known offset holds.
 */
const TIMEOUT_MS = 1_000
const CACHE_MS = 900

export type SandboxClock = {
  /** Asks again, so that a clock that was just moved is seen: used where a rule depends on the time. */
  now(): Promise<number>
  /** At most a second old: used by the ticking of retries. */
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
      // A slow answer to an earlier question must not undo what a later one has learnt.
      if (Number.isNaN(now) || before < knownAtMs) return
      offsetMs = now - (before + Date.now()) / 2
      knownAtMs = before
    } catch {
      // The product is down or busy: its last known offset is the best guess.
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
