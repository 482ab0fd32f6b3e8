/**
 * Debts cut at random (spec/protocol.md, chapter 13). Invariants: the parts add up to the debt, each is
 * 1 to 5,000 paise, and there are at least two; their ids can be computed by the server and the member
 * alone, and differ from day to day.
 */
import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { u64 } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'

export const PART_MAX_PAISE = 5_000
export type Part = { readonly id: Buffer; readonly amount: number }

/** A whole balance would name past winners, for only they hold odd paise: so nobody's is shown. */
export function cut(paise: number): number[] {
  const fewest = Math.ceil(paise / PART_MAX_PAISE)
  const count = Math.min(paise, Math.max(2, fewest) + randomInt(0, 2))
  const parts: number[] = []
  let rest = paise
  for (let left = count - 1; left > 0; left--) {
    const low = Math.max(1, rest - PART_MAX_PAISE * left)
    const high = Math.min(PART_MAX_PAISE, rest - left)
    const part = randomInt(low, high + 1)
    parts.push(part)
    rest -= part
  }
  if (rest > 0) parts.push(rest)
  return parts
}

export const partId = (ticketKey: Uint8Array, day: IstDay, index: number): Buffer =>
  createHmac('sha256', ticketKey).update(`roz/v1/id\n${day}`).update(u64(index)).digest()

/** Without a key nobody can find them, and nobody is shown another's. */
export const partsOf = (paise: number, day: IstDay, ticketKey: Uint8Array | undefined): Part[] =>
  cut(paise).map((amount, index) => ({ amount, id: ticketKey === undefined ? randomBytes(32) : partId(ticketKey, day, index) }))
