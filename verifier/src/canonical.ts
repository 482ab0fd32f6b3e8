/**
 * Reads and writes the subset of canonical JSON (RFC 8785) that the protocol uses: objects, arrays, printable ASCII, integers.
 *
 * - A value that is accepted re-encodes to the same bytes, so two different files never have the same meaning.
 * - An object has exactly the keys of its shape.
 */
import { ascii, equal, MalformedError, utf8 } from './bytes.ts'

export type Json = string | number | readonly Json[] | { readonly [key: string]: Json }

/** Checks a decoded value and returns it typed. On a mismatch it throws and names the place. */
export type Shape<T> = (value: unknown, where: string) => T

/** Maximum nesting, above any form of the protocol. It keeps later recursion from a stack overflow. */
const DEEPEST = 32
/** Maximum number of commas, above any valid file's. It bounds memory: a file full of empty lists would exhaust it. */
const MOST_COMMAS = 2 ** 22

export function canonicalText(value: Json): string {
  if (typeof value === 'number' || typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonicalText).join(',')}]`
  const object = value as { readonly [key: string]: Json }
  const keys = Object.keys(object).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(object[key] as Json)}`).join(',')}}`
}

export const canonicalBytes = (value: Json): Uint8Array => ascii(canonicalText(value))

export function readCanonical<T>(bytes: Uint8Array, shape: Shape<T>, where: string): T {
  return shape(parseCanonical(bytes, where), where)
}

export function parseCanonical(bytes: Uint8Array, where: string): Json {
  let value: unknown
  if (bytes.reduce((commas, byte) => (byte === 0x2c ? commas + 1 : commas), 0) > MOST_COMMAS)
    throw new MalformedError(`${where} contains more values than any such file`)
  try {
    value = JSON.parse(utf8(bytes))
    assertPlain(value, where)
    if (!equal(canonicalBytes(value), bytes)) throw new MalformedError(`${where} is not in canonical form`)
    return value
  } catch (error) {
    if (error instanceof MalformedError) throw error
    // Invalid JSON, or nesting beyond the limit of the engine.
    throw new MalformedError(`${where} is not JSON`)
  }
}

function assertPlain(value: unknown, where: string, depth = 0): asserts value is Json {
  if (depth > DEEPEST) throw new MalformedError(`${where} is nested deeper than any file`)
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw new MalformedError(`${where} contains a number that is not an integer`)
  } else if (typeof value === 'string') {
    if (!/^[ -~]*$/.test(value)) throw new MalformedError(`${where} contains text beyond printable ASCII`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      assertPlain(key, where, depth)
      assertPlain(part, where, depth + 1)
    }
  } else throw new MalformedError(`${where} contains ${String(value)}`)
}

function fail(where: string, what: string): never {
  throw new MalformedError(`${where} is not ${what}`)
}

export const text: Shape<string> = (value, where) => (typeof value === 'string' ? value : fail(where, 'a text'))

/** An integer from 0 to 2^53 − 1. */
export const whole: Shape<number> = (value, where) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : fail(where, 'a count')

/** An integer of either sign. */
export const balance: Shape<number> = (value, where) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : fail(where, 'an amount')

/** Lower-case hex of `length` bytes, kept as text. */
export const hex =
  (length: number): Shape<string> =>
  (value, where) =>
    typeof value === 'string' && value.length === 2 * length && /^[0-9a-f]*$/.test(value) ? value : fail(where, `${length} bytes of hex`)

export const hash = hex(32)

/** An existing date, YYYY-MM-DD. */
export const day: Shape<string> = (value, where) => {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return fail(where, 'a day')
  const instant = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(value) ? value : fail(where, 'a day')
}

export const literal =
  <const T extends string | number>(...allowed: readonly T[]): Shape<T> =>
  (value, where) =>
    (allowed as readonly unknown[]).includes(value) ? (value as T) : fail(where, allowed.join(' or '))

export const list =
  <T>(of: Shape<T>): Shape<readonly T[]> =>
  (value, where) =>
    Array.isArray(value) ? value.map((part, index) => of(part, `${where}[${index}]`)) : fail(where, 'a list')

/** An object with exactly these keys. */
export const record =
  <const S extends Readonly<Record<string, Shape<unknown>>>>(shapes: S): Shape<{ readonly [K in keyof S]: ReturnType<S[K]> }> =>
  (value, where) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(where, 'an object')
    const entries = Object.entries(value)
    const unknown = entries.find(([key]) => !Object.hasOwn(shapes, key))
    if (unknown !== undefined) throw new MalformedError(`${where} has an unknown key ${unknown[0]}`)
    const found = Object.entries(shapes).map(([key, shape]) => {
      if (!Object.hasOwn(value, key)) throw new MalformedError(`${where} lacks ${key}`)
      return [key, shape((value as Record<string, unknown>)[key], `${where}.${key}`)]
    })
    return Object.fromEntries(found) as { readonly [K in keyof S]: ReturnType<S[K]> }
  }

/** Checks that texts are strictly ascending, byte by byte. */
export function assertAscending(keys: readonly string[], where: string): void {
  if (keys.some((key, index) => index > 0 && key <= (keys[index - 1] as string))) throw new MalformedError(`${where} is not in order`)
}
