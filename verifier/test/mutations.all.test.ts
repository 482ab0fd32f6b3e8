/** A change of any single byte in any published file is detected. */
import { expect, test } from 'vitest'
import { u64 } from '../src/bytes.ts'
import { verifierKeyOf } from '../src/note.ts'
import { sha256 } from '../src/sha256.ts'
import { memorySource } from '../src/sources.ts'
import { EXIT_CODES } from '../src/steps.ts'
import { verifyDay, type VerifyOptions } from '../src/verify.ts'
import { BEACON, DAY, LOG, makeSite } from './site-maker.ts'

const options: VerifyOptions = { logKey: verifierKeyOf(LOG), chainHash: BEACON.draw.chainHash }
const ROUNDS = process.env.ROZ_TEST_ALL === '1' ? 5 : 1

test('no single-byte mutation of a bundle passes', { timeout: 600_000 }, async () => {
  const files = makeSite()
  // The liabilities of the day before are not checked for this day.
  files.delete('liabilities/2026-08-01')
  const overlooked: string[] = []
  let tried = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [path, bytes] of files) {
      const flips = sha256(new TextEncoder().encode(path), u64(round))
      for (let at = 0; at < bytes.length; at += 1) {
        const changed = bytes.slice()
        // The first round flips single bits, later rounds set any other value.
        const flip = round === 0 ? 1 << (at % 8) : (((flips[at % 32] as number) + at) % 255) + 1
        changed[at] = (changed[at] as number) ^ flip
        const report = await verifyDay(memorySource(new Map(files).set(path, changed)), DAY, options)
        tried += 1
        // A checkpoint that counts more records than exist makes the day incomplete.
        const isCaught = report.exitCode === EXIT_CODES.FAIL || (path === 'log/checkpoint' && report.exitCode === EXIT_CODES.INCOMPLETE)
        if (!isCaught) overlooked.push(`${path} byte ${at} ^ ${flip}: ${report.verdict}`)
      }
    }
  }
  expect(overlooked).toEqual([])
  expect(tried).toBeGreaterThanOrEqual(10_000)
})
