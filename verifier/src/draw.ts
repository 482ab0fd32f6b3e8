/** Computes seed, winners and shares from a sealed list and its randomness, as the protocol defines them. No I/O. */
import { ascii, fromHex, MalformedError, toHex, u64 } from './bytes.ts'
import { hmacSha256, sha256 } from './sha256.ts'

export const ticketOf = (key: Uint8Array, day: string): Uint8Array => hmacSha256(key, ascii(`roz/v1/ticket\n${day}`))

export type Sealed = { readonly day: string; readonly count: number; readonly root: string }

export const localRandomness = (secret: string, { day, count, root }: Sealed): string =>
  toHex(sha256(ascii('roz/v1/local\n'), fromHex(secret, 32), ascii(day), u64(count), fromHex(root, 32)))

export const seedOf = ({ day, count, root }: Sealed, chainHash: string, round: number, randomness: string): string =>
  toHex(
    sha256(ascii('roz/v1/draw\n'), ascii(day), u64(count), fromHex(root, 32), fromHex(chainHash, 32), u64(round), fromHex(randomness, 32)),
  )

/** Positions of the winners, in the order of the draw. */
export function picks(seed: string, count: number, wanted: number): readonly number[] {
  const swapped = new Map<number, number>()
  const at = (position: number): number => swapped.get(position) ?? position
  return Array.from({ length: Math.min(wanted, count) }, (_, j) => {
    const x = BigInt(`0x${toHex(sha256(ascii('roz/v1/pick\n'), fromHex(seed, 32), u64(j)))}`)
    const r = j + Number(x % BigInt(count - j))
    const winner = at(r)
    swapped.set(r, at(j))
    return winner
  })
}

/** “Let the day decide”: requests for help by SHA-256 of the seed and their number, the least hash first. */
export const orderOf = (seed: string, numbers: readonly string[]): readonly string[] =>
  numbers
    .map((number) => ({ number, key: toHex(sha256(ascii('roz/v1/order\n'), fromHex(seed, 32), ascii(number))) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ number }) => number)

/** Reads the numbers of a published order: 3F9A,7K2M. */
export function readOrder(text: string): readonly string[] {
  const numbers = text.split(',')
  if (numbers.some((number) => !/^[0-9A-HJKMNP-TV-Z]{4,6}$/.test(number)) || new Set(numbers).size < numbers.length)
    throw new MalformedError('not the numbers of requests for help, each once, with commas between them')
  return numbers
}

export type Split = {
  readonly need: number
  readonly platform: number
  readonly policy: 'A' | 'B'
  readonly reward: number
  readonly winners: number
}
export type Tax = { readonly above: number; readonly percent: number }
export type Shares = {
  readonly pool: number
  readonly need: number
  readonly platform: number
  readonly prize: number
  readonly tax: number
  readonly winners: number
}

/** ⌊amount × percent / 100⌋, exact for any amount (BigInt). */
const percentOf = (amount: number, percent: number): number => Number((BigInt(amount) * BigInt(percent)) / 100n)

export function sharesOf(count: number, stake: number, split: Split, tax: Tax): Shares {
  const pool = count * stake
  const winners = Math.min(split.winners, count)
  const platform = percentOf(pool, split.platform)
  const prize = winners === 0 ? 0 : Math.floor(percentOf(pool, split.reward) / winners)
  return {
    pool,
    platform,
    prize,
    need: pool - platform - winners * prize,
    tax: prize > tax.above ? percentOf(prize, tax.percent) : 0,
    winners,
  }
}
