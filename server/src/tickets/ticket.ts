/** A member's ticket of a day, and how the key that it is made with is kept (spec/protocol.md, chapter 2). */
import { createHmac } from 'node:crypto'
import { ticketText } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'

/** A member's ticket of a day. */
export const ticketOf = (key: Uint8Array, day: IstDay): Buffer => createHmac('sha256', key).update(textOf(day)).digest()

/** Nearly every ticket is one of today. */
let newest: { readonly day: string; readonly text: Uint8Array } = { day: '', text: new Uint8Array() }
function textOf(day: IstDay): Uint8Array {
  if (newest.day !== day) newest = { day, text: ticketText(day) }
  return newest.text
}

/** What a sealed key is bound to: another member's row opens nothing. */
export const keyContextOf = (memberId: bigint): string => `ticket_key:${memberId}`
