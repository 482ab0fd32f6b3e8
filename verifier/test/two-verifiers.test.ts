/**
 * Runs this verifier and the independent spec/verify.py on the same damaged and dishonest sites.
 *
 * - Both programs give the same verdict: PASS, WEAK, INCOMPLETE or FAIL.
 * - Both explain a verdict by the same sentence.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fromHex } from '../src/bytes.ts'
import { memorySource } from '../src/sources.ts'
import { EXIT_CODES, type Verdict } from '../src/steps.ts'
import { verifyDay } from '../src/verify.ts'
import { siteFiles } from './kit.ts'

const SPEC = new URL('../../spec/', import.meta.url)
const COUNT = process.env.ROZ_TEST_ALL === '1' ? 1000 : 30

type Case = {
  readonly seed: string
  readonly day: string
  /** The files that differ from the example site; null for a removed file. */
  readonly changed: Readonly<Record<string, string | null>>
  readonly verdict: string
  readonly steps: readonly (readonly [string, string, string])[]
}

function sitesOf(count: number): readonly Case[] {
  const made = execFileSync('python3', ['-B', 'make_cases.py', 'twin', String(count)], { cwd: SPEC, encoding: 'utf8', maxBuffer: 1 << 28 })
  return JSON.parse(made) as readonly Case[]
}

const textOf = (name: string): string => readFileSync(new URL(name, SPEC), 'utf8')
/** The sentence of each verdict in a source: `FAIL: '…'` or `"FAIL": "…"` in VERDICT_WORDS. */
const sentencesOf = (source: string): Readonly<Record<string, string>> => {
  const [, table = ''] = /VERDICT_WORDS = \{([^}]*)\}/.exec(source) ?? []
  const lines = table.matchAll(/(['"]?)([A-Z]+)\1: (['"])(.*)\3,/g)
  return Object.fromEntries(Array.from(lines, ([, , verdict = '', , words = '']) => [verdict, words]))
}

test('both programs and the manual explain a verdict by the same sentence', () => {
  const own = sentencesOf(textOf('../verifier/src/cli.ts'))
  expect(Object.keys(own).sort()).toEqual(['FAIL', 'INCOMPLETE', 'PASS', 'WEAK'])
  expect(sentencesOf(textOf('verify.py'))).toEqual(own)
  const manual = textOf('../verifier/README.md')
  for (const [verdict, words] of Object.entries(own))
    expect(manual).toContain(`| ${verdict} | ${EXIT_CODES[verdict as Verdict]} | ${words} |`)
})

test('the Python twin and this verifier give the same verdicts', { timeout: 600_000 }, async () => {
  const cases = sitesOf(COUNT)
  expect(cases.length).toBeGreaterThan(COUNT / 2)
  const disagreed: string[] = []
  const verdicts = new Set<string>()
  for (const { seed, day, changed, verdict, steps } of cases) {
    const files = new Map(siteFiles)
    for (const [path, hex] of Object.entries(changed)) {
      if (hex === null) files.delete(path)
      else files.set(path, fromHex(hex))
    }
    const report = await verifyDay(memorySource(files), day)
    verdicts.add(verdict)
    if (report.verdict === verdict) continue
    const own = report.steps.filter(({ state }) => state !== 'pass').map(({ step, state, words }) => `${state} ${step}: ${words}`)
    disagreed.push(
      `${seed} ${day}: twin ${verdict} [${steps.map((step) => step.join(' ')).join('; ')}], here ${report.verdict} [${own.join('; ')}]`,
    )
  }
  expect(disagreed).toEqual([])
  expect([...verdicts].sort()).toEqual(['FAIL', 'INCOMPLETE', 'PASS', 'WEAK'])
})
