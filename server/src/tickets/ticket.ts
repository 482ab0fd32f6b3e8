/** Computes a member's ticket of a day, and names the context that its key is encrypted with (spec/protocol.md, chapter 2). */
import { ticketText } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { HASH_BYTES, hashInto, hexOf } from './sha256.ts'

export const TICKET_KEY_BYTES = 32
const BLOCK_BYTES = 64
/** The padded inputs of HMAC's two hashes (RFC 2104). The padding behind the key never changes, because all keys have one length. */
let inner = Buffer.alloc(0)
const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, 0x5c)

/**
 * A member's ticket of a day: HMAC-SHA256 by its definition, in two hashes.
 * Node's HMAC allocates an object per call and takes three times as long: each join and up to a million tickets per close wait for it.
 */
export function ticketOf(key: Uint8Array, day: IstDay): Buffer {
  if (key.length !== TICKET_KEY_BYTES) throw new Error('a ticket key has 32 bytes')
  return Buffer.from(ticketHex(key, 0, day), 'hex')
}

/** The ticket, as hex, of the key at offset `keyAt`. */
export function ticketHex(keys: Uint8Array, keyAt: number, day: IstDay): string {
  hashInner(keys, keyAt, day)
  return hexOf(outer)
}

/** Writes the ticket's bytes into an existing buffer, which may be `keys` itself. */
export function writeTicket(keys: Uint8Array, keyAt: number, day: IstDay, into: Buffer, at: number): void {
  hashInner(keys, keyAt, day)
  hashInto(outer, into, at)
}

function hashInner(keys: Uint8Array, keyAt: number, day: IstDay): void {
  if (keyAt + TICKET_KEY_BYTES > keys.length) throw new Error('a ticket key has 32 bytes')
  prepare(day)
  for (let index = 0; index < TICKET_KEY_BYTES; index++) {
    const byte = keys[keyAt + index] as number
    inner[index] = byte ^ 0x36
    outer[index] = byte ^ 0x5c
  }
  hashInto(inner, outer, BLOCK_BYTES)
}

/** The day that `inner` is prepared for: nearly every ticket is one of today. */
let newest: IstDay | undefined
function prepare(day: IstDay): void {
  if (newest === day) return
  inner = Buffer.concat([Buffer.alloc(BLOCK_BYTES, 0x36), ticketText(day)])
  newest = day
}

/** The context that an encrypted key is bound to: it does not decrypt in another member's row. */
export const keyContextOf = (memberId: bigint): string => `ticket_key:${memberId}`
