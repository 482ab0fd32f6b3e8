/**
 * Debts cut at random (spec/protocol.md, chapter 13). Invariants: the parts add up to the debt, each is
 * 1 to 5,000 paise, and there are at least two; their ids can be computed by the server and the member
 * alone, and differ from day to day.
 */
import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { u64 } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'

export type Part = { readonly id: Buffer; readonly amount: number }
/** A whole number from `low` to below `high`, at random. */
export type Draw = (low: number, high: number) => number

/**
 * Parts are drawn up to here, whatever the debt: 500 paise on average. A part says that its owner has as
 * much, and past winners alone have much: up to ₹40, one in fourteen of the largest was the winner's of
 * the days before; what most members' balances hold tells nobody apart (following.test.ts).
 */
const DRAWN_MAX_PAISE = 1_000

/**
 * A whole balance would name past winners, for only they hold odd paise: so nobody's is shown. Part
 * after part comes from one law until nothing is left, so that those of a large debt look like all
 * others: cut into the fewest, it stood out as a crowd at the limit.
 */
export function cut(paise: number, draw: Draw = randomInt): number[] {
  const parts: number[] = []
  for (let rest = paise; rest > 0; ) {
    // The first leaves something for a second.
    const high = parts.length === 0 && rest > 1 ? Math.min(DRAWN_MAX_PAISE, rest - 1) : DRAWN_MAX_PAISE
    const part = Math.min(rest, draw(1, high + 1))
    parts.push(part)
    rest -= part
  }
  return parts
}

export const partId = (ticketKey: Uint8Array, day: IstDay, index: number): Buffer =>
  createHmac('sha256', ticketKey).update(`roz/v1/id\n${day}`).update(u64(index)).digest()

/** Without a key nobody can find them, and nobody is shown another's. */
export const partsOf = (paise: number, day: IstDay, ticketKey: Uint8Array | undefined): Part[] =>
  cut(paise).map((amount, index) => ({ amount, id: ticketKey === undefined ? randomBytes(32) : partId(ticketKey, day, index) }))
