/** Validates single fields of a request body. Refusals carry the gateway's codes: `<field>_missing`, `<field>_invalid`. */
import { invalid, missing } from './refusals.ts'

export type Fields = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

export const absent = (value: unknown): value is undefined | null => value === undefined || value === null || value === ''

export function text(value: unknown, field: string, min: number, max: number, pattern: RegExp, rule: string): string {
  if (typeof value !== 'string') throw invalid(field, 'should be a string', value)
  if (value.length < min || value.length > max) throw invalid(field, `should have ${min} to ${max} characters`, value)
  if (!pattern.test(value)) throw invalid(field, rule, value)
  return value
}

export function required(value: unknown, field: string, min: number, max: number, pattern: RegExp, rule: string): string {
  if (absent(value)) throw missing(field)
  return text(value, field, min, max, pattern, rule)
}

export const optional = (value: unknown, field: string, min: number, max: number, pattern = /^/): string | null =>
  absent(value) ? null : text(value, field, min, max, pattern, 'invalid value')

/** Converts rupees to paise by the number's decimal text: 19.99 × 100 in floating point is 1998.9999999999998. */
export function amount(value: unknown, field: string, minPaise: number, maxPaise: number): number {
  if (absent(value)) throw missing(field)
  const match = typeof value === 'number' ? /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(String(value)) : null
  if (match === null) throw invalid(field, 'should be a number with at most two decimals', value)
  const paise = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  if (paise < minPaise) throw invalid(field, `should be at least ${minPaise / 100}`, value)
  if (paise > maxPaise) throw invalid(field, `should be at most ${maxPaise / 100}`, value)
  return paise
}

/** Accepts plain http, which the real gateway refuses: a shop on localhost has no TLS. */
export function url(value: unknown, field: string): string | null {
  if (absent(value)) return null
  const address = text(value, field, 1, 250, /^https?:\/\/[\x21-\x7e]+$/, 'should be a url')
  if (!URL.canParse(address)) throw invalid(field, 'should be a url', value)
  return address
}

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/

/** NaN for a day that no calendar has: JavaScript alone reads 31 February as 3 March. */
export function parseTime(iso: string): number {
  const dayMs = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`)
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(iso.slice(0, 10))
  return isDay ? Date.parse(iso) : Number.NaN
}

export function instant(value: unknown, field: string): number {
  const atMs = typeof value === 'string' && ISO_INSTANT.test(value) ? parseTime(value) : Number.NaN
  if (!Number.isNaN(atMs)) return atMs
  throw invalid(field, 'time should be ISO8601 string. Example 2021-07-02T10:20:12+05:30 for IST, 2021-07-02T10:20:12Z for UTC', value)
}

export function tags(value: unknown, field: string, most: number): Readonly<Record<string, string>> {
  if (absent(value)) return {}
  if (!isFields(value)) throw invalid(field, 'should be an object', value)
  const entries = Object.entries(value)
  if (entries.length > most) throw invalid(field, `should have at most ${most} entries`, entries.length)
  return Object.fromEntries(entries.map(([key, tag]) => [key, text(tag, `${field}.${key}`, 1, 255, /^/, '')]))
}

export function oneOf<T extends string>(value: unknown, field: string, words: readonly T[]): T {
  if (absent(value)) throw missing(field)
  const found = words.find((word) => word === value)
  if (found === undefined) throw invalid(field, `should be one of ${words.join(', ')}`, value)
  return found
}
