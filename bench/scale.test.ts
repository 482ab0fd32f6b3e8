import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Results } from './results.ts'
import { figuresOf, withFigures } from './scale-figures.ts'
import type { Report, Size } from './sizes-results.ts'

const page = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')
const results = JSON.parse(page('performance.json')) as Results
const report = JSON.parse(page('sizes.json')) as Report

const sizeOf = (members: number): Size => ({
  members,
  steps: ['auto-join', 'close', 'list and seal', 'draw', 'settle', 'void'].map((name) => ({
    name,
    seconds: members / 500_000,
    cpuSeconds: 1,
    walBytes: 1,
    longestSeconds: name === 'void' ? 99 : 3,
  })),
  verification: { seconds: 1, cpuSeconds: 1, peakMb: 150, exitCode: 3 },
  peakMb: 222,
  databaseBytes: 1,
})
const lineOf = (figures: string, start: string): string => figures.split('\n').find((line) => line.startsWith(start)) ?? ''

test('the figures of docs/scale.md are written from docs/performance.json and docs/sizes.json', () => {
  expect(page('scale.md')).toBe(withFigures(page('scale.md'), figuresOf(results, report)))
})

test('the medians are those of docs/performance.md', () => {
  const figures = figuresOf(results, report)
  for (const [here, there] of [
    ['| joins in the engine', '| joins in the engine'],
    ['| processor time of a join', '| CPU time of a join'],
    ['| Auto Participate of 1,000,000', '| auto-join of 1,000,000'],
    ['| close, draw and settle of 1,000,000', '| close, draw and settle of 1,000,000'],
  ] as const) {
    const value = lineOf(figures, here).split(' | ')[1]?.replace(' |', '') ?? 'nothing'
    expect(lineOf(page('performance.md'), there)).toContain(`| ${value}`)
  }
})

test('a day of ten million is measured if docs/sizes.json has it, and computed otherwise', () => {
  const large = figuresOf(results, { ...report, sizes: [sizeOf(1_000_000), sizeOf(10_000_000)] })
  expect(lineOf(large, '| Auto Participate of all')).toContain('| 20 s, measured |')
  // Four steps of 20 s.
  expect(lineOf(large, '| close, draw and settle |')).toContain('| 80 s, measured |')
  expect(lineOf(large, '| peak memory')).toContain('| 222 MB, measured |')
  expect(large).toContain('The longest transaction of these steps took 3 s.')
  const small = figuresOf(results, { ...report, sizes: [sizeOf(4_000)] })
  expect(small).toContain('**10 million is computed, not measured:**')
  expect(small).toContain('has a run of 4,000 members')
  expect(lineOf(small, '| close, draw and settle |').match(/measured/g)).toHaveLength(1)
  expect(lineOf(small, '| peak memory').match(/not measured/g)).toHaveLength(3)
})
