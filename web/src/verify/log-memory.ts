/**
 * Stores the log key and the newest verified checkpoint of the log of days in this browser, for all its members.
 * - Every later check is compared with the stored checkpoint, so a rewritten or forked log is detected.
 * - Only a checkpoint that is consistent with the stored one replaces it.
 */
import { readStored, store } from '../app/stored.ts'

export type KnownLog = {
  readonly logKey: string
  readonly checkpoint: { readonly origin: string; readonly size: number; readonly root: Uint8Array }
}

const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const bytesOf = (hex: string): Uint8Array => new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))

const SLOT = 'roz-log'

export function knownLog(): KnownLog | undefined {
  try {
    const kept = JSON.parse(readStored(SLOT) ?? 'null') as {
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

export function rememberLog({ logKey, checkpoint: { origin, size, root } }: KnownLog): void {
  const before = knownLog()?.checkpoint
  // Two checks at the same time may end in any order: the longer log stays stored.
  if (before !== undefined && before.origin === origin && before.size > size) return
  // Where storage is blocked, the next check starts again from the site's own key, without a checkpoint.
  store(SLOT, JSON.stringify({ logKey, origin, size, root: hexOf(root) }))
}

export const forgetLog = (): boolean => store(SLOT, undefined)
