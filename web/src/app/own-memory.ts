/**
 * Stores the signed-in member's own values in this browser: the ticket key and the receipts.
 * - Every end of the session deletes them.
 * - Nothing is stored without a session, so a late answer leaves nothing behind.
 */
import { readStored, store } from './stored.ts'
import { token } from './token.ts'

/** Each slot stores its values by member id. */
const SLOTS = ['roz-ticket-key', 'roz-ticket-key-since', 'roz-receipts'] as const
type Slot = (typeof SLOTS)[number]

/** Storage may be blocked (private windows) or full. A value then lasts for this page only. */
const fallback = new Map<string, string>()
const nameOf = (slot: Slot, memberId: string): string => `${slot}:${memberId}`

export function readOwn(slot: Slot, memberId: string): string | undefined {
  const name = nameOf(slot, memberId)
  return readStored(name) ?? fallback.get(name)
}

export function keepOwn(slot: Slot, memberId: string, value: string): void {
  if (token.get() === undefined) return
  const name = nameOf(slot, memberId)
  if (!store(name, value)) fallback.set(name, value)
}

/** Deletes the values of every member: a browser whose session ended elsewhere may still have another member's values. */
export function forgetOwn(): void {
  fallback.clear()
  try {
    for (const name of Object.keys(localStorage)) if (SLOTS.some((slot) => name.startsWith(`${slot}:`))) localStorage.removeItem(name)
  } catch {
    // Storage is blocked, so nothing was stored.
  }
}
