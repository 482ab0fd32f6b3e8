/**
 * The member's ticket key: 32 random bytes as hex, made in this browser and sent with the first top-up or the first join.
 * - It is stored under the member's id until the session ends.
 * - An offered key is marked. After a lost answer the same key is offered again, never a second one.
 * - A key counts as the member's once the server has named it in an answer. Until the first entry, another device's key may take its place.
 * - This device then keeps the other device's key and marks it, so that the member is told.
 */
import { addDays, dayAt, type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { ApiError, call } from '../app/api.ts'
import { keepOwn, readOwn } from '../app/own-memory.ts'
import { serverNowMs } from '../features/clock.ts'

const OFFERED = '?'
/** The prefix of another device's key that replaced the one offered here. */
const OTHERS = '='
const KEYS_TRIED_MAX = 3
const KEY = /^[0-9a-f]{64}$/

const read = (memberId: string): string | undefined => readOwn('roz-ticket-key', memberId)
const bare = (value: string | undefined): string | undefined => value?.replace(/^[?=]/, '')
function keep(memberId: string, value: string, since = dayAt(serverNowMs())): void {
  if (bare(read(memberId)) !== bare(value)) keepOwn('roz-ticket-key-since', memberId, since)
  keepOwn('roz-ticket-key', memberId, value)
}

/** The first day on which only this device's key may serve. For earlier days the server may name an older key, or another device's key. */
export function servesSince(memberId: string): IstDay {
  const known = parseDay(readOwn('roz-ticket-key-since', memberId) ?? '')
  if (known !== undefined) return known
  const today = dayAt(serverNowMs())
  keepOwn('roz-ticket-key-since', memberId, today)
  return today
}

/** The server's copy of the key of an earlier day, or undefined if there is none. */
export async function earlierTicketKey(memberId: string, day: string): Promise<string | undefined> {
  if (day >= servesSince(memberId)) return undefined
  const { key } = await call('ticketKey', { query: { day } })
  return key === null || key === ticketKeyOf(memberId) ? undefined : key
}

export function newTicketKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The key, if this device knows that it is the member's. */
export function ticketKeyOf(memberId: string): string | undefined {
  const value = read(memberId)
  const key = bare(value)
  return key !== undefined && KEY.test(key) && value?.startsWith(OFFERED) !== true ? key : undefined
}

/** Whether another device's first key counts on that day: this device has stored it, and has had no other key since. */
export const isOthersKey = (memberId: string, day: string): boolean =>
  read(memberId)?.startsWith(OTHERS) === true && day <= servesSince(memberId)

/** The key of the member's tickets: the one known here, else the server's copy, which is then stored here. */
export async function ownTicketKey(memberId: string): Promise<string | undefined> {
  const own = ticketKeyOf(memberId)
  if (own !== undefined) return own
  // A key that serves from tomorrow on, as after "This wasn't me", is this device's key: the server names the present one until then.
  const tomorrow = addDays(dayAt(serverNowMs()), 1)
  const [present, { key }] = await Promise.all([call('ticketKey'), call('ticketKey', { query: { day: tomorrow } })])
  // Two parallel checks both ask the server: the first result stays.
  const known = ticketKeyOf(memberId)
  if (known !== undefined || key === null) return known
  const offered = bare(read(memberId))
  keep(memberId, offered === undefined || offered === key ? key : OTHERS + key, key === present.key ? undefined : tomorrow)
  return key
}

/** The key to offer with the next call, or undefined if the server already has one. The first entry asks for it again. */
async function keyToOffer(memberId: string): Promise<string | undefined> {
  if (ticketKeyOf(memberId) !== undefined) return undefined
  const { key } = await call('ticketKey')
  if (key !== null) return undefined
  const offered = bare(read(memberId))
  return offered !== undefined && KEY.test(offered) ? offered : newTicketKey()
}

/**
 * Runs a call that may carry the ticket key. If another member has the same key (409 ticket_key_taken), the call is
 * repeated with a new key: the refused call has changed nothing.
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
