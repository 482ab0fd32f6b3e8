/** Each tamper of the catalogue fails or weakens exactly the step that the catalogue names; every other step passes. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { verifierKeyOf } from '../src/note.ts'
import { memorySource } from '../src/sources.ts'
import { EXIT_CODES, type StepName, STEPS, type Weakness, WEAKNESSES } from '../src/steps.ts'
import { verifyDay, type VerifyOptions } from '../src/verify.ts'
import { BEACON, DAY, LOG, makeSite, receiptFor, ticketsOf } from './site-maker.ts'
import { tampered, tamperNames } from './tampers.ts'

type Case = { readonly name: string; readonly what: string; readonly step: StepName; readonly state: 'fail' | 'weak' }
const catalogue = JSON.parse(readFileSync(new URL('tampers.json', import.meta.url), 'utf8')) as readonly Case[]

const tickets = ticketsOf(7, DAY)
const [ticket] = tickets
if (ticket === undefined) throw new Error('no ticket')
const asUsual: VerifyOptions = { logKey: verifierKeyOf(LOG), chainHash: BEACON.draw.chainHash, receipt: receiptFor(ticket, tickets, DAY) }
const sound = Object.fromEntries(STEPS.map((step) => [step, 'pass']))

test('an untampered site passes', async () => {
  const { steps, exitCode } = await verifyDay(memorySource(makeSite()), DAY, asUsual)
  expect(Object.fromEntries(steps.map(({ step, state }) => [step, state]))).toEqual(sound)
  expect(exitCode).toBe(EXIT_CODES.PASS)
})

test('every step has a tamper, and every tamper is in the catalogue', () => {
  expect(new Set(catalogue.map(({ step }) => step))).toEqual(new Set(STEPS))
  expect(catalogue.map(({ name }) => name).sort()).toEqual([...tamperNames].sort())
})

test.each(catalogue)('$step: $what', async ({ name, step, state }) => {
  const { files, options } = tampered(name)
  const report = await verifyDay(memorySource(files), DAY, { ...asUsual, ...options })
  const said = Object.fromEntries(report.steps.map((outcome) => [outcome.step, outcome.state]))
  const weak = report.steps.filter((outcome) => outcome.state === 'weak').map((outcome) => outcome.weakness)
  const possible: Readonly<Partial<Record<StepName, readonly Weakness[]>>> = WEAKNESSES
  for (const weakness of weak) expect(possible[step]).toContain(weakness)
  const words = report.steps.filter((outcome) => outcome.state !== 'pass').map((outcome) => `${outcome.step}: ${outcome.words}`)
  expect(said, words.join('\n')).toEqual({ ...sound, [step]: state })
  expect(report.exitCode).toBe(state === 'fail' ? EXIT_CODES.FAIL : EXIT_CODES.WEAK)
})
