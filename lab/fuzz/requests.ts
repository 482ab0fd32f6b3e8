/**
 * Makes requests from the contract: valid ones, and ones that are wrong in one or two ways.
 * - The body, the query and the path's parameters come from the call's own schemas.
 */
import { type CallName, api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { z } from 'zod'
import type { Dice } from '../faults/random.ts'
import { BODIES } from '../../e2e/harness/examples.ts'
import { rawBody, signed, uploadBody } from './bodies.ts'
import { type Actor, type Actors, tokenOf } from './actors.ts'
import { type Known, listOf } from './known.ts'
import { type Place, type Schema, spoil, usual, wrong } from './values.ts'

export const NAMES = Object.keys(api) as CallName[]
type Headers = readonly (readonly [name: string, value: string])[]
export type FuzzRequest = {
  readonly call: CallName
  /** The faults that were put into it; empty for a valid request. */
  readonly wrongs: readonly Wrong[]
  readonly method: string
  /** From the first slash, as it is sent. */
  readonly address: string
  readonly headers: Headers
  readonly body: Buffer | undefined
  readonly actor: string
}
type Making = {
  readonly dice: Dice
  readonly known: Known
  readonly actors: Actors
  readonly keys: Map<string, string[]>
  readonly nowMs: () => number
}

/** The ways in which a request is wrong. */
const WRONGS = ['field', 'caller', 'body', 'type', 'method', 'path', 'headers', 'key', 'query'] as const
type Wrong = (typeof WRONGS)[number]
const VALID_SHARE = 0.42
const TWICE_SHARE = 0.15

const schemas = new Map<z.ZodType, Schema>()
function schemaOf(schema: z.ZodType): Schema {
  const made = schemas.get(schema) ?? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema)
  schemas.set(schema, made)
  return made
}

export function makeRequest(call: CallName, making: Making): FuzzRequest {
  const { dice } = making
  const spec: EndpointSpec = api[call]
  const wrongs = dice.chance(VALID_SHARE) ? [] : [...new Set([dice.pick(WRONGS), ...(dice.chance(TWICE_SHARE) ? [dice.pick(WRONGS)] : [])])]
  const is = (one: Wrong): boolean => wrongs.includes(one)
  const place: Place = { dice, known: making.known, path: spec.path }
  const actor = actorOf(spec, making, is('caller'))
  const { body, type } = bodyOf(call, place, { field: is('field'), body: is('body') })
  const method = is('method') ? dice.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) : spec.method
  const headers: (readonly [string, string])[] = []
  const token = tokenOf(actor)
  if (token !== undefined) headers.push(['authorization', `Bearer ${token}`])
  if (body !== undefined) headers.push(['content-type', is('type') ? dice.pick(TYPES) : type])
  if (spec.access === 'signed' && body !== undefined && !is('caller')) headers.push(...signed(body, spec.path, making.nowMs()))
  const key = keyOf(spec, actor, making, is('key'))
  if (key !== undefined) headers.push(['idempotency-key', key])
  if (is('headers')) headers.push(...dice.pick(ODD_HEADERS)(token, dice))
  const address = addressOf(spec, place, { path: is('path'), query: is('query') })
  return { call, wrongs, method, address, headers, body, actor: actor.label }
}

/** A caller whom the call admits, or one whom it may refuse. */
function actorOf(spec: EndpointSpec, { dice, actors }: Making, foreign: boolean): Actor {
  if (foreign || dice.chance(0.03)) return dice.pick(actors.all)
  if (spec.access === 'admin') return dice.pick(actors.all.filter(({ role }) => role !== undefined && spec.roles?.includes(role) === true))
  if (spec.access === 'visitor' || spec.access === 'signed') return actors.nobody
  if (spec.access === 'session') return dice.pick([...actors.members, ...actors.all.filter(({ role }) => role !== undefined)])
  return dice.pick(actors.members)
}

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/json; charset=utf-16',
  'application/json;;;',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/jsonp',
  'a',
  '*/*',
] as const
const MALFORMED = [
  '{',
  '{"a":}',
  '{"amount": NaN}',
  '{"__proto__": {"a": 1}}',
  '{"constructor": {"prototype": 1}}',
  '\0',
  '{} {}',
  '\ufeff{}',
  '"',
  '[',
  '{"a":1,}',
  'null',
  '[]',
  '42',
  '"x"',
] as const

type Sent = { readonly body: Buffer | undefined; readonly type: string }
function bodyOf(call: CallName, place: Place, is: { readonly field: boolean; readonly body: boolean }): Sent {
  const { dice } = place
  const spec: EndpointSpec = api[call]
  if (spec.upload !== undefined) return uploadBody(spec.upload, dice, is.body || is.field)
  if (spec.raw === true) return rawBody(spec, place, is.body || is.field)
  const type = 'application/json'
  if (is.body) {
    if (dice.chance(0.04)) return { type, body: Buffer.from(JSON.stringify({ filler: 'x'.repeat(70_000) })) }
    if (dice.chance(0.15)) return { type, body: Buffer.from([0xff, 0xfe, 0x7b, 0x7d, 0x80]) }
    if (dice.chance(0.2)) return { type, body: Buffer.from(twice(JSON.stringify(BODIES[call] ?? {}), dice)) }
    return { type, body: Buffer.from(dice.pick(MALFORMED)) }
  }
  if (spec.body === undefined)
    return { type, body: is.field && spec.method !== 'GET' ? Buffer.from(JSON.stringify(wrong(dice) ?? {})) : undefined }
  const good = { ...(dice.chance(0.5) ? BODIES[call] : {}), ...(usual(schemaOf(spec.body), '', place) as object) }
  return { type, body: Buffer.from(JSON.stringify(is.field ? spoil(good, dice) : good) ?? '') }
}

/** Repeats the first key of an object, with another value. */
const twice = (json: string, dice: Dice): string => {
  const key = /^\{("[^"]+")/.exec(json)?.[1] ?? '"a"'
  return json === '{}' ? '{"a":1,"a":2}' : `${json.slice(0, -1)},${key}:${JSON.stringify(wrong(dice)) ?? 'null'}}`
}

function addressOf(spec: EndpointSpec, place: Place, is: { readonly path: boolean; readonly query: boolean }): string {
  const { dice, known } = place
  const parameter = (name: string): string => {
    if (is.path && dice.chance(0.6)) return dice.pick(ODD_PARTS)
    if (name === 'n') return String(dice.below(3))
    if (name === 'hash') return encodeURIComponent(known.any(dice.chance(0.5) ? listOf(spec.path) : 'hash'))
    if (name === 'day') return encodeURIComponent(known.any('day'))
    if (name === 'orderId') return encodeURIComponent(known.any('order'))
    return encodeURIComponent(known.any(dice.chance(0.9) ? listOf(spec.path) : 'uuid'))
  }
  const path = spec.path.replace(/\{(\w+)\}/g, (_, name: string) => parameter(name))
  const address = `/api${is.path && dice.chance(0.5) ? dice.pick(ODD_PATHS)(path) : path}`
  return `${address}${queryOf(spec, place, is.query)}`
}

function queryOf(spec: EndpointSpec, place: Place, odd: boolean): string {
  const { dice } = place
  const given = spec.query === undefined ? {} : (usual(schemaOf(spec.query), '', place) as Record<string, unknown>)
  const pairs = Object.entries(given).map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`)
  if (odd) pairs.push(...dice.pick(ODD_QUERIES)(Object.keys(given)[0] ?? 'limit', textOf(wrong(dice))))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** `encodeURIComponent` throws at half a character. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 8000)

const ODD_PARTS = [
  'x',
  '%00',
  '%20',
  '..%2f..%2f',
  "'%20or%201=1",
  'f'.repeat(101),
  '%F0%9F%98%80',
  '%E0%A4%A',
  '%ff',
  '-1',
  '0',
  '9'.repeat(40),
  '00000000-0000-4000-8000-00000000000g',
  '2026-02-30',
  '0000-00-00',
  '99999-01-01',
  'f'.repeat(64),
  'null',
  '%2e%2e',
  'a%0ab',
  '%',
  '1;x',
  '275760-09-13',
] as const
const ODD_PATHS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `${path}/x`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/', '/./'),
  (path) => path.replace('/', '/../'),
  (path) => path.slice(0, -1),
  (path) => `${path}%00`,
  (path) => `${path};a=b`,
  (path) => `${path}%3Fa`,
  (path) => path.replace(/[a-z]/, '%61'),
  (path) => `${path}${'/a'.repeat(300)}`,
]
const ODD_QUERIES: readonly ((name: string, value: string) => readonly string[])[] = [
  (name, value) => [`${name}=${encodeURIComponent(value)}`],
  (name, value) => [`${name}=${encodeURIComponent(value)}`, `${name}=2`],
  (name) => [`${name}[]=1`, `${name}[a]=b`],
  () => ['%', '=', '&&', 'a=%E0%A4%A', '__proto__=1', 'constructor=2'],
  (_, value) => [`cursor=${encodeURIComponent(value)}`],
  () => ['cursor=%00', 'limit=0'],
  () => ['limit=1e9'],
  () => ['limit=-1', 'cursor='],
  () => ['cursor=eyJhIjoxfQ', 'limit=100'],
  () => [`cursor=${Buffer.from('["2026-11-21T00:00:00Z","x"]').toString('base64url')}`],
  () => [`q=${'%25'.repeat(60)}`],
]
const ODD_HEADERS: readonly ((token: string | undefined, dice: Dice) => [string, string][])[] = [
  (token) => [['authorization', `Bearer ${token ?? 'x'}`]],
  () => [['authorization', 'Basic YTpi']],
  () => [['accept-language', 'hi-IN;q=9,*;q=0.1,\u00ff']],
  () => [['accept-language', 'x'.repeat(4000)]],
  () => [
    ['content-type', 'application/json'],
    ['content-type', 'text/plain'],
  ],
  () => [
    ['idempotency-key', 'a'],
    ['idempotency-key', 'b'],
  ],
  () => [['idempotency-key', '']],
  () => [['idempotency-key', 'k'.repeat(201)]],
  () => [
    ['x-forwarded-for', '1.2.3.4, \u00e9'],
    ['x-forwarded-host', 'evil.example'],
    ['x-forwarded-proto', 'javascript'],
  ],
  () => [['host', 'evil.example:99999']],
  () => [
    ['if-none-match', '*'],
    ['range', 'bytes=0-1,5-9'],
  ],
  () => [
    ['accept', 'application/xml'],
    ['accept-encoding', 'gzip;q=x'],
  ],
  () => [['content-encoding', 'gzip']],
  () => [['expect', '100-continue']],
  () => [
    ['user-agent', '\u00ff'.repeat(500)],
    ['cookie', 'a=b; a=c'],
  ],
  () => [['user-agent', '']],
  (_token, dice) => [['x'.repeat(1 + dice.below(200)), 'y'.repeat(2000)]],
]

/** A key for a call that takes one: mostly a new one; a wrong one was used by this caller for another request. */
function keyOf(spec: EndpointSpec, actor: Actor, { dice, keys }: Making, again: boolean): string | undefined {
  const used = keys.get(actor.label) ?? []
  if (again && used.length > 0) return dice.pick(used)
  if (!spec.refusals.includes('idempotency_mismatch') || dice.chance(0.3)) return undefined
  const key = `fuzz-${dice.below(1e9)}`
  keys.set(actor.label, [...used.slice(-20), key])
  return key
}
