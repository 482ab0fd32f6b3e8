/**
 * Sends the call `me`, for which every member's screen waits, before the program has loaded.
 * - The answer is used at most once, and only with the token it was requested with.
 */
import { calls } from 'virtual:calls'
import type { SentRequest } from './api.ts'
import { token } from './token.ts'

let asked: (SentRequest & { readonly token: string }) | undefined

export function askWhoIsHere(): void {
  const held = token.get()
  if (held === undefined) return
  const [method, path] = calls.me
  const headers = { accept: 'application/json', authorization: `Bearer ${held}` }
  const aborter = new AbortController()
  const answer = fetch(`/api${path}`, { method, headers, cache: 'no-store', signal: aborter.signal })
  // Avoids an unhandled rejection: the caller that takes the promise handles the failure.
  answer.catch(() => undefined)
  asked = { token: held, answer, end: () => aborter.abort() }
}

export function takeFirstAnswer(): SentRequest | undefined {
  const first = asked
  asked = undefined
  return first?.token === token.get() ? first : undefined
}
