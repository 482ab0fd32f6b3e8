/** The README names every fault, step, state, code and call: another project has nothing else to read. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { API_VERSIONS } from './calls.ts'
import { STAGES, STEPS } from './disputes.ts'
import { EDGES, NO_FAULTS } from './faults.ts'
import { NOTICES } from './notices.ts'
import { SETTLEMENT_STATUSES } from './settlements/settlements.ts'
import { MANDATE_STEPS } from './subscriptions/mandates.ts'

const source = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8')
const readme = source('../README.md')
const unnamed = (words: readonly string[]): string[] => words.filter((word) => !readme.includes(word))

test('the README names every fault, notice, step, state and version', () => {
  const edges = EDGES.filter((edge) => edge !== 'none')
  const words = [
    ...Object.keys(NO_FAULTS),
    ...edges,
    ...NOTICES,
    ...MANDATE_STEPS,
    ...STAGES,
    ...STEPS,
    ...SETTLEMENT_STATUSES,
    ...API_VERSIONS,
  ]
  expect(unnamed(words.map(String))).toEqual([])
  expect(words.length).toBeGreaterThan(60)
})

test('the README names every code and type of a refusal', () => {
  const codes = [...source('refusals.ts').matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map((match) => match[1] ?? '')
  // A wrong field is named by the rule.
  expect(unnamed(codes.filter((code) => code !== 'order_expiry_time_invalid'))).toEqual([])
  expect(codes.length).toBeGreaterThan(30)
})

test('the README names every word in capitals that an answer or a webhook has', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing'))
  const found = sources.flatMap((name) => [...source(name).matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map((match) => match[1] ?? ''))
  // Of several types with one beginning the README has the ends: `_FAILED`.
  expect(unnamed(found).filter((word) => !readme.includes(`\`_${word.split('_').at(-1)}\``))).toEqual([])
  expect(found.length).toBeGreaterThan(100)
})

test('the README names every call', () => {
  const files = [
    'api-routes.ts',
    'simulation-routes.ts',
    'control-routes.ts',
    'payout-routes.ts',
    'notices.ts',
    'subscriptions/controlled.ts',
  ]
  const folders = ['subscriptions', 'settlements', 'verification'].flatMap((folder) => [
    `${folder}/routes.ts`,
    `${folder}/control-routes.ts`,
  ])
  const paths = [...files, ...folders].flatMap((name) =>
    [...source(name).matchAll(/\b(?:get|post|patch|remove|write|press|show)\('(\/[^']*)'/g)].map((match) => match[1] ?? ''),
  )
  // A path is named by its words; the ids between them have many spellings.
  const wordsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && !part.startsWith(':'))
  expect(unnamed(paths.flatMap(wordsOf))).toEqual([])
  expect(paths.length).toBeGreaterThan(40)
})
