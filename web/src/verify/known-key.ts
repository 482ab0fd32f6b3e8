/**
 * Which ticket key counts as the member's, for the checks of tickets.
 * - A key counts once the server has named it in an answer. Until the first entry, another device's key may take its place.
 * - This device then keeps the other device's key and marks it, so that the member is told.
 */
import { addDays, dayAt, type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { call } from '../app/api.ts'
import { keepOwn, readOwn } from '../app/own-memory.ts'
import { serverNowMs } from '../features/clock.ts'
import { bareKey, keepKey, readKey, ticketKeyOf } from './ticket-key.ts'

/** The prefix of another device's key that replaced the one offered here. */
const OTHERS = '='

/** The first day on which only this device's key may serve. For earlier days the server may name an older key, or another device's key. */
function servesSince(memberId: string): IstDay {
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

/** Whether another device's first key counts on that day: this device has stored it, and has had no other key since. */
export const isOthersKey = (memberId: string, day: string): boolean =>
  readKey(memberId)?.startsWith(OTHERS) === true && day <= servesSince(memberId)

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
  const offered = bareKey(readKey(memberId))
  keepKey(memberId, offered === undefined || offered === key ? key : OTHERS + key, key === present.key ? undefined : tomorrow)
  return key
}
