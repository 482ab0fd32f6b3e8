/** A member's ticket of a day, and how the key that it is made with is kept (spec/protocol.md, chapter 2). */
import { ticketText } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { sha256 } from './sha256.ts'

export const TICKET_KEY_BYTES = 32
const BLOCK_BYTES = 64
/** What RFC 2104 adds to a key: the rest of a block stays as it is, for every key has the same length. */
const inner = new Uint8Array(BLOCK_BYTES).fill(0x36)
const outer = new Uint8Array(BLOCK_BYTES).fill(0x5c)

/**
 * A member's ticket of a day: HMAC-SHA256 by its definition, in two hashes. The platform's own makes an
 * object for each and takes three times as long: every join and a million closes of a day wait for it.
 */
export function ticketOf(key: Uint8Array, day: IstDay): Buffer {
  if (key.length !== TICKET_KEY_BYTES) throw new Error('a ticket key has 32 bytes')
  for (let at = 0; at < TICKET_KEY_BYTES; at++) {
    const byte = key[at] as number
    inner[at] = byte ^ 0x36
    outer[at] = byte ^ 0x5c
  }
  return sha256(outer, sha256(inner, textOf(day)))
}

/** Nearly every ticket is one of today. */
let newest: { readonly day: string; readonly text: Uint8Array } = { day: '', text: new Uint8Array() }
function textOf(day: IstDay): Uint8Array {
  if (newest.day !== day) newest = { day, text: ticketText(day) }
  return newest.text
}

/** What a sealed key is bound to: another member's row opens nothing. */
export const keyContextOf = (memberId: bigint): string => `ticket_key:${memberId}`
