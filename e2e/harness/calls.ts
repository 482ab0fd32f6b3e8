/**
 * The API as a client without a browser sees it: plain fetch, typed by the contract.
 * - Every accepted answer equals the contract's output; an undeclared field fails the test.
 */
import { type Api, api, type CallName, type Output } from '@roz/contract/api.ts'
import type { EndpointSpec, ErrorAnswer } from '@roz/contract/endpoint.ts'
import { REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import { expect } from 'vitest'

export const specOf = (name: CallName): EndpointSpec => api[name]

export type Given = {
  readonly token?: string | undefined
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly form?: FormData
  /** The Idempotency-Key. */
  readonly key?: string
  readonly language?: string
  readonly headers?: Readonly<Record<string, string>>
}
export type Answered<T> = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body of an accepted answer. */
  readonly output: T
  /** The body of a refusal. */
  readonly refusal: ErrorAnswer
}

export function addressOf(spec: EndpointSpec, given: Given = {}): string {
  const path = spec.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given.params?.[name] ?? ''))
  const query = new URLSearchParams(given.query).toString()
  return `/api${path}${query === '' ? '' : `?${query}`}`
}

/** Makes one call of the contract. */
export async function ask<N extends CallName>(origin: string, name: N, given: Given = {}): Promise<Answered<Output<Api[N]>>> {
  const spec = specOf(name)
  const response = await fetch(`${origin}${addressOf(spec, given)}`, {
    method: spec.method,
    headers: {
      ...(given.token === undefined ? {} : { authorization: `Bearer ${given.token}` }),
      ...(given.key === undefined ? {} : { 'idempotency-key': given.key }),
      ...(given.language === undefined ? {} : { 'accept-language': given.language }),
      ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...given.headers,
    },
    body: given.form ?? (given.body === undefined ? null : JSON.stringify(given.body)),
  })
  const text = await response.text()
  if (response.ok) judgeAccepted(name, response.status, text)
  const parsed = (): unknown => JSON.parse(text)
  return {
    status: response.status,
    headers: response.headers,
    text,
    get output() {
      if (!response.ok) throw new Error(`${name} answered ${response.status} ${text}`)
      return (typeof spec.output === 'string' ? text : parsed()) as Output<Api[N]>
    },
    get refusal() {
      if (response.ok) throw new Error(`${name} was accepted: ${text}`)
      return parsed() as ErrorAnswer
    },
  }
}

/** Expects the status and the whole body that the contract declares. */
export function judgeAccepted(name: CallName, status: number, text: string): void {
  const spec = specOf(name)
  expect([spec.status ?? 200, spec.alsoStatus], `${name}: an undeclared status`).toContain(status)
  if (spec.output === 'empty') expect(text, name).toBe('')
  if (typeof spec.output === 'string') return
  const body: unknown = JSON.parse(text)
  // Parsing strips unknown keys, so an undeclared field shows up as a difference.
  expect(spec.output.parse(body), `${name}: the answer is not what the contract declares`).toEqual(body)
}

/** Checks a refusal: only code, message and perhaps fields, with the HTTP status of that code. Returns the code. */
export function codeOf(name: string, status: number, text: string): string {
  const answer = JSON.parse(text) as { code: RefusalCode; message: string; fields?: Record<string, string> }
  expect(
    Object.keys(answer).filter((key) => !['code', 'message', 'fields'].includes(key)),
    name,
  ).toEqual([])
  expect(REFUSALS[answer.code]?.status, `${name}: ${text}`).toBe(status)
  expect(answer.message, name).toMatch(/\S/)
  for (const words of Object.values(answer.fields ?? {})) expect(words, name).toMatch(/\S/)
  return answer.code
}
