import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Draws, pageOf, type Rates, type Report, writePart } from './processes-results.ts'

const page = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')

const run = {
  at: '2026-12-01T04:05:06.000Z',
  seconds: 240,
  commit: 'abcdef123456',
  machine: '2 × Processor, 24 GB',
  node: '26.10.0',
  otherCores: 0.02,
}
const rates: Rates = { ...run, members: 30_000, one: [10_000, 8_000, 12_000], two: [11_000, 12_000, 12_600] }
const draws: Draws = {
  ...run,
  otherCores: 1.2,
  processes: 4,
  joiners: 256,
  days: [
    {
      quiet: { drawSeconds: 0.5, entries: 15_000 },
      busy: { drawSeconds: 0.75, entries: 14_000, refused: 6_000 },
      before: { p50Ms: 20, p99Ms: 50, slowestMs: 80 },
      during: { p50Ms: 10, p99Ms: 75, slowestMs: 240 },
    },
  ],
}

test('the page has the rates of one and two processes with the ratio of each turn, and the circumstances of the run', () => {
  const text = pageOf({ rates })
  expect(text).toContain('on 2026-12-01, 4 minutes on 2 × Processor, 24 GB, Node 26.10.0, at commit `abcdef123456`')
  expect(text).toContain('The machine was idle otherwise: other programs took 0.02 cores')
  expect(text).toContain('| 1 | 10,000/s (8,000/s–12,000/s) |  |')
  // 1.1, 1.5 and 1.05.
  expect(text).toContain('| 2 ÷ 1 | 1.10 × (1.05 ×–1.50 ×) | ≥ 1 × |')
  expect(text).toContain('No run of `npm run bench:draw` is recorded yet.')
})

test('two processes that are slower than one miss the target', () => {
  expect(pageOf({ rates: { ...rates, two: [9_000, 7_900, 12_600] } })).toContain('≥ 1 × **missed**')
})

test('the page has how much a draw and the joins delay each other', () => {
  const text = pageOf({ draws })
  expect(text).toContain('| the call Trigger Draw | 0.50 s (0.50 s–0.50 s) | 0.75 s (0.75 s–0.75 s) | 1.50 × (1.50 ×–1.50 ×) |')
  expect(text).toContain('| p99 | 50 ms (50 ms–50 ms) | 75 ms (75 ms–75 ms) | 1.50 × (1.50 ×–1.50 ×) |')
  expect(text).toContain('Refused after the close: 6,000 (6,000–6,000) joins of a day.')
  expect(text).toContain('**The machine was not idle**')
})

test('each of the two commands writes its part and leaves the other', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roz-processes-'))
  const file = path.join(folder, 'processes.json')
  try {
    writePart(file, { draws })
    writePart(file, { rates })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ rates, draws })
    expect(readFileSync(path.join(folder, 'processes.md'), 'utf8')).toBe(pageOf({ rates, draws }))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('docs/processes.md is written from docs/processes.json', () => {
  expect(page('processes.md')).toBe(pageOf(JSON.parse(page('processes.json')) as Report))
})
