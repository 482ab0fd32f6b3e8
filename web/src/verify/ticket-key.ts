/**
 * The member's ticket key (fair-draw): 32 random bytes as hex, made in this browser, kept under the
 * member's id because a device may be shared, sent with the first money or the first join.
 * Invariants: a key that this device has offered is marked so, and a lost answer leads to the same key
 * being offered again, never to a second one. It counts as the member's once the server, asked about an
 * entry, names it: until the first entry another device's may take its place, and that is told too.
 */
import { dayAt, type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { ApiError, call } from '../app/api.ts'
import { serverNowMs } from '../features/clock.ts'

const OFFERED = '?'
/** Before a key of another device of the member's, which took the place of the one offered here. */
const OTHERS = '='
const KEYS_TRIED_MAX = 3
const KEY = /^[0-9a-f]{64}$/

const slot = (memberId: string): string => `roz-ticket-key:${memberId}`
const sinceSlot = (memberId: string): string => `roz-ticket-key-since:${memberId}`

/** Storage may be shut (private windows) or full: the key then lives for this page only; the server keeps it anyway. */
const fallback = new Map<string, string>()
function readSlot(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? fallback.get(name)
  } catch {
    return fallback.get(name)
  }
}
function fillSlot(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    fallback.set(name, value)
  }
}
const read = (memberId: string): string | undefined => readSlot(slot(memberId))
const bare = (value: string | undefined): string | undefined => value?.replace(/^[?=]/, '')
function keep(memberId: string, value: string): void {
  if (bare(read(memberId)) !== bare(value)) fillSlot(sinceSlot(memberId), dayAt(serverNowMs()))
  fillSlot(slot(memberId), value)
}

/**
 * The first day on which no other key than this device's may serve. Of the days before it the server
 * may name an earlier key, which this one replaced or which another device made.
 */
export function servesSince(memberId: string): IstDay {
  const known = parseDay(readSlot(sinceSlot(memberId)) ?? '')
  if (known !== undefined) return known
  const today = dayAt(serverNowMs())
  fillSlot(sinceSlot(memberId), today)
  return today
}

/** The server's copy of the key of a day before that; undefined where there is none. */
export async function earlierTicketKey(memberId: string, day: string): Promise<string | undefined> {
  if (day >= servesSince(memberId)) return undefined
  const { key } = await call('ticketKey', { query: { day } })
  return key === null || key === ticketKeyOf(memberId) ? undefined : key
}

export function newTicketKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The key that this device knows to be the member's. */
export function ticketKeyOf(memberId: string): string | undefined {
  const value = read(memberId)
  const key = bare(value)
  return key !== undefined && KEY.test(key) && value?.startsWith(OFFERED) !== true ? key : undefined
}

/** Whether another device, too, had offered a first key by that day, and that one counts: this device has kept it, and has no other since. */
export const isOthersKey = (memberId: string, day: string): boolean =>
  read(memberId)?.startsWith(OTHERS) === true && day <= servesSince(memberId)

/** The key that the member's tickets are made with: the one known here, else the server's copy, which is then kept here. */
export async function ownTicketKey(memberId: string): Promise<string | undefined> {
  const own = ticketKeyOf(memberId)
  if (own !== undefined) return own
  const { key } = await call('ticketKey')
  // Two checks that run beside each other ask twice: what the first has found out stays.
  const known = ticketKeyOf(memberId)
  if (known !== undefined || key === null) return known
  const offered = bare(read(memberId))
  keep(memberId, offered === undefined || offered === key ? key : OTHERS + key)
  return key
}

/** The key to offer with the next call, or undefined when the server already has one: it is asked for again with the first entry. */
async function keyToOffer(memberId: string): Promise<string | undefined> {
  if (ticketKeyOf(memberId) !== undefined) return undefined
  const { key } = await call('ticketKey')
  if (key !== null) return undefined
  const offered = bare(read(memberId))
  return offered !== undefined && KEY.test(offered) ? offered : newTicketKey()
}

/**
 * Runs a call that may carry the ticket key. A key that another member has (409 ticket_key_taken)
 * is replaced by a new one and the call is made again: nothing had happened.
 */
export async function withTicketKey<T>(memberId: string, send: (ticketKey: string | undefined) => Promise<T>): Promise<T> {
  let key = await keyToOffer(memberId)
  for (let attempt = 1; ; attempt += 1) {
    if (key !== undefined) keep(memberId, OFFERED + key)
    try {
      return await send(key)
    } catch (error) {
      const taken = error instanceof ApiError && error.code === 'ticket_key_taken'
      if (!taken || attempt === KEYS_TRIED_MAX) throw error
      key = newTicketKey()
    }
  }
}
