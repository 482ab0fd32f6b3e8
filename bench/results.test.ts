import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Results, rowsOf } from './results.ts'

const results = JSON.parse(readFileSync(new URL('../docs/performance.json', import.meta.url), 'utf8')) as Results
const START = 'second `npm start`, from the command to the first answer'
const startOf = (starts: readonly number[]) => rowsOf({ ...results, starts }).find(({ what }) => what === START)

test('the median of the second starts is compared with 3 s', () => {
  expect(startOf([2.1, 2.4, 4])).toMatchObject({ measured: '2.4 s (2.1 s–4.0 s)', must: '≤ 3 s', reached: true })
  expect(startOf([2.1, 3.1, 4])).toMatchObject({ measured: '3.1 s (2.1 s–4.0 s)', reached: false })
})

test('figures of a run without second starts have no row for them', () => {
  const { starts: _, ...without } = results
  expect(rowsOf(without).map(({ what }) => what)).not.toContain(START)
})
