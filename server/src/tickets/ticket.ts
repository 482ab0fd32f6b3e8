/** A member's ticket of a day, and how the key that it is made with is kept (spec/protocol.md, chapter 2). */
import { ticketText } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { HASH_BYTES, hashInto, hexOf } from './sha256.ts'

export const TICKET_KEY_BYTES = 32
const BLOCK_BYTES = 64
/** Key and text; key and inner hash. What RFC 2104 adds to a key: the rest of a block stays as it is, for every key has the same length. */
let inner = Buffer.alloc(0)
const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, 0x5c)

/**
 * A member's ticket of a day: HMAC-SHA256 by its definition, in two hashes. The platform's own makes an
 * object for each and takes three times as long: every join and a million closes of a day wait for it.
 */
export function ticketOf(key: Uint8Array, day: IstDay): Buffer {
  if (key.length !== TICKET_KEY_BYTES) throw new Error('a ticket key has 32 bytes')
  return Buffer.from(ticketHex(key, 0, day), 'hex')
}

/** The ticket by the key that begins at `keyAt`, as hex. */
export function ticketHex(keys: Uint8Array, keyAt: number, day: IstDay): string {
  hashInner(keys, keyAt, day)
  return hexOf(outer)
}

/** The same as bytes, into others that are there; they may be those of the keys. */
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

/** Nearly every ticket is one of today. */
let newest: IstDay | undefined
function prepare(day: IstDay): void {
  if (newest === day) return
  inner = Buffer.concat([Buffer.alloc(BLOCK_BYTES, 0x36), ticketText(day)])
  newest = day
}

/** What a sealed key is bound to: another member's row opens nothing. */
export const keyContextOf = (memberId: bigint): string => `ticket_key:${memberId}`
