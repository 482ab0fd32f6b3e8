/** Values for the fields of requests: usual ones by the field's schema, and unusual ones that a schema should refuse or survive. */
import type { Dice } from '../faults/random.ts'
import { BANK, PASSWORD, PHONE } from '../../e2e/harness/people.ts'
import { type Known, listOf } from './known.ts'

/** The parts of a JSON schema that the contract's fields use. */
export type Schema = {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}
export type Place = { readonly dice: Dice; readonly known: Known; readonly path: string }

const HEX = '0123456789abcdef'
const hexOf = (dice: Dice, length: number): string => Array.from({ length }, () => HEX[dice.below(16)]).join('')
const AMOUNTS = [0.01, 0.5, 1, 1.25, 2, 5, 10, 10, 15, 20, 30, 60, 100, 1000, 100_000] as const
const WORDS = ['The bank did not take it.', 'गीता राव', 'Office rent of November', 'a pencil', 'É. O’Neill', 'Bill 12/7'] as const

/** Fields whose meaning the schema does not show. */
const BY_NAME: Readonly<Record<string, (place: Place) => unknown>> = {
  email: ({ known }) => known.any('email'),
  password: ({ dice }) => dice.pick([PASSWORD, PASSWORD, 'a staff password', 'wrong']),
  currentPassword: ({ dice }) => dice.pick([PASSWORD, PASSWORD, 'wrong']),
  newPassword: ({ dice }) => dice.pick([PASSWORD, 'a staff password']),
  phone: () => PHONE,
  phoneNumber: () => PHONE,
  token: ({ known }) => known.any('mail token'),
  name: ({ dice }) => dice.pick(['Gita Rao', 'गीता राव', 'Annapurna kitchen']),
  publicName: ({ dice, path }) => (path.startsWith('/user') ? dice.pick(['initial', 'anonymous']) : 'Meera'),
  amount: ({ dice }) => dice.pick(AMOUNTS),
  bankDetail: () => BANK,
  order_id: ({ known }) => known.any('order'),
  memberId: ({ known }) => known.any('/admin/users'),
  beneficiaryId: ({ known }) => known.any('/admin/beneficiaries'),
  receipts: ({ known }) => [known.any('/admin/uploads')],
  ids: ({ known }) => [known.any('/notifications')],
  id: ({ known, path }) => known.any(listOf(path)),
  day: ({ known }) => known.any('day'),
  on: ({ known }) => known.any('day'),
  from: ({ known, path, dice }) =>
    path.endsWith('/take-over') ? known.any('/admin/staff') : path.startsWith('/admin') ? known.any('day') : String(dice.below(6)),
  to: ({ known, path, dice }) => (path.startsWith('/admin') ? known.any('day') : String(dice.below(20))),
  index: ({ dice }) => String(dice.below(6)),
  size: ({ dice }) => String(dice.below(20)),
  cursor: ({ known, path }) => known.any(`cursor ${path}`),
  ticketKey: ({ dice }) => hexOf(dice, 64),
  bankReference: ({ dice }) => `UTR${dice.below(1e9)}`,
  totp: ({ dice }) => String(100_000 + dice.below(900_000)),
  version: ({ dice }) => dice.below(4),
  count: ({ dice }) => dice.below(5),
  startsAt: () => '2026-01-21T12:00:00+05:30',
  endsAt: () => '2099-12-31T12:00:00+05:30',
  link: ({ dice }) => dice.pick(['/wallet', null]),
  videoUrl: () => 'https://youtu.be/dQw4w9WgXcQ',
  howItWorksVideo: () => '',
  q: ({ dice, known }) => dice.pick(['a', '%', "o'n", '_', 'गीता', '"x', '\\', known.any('email')]),
  subject: ({ known }) => known.any('email'),
  actor: ({ dice }) => dice.pick(['system', 'unknown']),
}
/** A decision names the state that its item has: the states in which this decision is possible. */
const DECIDED_IN: readonly (readonly [path: RegExp, states: readonly string[]])[] = [
  [/\{id\}\/(approve|reject)$/, ['requested', 'requested', 'awaiting_second']],
  [/\{id\}\/(retry|complete|bank|not-paid|take-over)$/, ['approved']],
  [/\{id\}\/came-back$/, ['paid']],
]
/** Objects that are named as a whole. */
const WHOLE = new Set(['bankDetail'])

/** A value that the schema mostly accepts. */
export function usual(schema: Schema, name: string, place: Place): unknown {
  const { dice } = place
  const named = BY_NAME[name]
  if (named !== undefined && (schema.properties === undefined || WHOLE.has(name)) && dice.chance(0.9)) return named(place)
  const states = name === 'status' ? DECIDED_IN.find(([path]) => path.test(place.path))?.[1] : undefined
  if (states !== undefined && dice.chance(0.9)) return dice.pick(states)
  if (schema.anyOf !== undefined) return usual(dice.pick(schema.anyOf), name, place)
  if (schema.enum !== undefined) return dice.pick(schema.enum)
  if (schema.const !== undefined) return schema.const
  if (schema.properties !== undefined) return usualObject(schema, place)
  if (schema.type === 'array') {
    const length = Math.max(schema.minItems ?? 0, dice.below(3))
    return Array.from({ length }, () => usual(schema.items ?? {}, name, place))
  }
  if (schema.type === 'boolean') return dice.chance(0.5)
  if (schema.type === 'null') return null
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 0, dice.pick([0, 1, 2, 25, 100]))
  if (schema.type === 'string') return usualText(schema, dice)
  return dice.pick(WORDS)
}

function usualObject(schema: Schema, place: Place): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name) || place.dice.chance(0.6))
  return Object.fromEntries(entries.map(([name, one]) => [name, usual(one, name, place)]))
}

function usualText({ pattern, minLength = 0, maxLength }: Schema, dice: Dice): string {
  if (pattern?.includes('[0-9a-f]{64}') === true) return hexOf(dice, 64)
  if (pattern?.includes('\\d{4}-\\d{2}-\\d{2}') === true) return '2026-11-20'
  if (pattern?.startsWith('^\\d') === true) return String(dice.below(1000))
  const words: string = dice.pick(WORDS)
  return maxLength !== undefined && maxLength < words.length ? words.slice(0, Math.max(1, maxLength)) : words.padEnd(minLength, '.')
}

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
const deepObject = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

/** Values of wrong types, sizes and characters. */
const WRONG: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 1.005,
  () => 1e308,
  () => Number.MAX_SAFE_INTEGER + 2,
  () => '9'.repeat(30),
  () => '',
  () => ' ',
  () => '\0',
  () => 'a\0b',
  () => '\u{1F600}\u200d\u202e\ufeff',
  () => '\ud800',
  () => 'é'.normalize('NFD').repeat(40),
  () => '💥'.repeat(60),
  () => 'x'.repeat(6000),
  () => '\\u0000\n\r\t',
  () => "'; drop table member; --",
  () => '${7*7}{{7*7}}%s%n',
  () => '../../../../etc/passwd',
  () => '0000-00-00',
  () => '2026-02-31',
  () => '9999-12-31',
  () => '275760-09-13',
  () => '-1',
  () => 'NaN',
  () => '1e3',
  () => '00000000-0000-0000-0000-000000000000',
  () => '00000000-0000-4000-8000-00000000000G',
  () => [],
  () => {},
  () => ({ length: 5 }),
  () => ({ toString: 'x', hasOwnProperty: 1 }),
  () => [null],
  () => deep(500),
  () => deepObject(500),
  () => Array.from({ length: 1500 }, (_, n) => n),
]
export const wrong = (dice: Dice): unknown => dice.pick(WRONG)()

/** Replaces, removes or adds one value somewhere below `value`. */
export function spoil(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice.chance(0.1)) return wrong(dice)
  if (Array.isArray(value)) {
    if (value.length === 0 || dice.chance(0.3)) return [...(value as unknown[]), wrong(dice)]
    const at = dice.below(value.length)
    return (value as unknown[]).map((item, index) => (index === at ? spoil(item, dice) : item))
  }
  const names = Object.keys(value)
  if (names.length === 0 || dice.chance(0.15))
    return { ...value, [dice.pick(['surprise', '', 'id', 'toString', '\0', 'amount'])]: wrong(dice) }
  const name = dice.pick(names)
  const { [name]: old, ...rest } = value as Record<string, unknown>
  return dice.chance(0.15) ? rest : { ...value, [name]: dice.chance(0.5) ? spoil(old, dice) : wrong(dice) }
}
