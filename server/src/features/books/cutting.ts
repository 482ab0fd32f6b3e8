/**
 * Cuts debts at random into the parts that are published (spec/protocol.md, chapter 13).
 *
 * - The parts add up to the debt, and each is 1 to 5,000 paise. A debt of more than one paisa has at least two.
 * - Only the server and the member can compute the ids of the member's parts, which differ from day to day.
 */
import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { u64 } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'

export type Part = { readonly id: Buffer; readonly amount: number }
/** A random whole number from `low` to below `high`. */
export type DrawNumber = (low: number, high: number) => number

/**
 * The largest part that is drawn, whatever the debt; the average is 500 paise.
 * A part shows that its owner has at least as much, and only past winners have much.
 * With a limit of ₹40, one in fourteen of the largest parts belonged to a recent winner. Most members' balances reach the present
 * limit, so a part of that size singles out nobody (following.all.test.ts).
 */
const DRAWN_MAX_PAISE = 1_000

/**
 * - No whole balance is shown: only past winners have odd paise, so it would name them.
 * - Every part is drawn from one distribution until nothing is left, so the parts of a large debt look like all others.
 *   A cut into as few parts as possible would betray a large debt: by many parts of the largest size.
 */
export function cut(paise: number, draw: DrawNumber = randomInt): number[] {
  const parts: number[] = []
  for (let rest = paise; rest > 0; ) {
    // A debt has at least two parts: something is left for the second.
    const high = parts.length === 0 && rest > 1 ? Math.min(DRAWN_MAX_PAISE, rest - 1) : DRAWN_MAX_PAISE
    const part = Math.min(rest, draw(1, high + 1))
    parts.push(part)
    rest -= part
  }
  return parts
}

export const partId = (ticketKey: Uint8Array, day: IstDay, index: number): Buffer =>
  createHmac('sha256', ticketKey).update(`roz/v1/id\n${day}`).update(u64(index)).digest()

/** A member without a ticket key gets random ids, which nobody can find. */
export const partsOf = (paise: number, day: IstDay, ticketKey: Uint8Array | undefined): Part[] =>
  cut(paise).map((amount, index) => ({ amount, id: ticketKey === undefined ? randomBytes(32) : partId(ticketKey, day, index) }))
