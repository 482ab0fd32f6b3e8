/**
 * Runs this verifier and spec/verify.py, which share no code, on the same tampers and compares them step by step.
 *
 * - spec/verify.py does not check BLS signatures, so the test passes it the beacon's signature.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { canonicalBytes } from '../src/canonical.ts'
import { verifierKeyOf } from '../src/note.ts'
import { memorySource } from '../src/sources.ts'
import { STEPS } from '../src/steps.ts'
import { verifyDay } from '../src/verify.ts'
import { BEACON, closeRecord, DAY, LOG, openRecord, ticketsOf } from './site-maker.ts'
import { tampered, tamperNames } from './tampers.ts'

const TWIN = fileURLToPath(new URL('../../spec/verify.py', import.meta.url))
const folder = mkdtempSync(path.join(os.tmpdir(), 'roz-twin-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Tampers on which the two programs once differed: always run. */
const ALWAYS = new Set([
  'cosigned-in-1970-and-called-sealed',
  'sealed-before-yesterday',
  'rotated-in-the-past',
  'period-beyond-its-bytes',
  'draw-file-long',
  'evidence-twice',
  'evidence-of-yesterday',
  'newer-help-first',
])
/** All tampers take a minute of Python, so only `npm run test:all` runs all of them. */
const names = process.env.ROZ_TEST_ALL === '1' ? tamperNames : tamperNames.filter((name, index) => index % 5 === 0 || ALWAYS.has(name))
const plan = { day: DAY, tickets: ticketsOf(7, DAY) }
const logKey = verifierKeyOf(LOG)

function write(name: string, files: ReadonlyMap<string, Uint8Array>): string {
  const copy = path.join(folder, name)
  for (const [file, bytes] of files) {
    const place = path.join(copy, /^(draws|books)\/[^/]+$/.test(file) ? `${file}.json` : file)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, bytes)
  }
  return copy
}

/** The signature that a reader would fetch from a relay, for the round and the chain that the record names. */
function relayed(files: ReadonlyMap<string, Uint8Array>, name: string): string {
  const [, shown = ''] = /"signature":"([0-9a-f]{96})"/.exec(new TextDecoder().decode(files.get(`draws/${DAY}`))) ?? []
  return shown === '' || name === 'another-signature' ? BEACON.sign(closeRecord(plan, openRecord(plan)).round) : shown
}

const runTwin = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => execFile('python3', [TWIN, ...args], (_error, out) => resolve(out)))

test.each(names)('%s', { timeout: 120_000 }, async (name) => {
  const { files, options } = tampered(name)
  const { steps, verdict } = await verifyDay(memorySource(files), DAY, { logKey, chainHash: BEACON.draw.chainHash, ...options })
  const copy = write(name, files)
  const receiptFile = path.join(folder, `${name}.receipt`)
  if (options?.receipt !== undefined) writeFileSync(receiptFile, canonicalBytes(options.receipt))
  const receipt = options?.receipt === undefined ? [] : ['--receipt', receiptFile]
  const out = await runTwin([copy, DAY, '--key', logKey, '--chain', BEACON.draw.chainHash, '--drand', relayed(files, name), ...receipt])
  const said = STEPS.map((step) => [step, new RegExp(`^(PASS|FAIL|WEAK|INCOMPLETE|-) +${step}\\b`, 'm').exec(out)?.[1]])
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(steps.map(({ step, state }) => [step, state === 'none' ? '-' : state.toUpperCase()])),
  )
  expect(out).toMatch(new RegExp(`^${verdict} +${DAY}: `, 'm'))
})
