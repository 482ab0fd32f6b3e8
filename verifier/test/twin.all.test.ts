/**
 * Runs this verifier and spec/verify.py, which share no code, on the same tampers and compares them step by step.
 *
 * - spec/verify.py does not check BLS signatures, so the test passes it the beacon's signature.
 */
import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { memorySource } from '../src/sources.ts'
import { STEPS } from '../src/steps.ts'
import { verifyDay } from '../src/verify.ts'
import { DAY } from './site-maker.ts'
import { tampered, tamperNames } from './tampers.ts'
import { ASKED, makeFolder, runTwin } from './twin.ts'

const folder = makeFolder()
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

test.each(names)('%s', { timeout: 120_000 }, async (name) => {
  const done = tampered(name)
  const { steps, verdict } = await verifyDay(memorySource(done.files), DAY, { ...ASKED, ...done.options })
  const out = await runTwin(folder, name, done)
  const said = STEPS.map((step) => [step, new RegExp(`^(PASS|FAIL|WEAK|INCOMPLETE|-) +${step}\\b`, 'm').exec(out)?.[1]])
  expect(Object.fromEntries(said)).toEqual(
    Object.fromEntries(steps.map(({ step, state }) => [step, state === 'none' ? '-' : state.toUpperCase()])),
  )
  expect(out).toMatch(new RegExp(`^${verdict} +${DAY}: `, 'm'))
})
