/** Tests that all positions have the same chance, by a chi-square over many draws. Inputs are fixed, so it cannot fail by chance. */
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { drawSeed, pickPositions, type Sha256, u64 } from './draw.ts'
import { addDays, type IstDay } from './ist-day.ts'

// A million rounds take half a minute, so they run only in npm run test:all.
const ROUNDS = process.env['ROZ_TEST_ALL'] === '1' ? 1_000_000 : 40_000
const ENTRIES = 50
const sha256: Sha256 = (...parts) => hash('sha256', Buffer.concat(parts), 'buffer')

/** The value that chi-square exceeds once in a million, by the approximation of Wilson and Hilferty. */
const limitOf = (freedom: number): number => freedom * (1 - 2 / (9 * freedom) + 4.753 * Math.sqrt(2 / (9 * freedom))) ** 3
const chiSquare = (counts: readonly number[], expected: number): number =>
  counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)

function* seeds(): Generator<Uint8Array> {
  const chainHash = sha256(Buffer.from('chain'))
  for (let round = 0; round < ROUNDS; round++) {
    const day = addDays('2026-01-01' as IstDay, round % 365)
    const sealed = { day, count: ENTRIES, root: sha256(Buffer.from('root'), u64(round)) }
    yield drawSeed(sha256, sealed, { chainHash, round, randomness: sha256(Buffer.from('beacon'), u64(round)) })
  }
}

test('each position wins equally often, as first, second and third, independently of the other winners', () => {
  const counts = [0, 1, 2].map(() => Array.from({ length: ENTRIES }, () => 0))
  const gaps = Array.from({ length: ENTRIES - 1 }, () => 0)
  for (const seed of seeds()) {
    const picked = pickPositions(sha256, seed, ENTRIES, 3)
    picked.forEach((position, place) => {
      const row = counts[place] as number[]
      row[position] = (row[position] as number) + 1
    })
    // The distance between first and second winner shows a draw that prefers neighbours.
    const gap = ((picked[1] as number) - (picked[0] as number) + ENTRIES) % ENTRIES
    gaps[gap - 1] = (gaps[gap - 1] as number) + 1
  }
  for (const row of counts) expect(chiSquare(row, ROUNDS / ENTRIES)).toBeLessThan(limitOf(ENTRIES - 1))
  expect(chiSquare(gaps, ROUNDS / (ENTRIES - 1))).toBeLessThan(limitOf(ENTRIES - 2))
}, 600_000)
