/**
 * The API as a client of no browser sees it: plain fetch, typed by the contract. Invariant: every
 * accepted answer is held against the contract's output, and nothing undeclared may stand in it.
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
  readonly key?: string
  readonly language?: string
  readonly headers?: Readonly<Record<string, string>>
}
export type Answered<T> = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** What an accepted answer carries. */
  readonly output: T
  /** What a refusal carries. */
  readonly refusal: ErrorAnswer
}

export function addressOf(spec: EndpointSpec, given: Given = {}): string {
  const path = spec.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given.params?.[name] ?? ''))
  const query = new URLSearchParams(given.query).toString()
  return `/api${path}${query === '' ? '' : `?${query}`}`
}

/** One call of the contract. */
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

/** The status and the whole body are what the contract declares. */
export function judgeAccepted(name: CallName, status: number, text: string): void {
  const spec = specOf(name)
  expect([spec.status ?? 200, spec.alsoStatus], `${name}: an undeclared status`).toContain(status)
  if (spec.output === 'empty') expect(text, name).toBe('')
  if (typeof spec.output === 'string') return
  const body: unknown = JSON.parse(text)
  // Unknown keys are stripped by parsing, so an undeclared field shows as a difference.
  expect(spec.output.parse(body), `${name}: the answer is not what the contract declares`).toEqual(body)
}

/** Every refusal is an object of code, words and perhaps fields, with the status of its code. */
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
