/**
 * What this browser keeps of the member who is logged in.
 *
 * - It goes with the session, however that ends.
 * - After that nothing is written: an answer that was under way leaves nothing behind.
 */
import { token } from './token.ts'

/** Each holds a value under the member's id. */
const SLOTS = ['roz-ticket-key', 'roz-ticket-key-since', 'roz-receipts'] as const
type Slot = (typeof SLOTS)[number]

/** Storage may be closed (private windows) or full: a value then lives for this page only. */
const fallback = new Map<string, string>()
const nameOf = (slot: Slot, memberId: string): string => `${slot}:${memberId}`

export function readOwn(slot: Slot, memberId: string): string | undefined {
  const name = nameOf(slot, memberId)
  try {
    return localStorage.getItem(name) ?? fallback.get(name)
  } catch {
    return fallback.get(name)
  }
}

export function keepOwn(slot: Slot, memberId: string, value: string): void {
  if (token.get() === undefined) return
  const name = nameOf(slot, memberId)
  try {
    localStorage.setItem(name, value)
  } catch {
    fallback.set(name, value)
  }
}

/** Of every member: a browser that lost its session elsewhere may still hold another's. */
export function forgetOwn(): void {
  fallback.clear()
  try {
    for (const name of Object.keys(localStorage)) if (SLOTS.some((slot) => name.startsWith(`${slot}:`))) localStorage.removeItem(name)
  } catch {
    // Nothing was kept.
  }
}
