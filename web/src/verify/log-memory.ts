/**
 * Stores the log key and the newest verified checkpoint of the log of days on this device.
 * - Every later check is compared with the stored checkpoint, so a rewritten or forked log is detected.
 * - Only a checkpoint that is consistent with the stored one replaces it.
 */
export type KnownLog = {
  readonly logKey: string
  readonly checkpoint: { readonly origin: string; readonly size: number; readonly root: Uint8Array }
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const bytesOf = (hex: string): Uint8Array => new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))

/** `whose`: a member's id, or the public page's own memory in this browser. */
const slot = (whose: string): string => `roz-log:${whose}`

export function knownLog(whose: string): KnownLog | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(slot(whose)) ?? 'null') as {
      readonly logKey: string
      readonly origin: string
      readonly size: number
      readonly root: string
    } | null
    if (kept === null || !/^[0-9a-f]{64}$/.test(kept.root)) return undefined
    return { logKey: kept.logKey, checkpoint: { origin: kept.origin, size: kept.size, root: bytesOf(kept.root) } }
  } catch {
    return undefined
  }
}

export function rememberLog(whose: string, { logKey, checkpoint: { origin, size, root } }: KnownLog): void {
  const before = knownLog(whose)?.checkpoint
  // Two checks at the same time may end in any order: the longer log stays stored.
  if (before !== undefined && before.origin === origin && before.size > size) return
  try {
    localStorage.setItem(slot(whose), JSON.stringify({ logKey, origin, size, root: hexOf(root) }))
  } catch {
    // Storage is blocked: the next check starts again from the site's own key, without a checkpoint.
  }
}

export function forgetLog(whose: string): void {
  try {
    localStorage.removeItem(slot(whose))
  } catch {
    // Storage is blocked, so nothing was stored.
  }
}
