/**
 * Who is here: the one question that every member's screen waits for, asked before the program has come.
 * Invariant: the answer is taken once, and only for the token it was asked with.
 */
import { calls } from 'virtual:calls'
import { token } from './token.ts'

let asked: { readonly token: string; readonly answer: Promise<Response> } | undefined

export function askWhoIsHere(): void {
  const held = token.get()
  if (held === undefined) return
  const [method, path] = calls.me
  const headers = { accept: 'application/json', authorization: `Bearer ${held}` }
  const answer = fetch(`/api${path}`, { method, headers, cache: 'no-store' })
  // Whoever takes it hears of a failure.
  answer.catch(() => undefined)
  asked = { token: held, answer }
}

export function takeFirstAnswer(): Promise<Response> | undefined {
  const first = asked
  asked = undefined
  return first?.token === token.get() ? first?.answer : undefined
}
