/**
 * “Let the day decide”: the order of agreed requests for help by the seed of a day's draw.
 * - The key of a request is SHA-256 over `roz/v1/order`, a line feed, the seed's 32 bytes and the number in ASCII. The least key is first.
 * - The code is pure, and tested with spec/vectors/order.json. Both verifiers have the same rule.
 */
import { hex, type Sha256 } from './draw.ts'

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const PREFIX = ascii('roz/v1/order\n')

/** How many requests one list may have. */
export const CASE_ORDER_MIN = 2
export const CASE_ORDER_MAX = 100

export function caseOrder(sha256: Sha256, seed: Uint8Array, numbers: readonly string[]): string[] {
  const keyed = numbers.map((number) => ({ number, key: hex(sha256(PREFIX, seed, ascii(number))) }))
  return keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ number }) => number)
}
