/**
 * The member's ticket key: 32 random bytes as hex, made in this browser and sent with the first top-up or the first join.
 * - It is stored under the member's id until the session ends.
 * - An offered key is marked. After a lost answer the same key is offered again, never a second one.
 * - known-key.ts says which key counts as the member's; only the checks of tickets load it.
 */
import { dayAt } from '@roz/core/ist-day.ts'
import { ApiError, call } from '../app/api.ts'
import { keepOwn, readOwn } from '../app/own-memory.ts'
import { serverNowMs } from '../features/clock.ts'

const OFFERED = '?'
const KEYS_TRIED_MAX = 3
const KEY = /^[0-9a-f]{64}$/

export const readKey = (memberId: string): string | undefined => readOwn('roz-ticket-key', memberId)
export const bareKey = (value: string | undefined): string | undefined => value?.replace(/^[?=]/, '')
export function keepKey(memberId: string, value: string, since = dayAt(serverNowMs())): void {
  if (bareKey(readKey(memberId)) !== bareKey(value)) keepOwn('roz-ticket-key-since', memberId, since)
  keepOwn('roz-ticket-key', memberId, value)
}

export function newTicketKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The key, if this device knows that it is the member's. */
export function ticketKeyOf(memberId: string): string | undefined {
  const value = readKey(memberId)
  const key = bareKey(value)
  return key !== undefined && KEY.test(key) && value?.startsWith(OFFERED) !== true ? key : undefined
}

/** The key to offer with the next call, or undefined if the server already has one. The first entry asks for it again. */
async function keyToOffer(memberId: string): Promise<string | undefined> {
  if (ticketKeyOf(memberId) !== undefined) return undefined
  const { key } = await call('ticketKey')
  if (key !== null) return undefined
  const offered = bareKey(readKey(memberId))
  return offered !== undefined && KEY.test(offered) ? offered : newTicketKey()
}

/**
 * Runs a call that may carry the ticket key. If another member has the same key (409 ticket_key_taken), the call is
 * repeated with a new key: the refused call has changed nothing.
 */
export async function withTicketKey<T>(memberId: string, send: (ticketKey: string | undefined) => Promise<T>): Promise<T> {
  let key = await keyToOffer(memberId)
  for (let attempt = 1; ; attempt += 1) {
    if (key !== undefined) keepKey(memberId, OFFERED + key)
    try {
      return await send(key)
    } catch (error) {
      const taken = error instanceof ApiError && error.code === 'ticket_key_taken'
      if (!taken || attempt === KEYS_TRIED_MAX) throw error
      key = newTicketKey()
    }
  }
}
