/** Derives every invalid body of a call from the contract, with the refusal that it must get. */
import type { CallName } from '@roz/contract/api.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import { specOf } from './calls.ts'
import { BODIES, type JsonObject } from './examples.ts'

export const JSON_TYPE = { 'content-type': 'application/json' }
export type Sent = {
  readonly body?: string | Buffer<ArrayBuffer>
  readonly headers?: Record<string, string>
  readonly token?: string | undefined
  readonly method?: string
}

const WRONG: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  'x',
  '\0',
  '\ud800',
  'x'.repeat(6000),
  '-1',
  [],
  [1],
  {},
  { a: 1 },
  [null],
]

/** Every body that differs from the valid one in one place and that the contract rejects. */
function* spoiled(name: CallName): Generator<JsonObject> {
  const schema = specOf(name).body
  const good = BODIES[name] ?? {}
  const places = (object: JsonObject, path: string[]): string[][] =>
    Object.entries(object).flatMap(([key, value]) => [
      [...path, key],
      ...(value !== null && typeof value === 'object' && !Array.isArray(value) ? places(value as JsonObject, [...path, key]) : []),
    ])
  for (const place of places(good, [])) {
    for (const wrong of WRONG) {
      const body = replaced(good, place, wrong)
      if (schema?.safeParse(body).success === false) yield body
    }
    const body = replaced(good, place, undefined)
    if (schema?.safeParse(body).success === false) yield body
  }
}

function replaced(object: JsonObject, [key = '', ...rest]: readonly string[], value: unknown): JsonObject {
  return { ...object, [key]: rest.length === 0 ? value : replaced(object[key] as JsonObject, rest, value) }
}

type Case = { readonly what: string; readonly sent: Sent; readonly is: readonly [status: number, code: RefusalCode] }
const TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp', 'text/json']
const MALFORMED = [
  '{',
  '{"a":}',
  '{"amount": NaN}',
  '{"amount": Infinity}',
  '{"amount": 01}',
  "{'a': 1}",
  '{"__proto__": {"a": 1}}',
  '\u0000',
  '{} {}',
]
const NO_OBJECT = ['null', '[]', '"text"', '42', 'true', '[{}]']

/** Every invalid request of a call, and the refusal that it must get. */
export function* cases(name: CallName): Generator<Case> {
  const json = (body: string): Sent => ({ body, headers: JSON_TYPE })
  const good = JSON.stringify(BODIES[name])
  const large = JSON.stringify({ ...BODIES[name], filler: 'x'.repeat(70_000) })
  for (const body of spoiled(name)) yield { what: 'a wrong value', sent: json(JSON.stringify(body)), is: [400, 'invalid_input'] }
  yield { what: 'an unknown field', sent: json(JSON.stringify({ ...BODIES[name], surprise: 1 })), is: [400, 'invalid_input'] }
  for (const body of MALFORMED) yield { what: 'malformed JSON', sent: json(body), is: [400, 'bad_json'] }
  for (const body of NO_OBJECT) yield { what: 'a body that is no object', sent: json(body), is: [400, 'invalid_input'] }
  for (const type of TYPES) {
    yield { what: `the content type ${type}`, sent: { body: good, headers: { 'content-type': type } }, is: [415, 'unsupported_media_type'] }
  }
  yield { what: 'a body above 64 KB', sent: json(large), is: [413, 'body_too_large'] }
  yield { what: 'the size before the type', sent: { body: large, headers: { 'content-type': 'text/plain' } }, is: [413, 'body_too_large'] }
  yield {
    what: 'the type before the JSON',
    sent: { body: '{', headers: { 'content-type': 'text/plain' } },
    is: [415, 'unsupported_media_type'],
  }
}
