import { expect, test } from 'vitest'
import { CASE_STAGES, CASE_STEPS, caseNumberOf, mayStep, stepsFrom } from './case-fields.ts'

test('a case takes steps only forward, and none after its end', () => {
  expect(CASE_STAGES.map((stage) => [stage, stepsFrom(stage)])).toEqual([
    ['new', ['tried', 'called', 'checked', 'refused', 'withdrawn', 'unreachable']],
    ['called', ['tried', 'called', 'checked', 'refused', 'withdrawn', 'unreachable']],
    ['checked', ['tried', 'checked', 'refused', 'withdrawn', 'unreachable']],
    ['agreed', ['tried', 'withdrawn', 'unreachable']],
    ['waiting', []],
    ['helped', ['followed_up']],
    ['followed_up', ['followed_up']],
    ['refused', []],
    ['withdrawn', []],
    ['unreachable', []],
  ])
  for (const step of CASE_STEPS) expect(CASE_STAGES.some((stage) => mayStep(stage, step))).toBe(true)
})

test.each([
  ['3F9A', '3F9A'],
  [' #3f9a ', '3F9A'],
  ['3F9', undefined],
  ['3F9O', undefined],
  ['3F9A;', undefined],
  ['../../', undefined],
])('of the typed number "%s" is meant %s', (typed, number) => expect(caseNumberOf(typed)).toBe(number))
