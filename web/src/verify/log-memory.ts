/**
 * What this device remembers of the log of days: its key and the newest checkpoint that was found
 * sound. Invariant: each later look is held against it, so that a log that was rewritten or forked
 * cannot pass; it is replaced only by what was found consistent with it.
 */
export type KnownLog = {
  readonly logKey: string
  readonly checkpoint: { readonly origin: string; readonly size: number; readonly root: Uint8Array }
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const bytesOf = (hex: string): Uint8Array => new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))

/** `whose`: a member's own memory, or the one that the public page keeps for this browser. */
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
  // Two looks at once end in any order: the longer log stays remembered.
  if (before !== undefined && before.origin === origin && before.size > size) return
  try {
    localStorage.setItem(slot(whose), JSON.stringify({ logKey, origin, size, root: hexOf(root) }))
  } catch {
    // Storage is shut: the next look begins with the site's own word, as this one did.
  }
}

export function forgetLog(whose: string): void {
  try {
    localStorage.removeItem(slot(whose))
  } catch {
    // Nothing was kept.
  }
}
