import { expect, test } from 'vitest'
import { askedCase, CASE_STAGES, CASE_STEPS, caseNumberOf, mayStep, mayWithdraw, stepsFrom } from './case-fields.ts'

test('a case takes steps only forward, and none after its end', () => {
  expect(CASE_STAGES.map((stage) => [stage, stepsFrom(stage)])).toEqual([
    ['new', ['tried', 'called', 'checked', 'refused', 'withdrawn', 'unreachable']],
    ['called', ['tried', 'called', 'checked', 'refused', 'withdrawn', 'unreachable']],
    ['checked', ['tried', 'checked', 'refused', 'withdrawn', 'unreachable']],
    ['agreed', ['tried', 'withdrawn', 'unreachable']],
    ['waiting', ['tried', 'withdrawn', 'unreachable']],
    ['helped', ['followed_up']],
    ['followed_up', ['followed_up']],
    ['refused', []],
    ['withdrawn', []],
    ['unreachable', []],
  ])
  for (const step of CASE_STEPS) expect(CASE_STAGES.some((stage) => mayStep(stage, step))).toBe(true)
  expect(CASE_STAGES.filter(mayWithdraw)).toEqual(['new', 'called', 'checked'])
})

test.each([
  ['3F9A', '3F9A'],
  [' #3f9a ', '3F9A'],
  ['३४७५', '3475'],
  ['3F9', undefined],
  ['3F9O', '3F90'],
  ['4ChL', '4CH1'],
  ['4CHI', '4CH1'],
  ['3F9U', undefined],
  ['3F9A;', undefined],
  ['../../', undefined],
])('of the typed number "%s" is meant %s', (typed, number) => expect(caseNumberOf(typed)).toBe(number))

test.each([
  ['', ''],
  ['5000', '5000'],
  ['५०००', '5000'],
  ['Rs. 5,000/-', '5000'],
  ['₹1,23,456.00', '123456'],
  ['5.000', undefined],
  ['500.50', undefined],
  ['0', undefined],
  ['-500', undefined],
  ['99999999', undefined],
])('of the typed amount "%s" is kept %s', (typed, amount) => expect(askedCase.amount.safeParse(typed).data).toBe(amount))

test.each([
  ...['Y.S.R. Kadapa', 'Dr. B.R. Ambedkar Konaseema', 'St. Thomas Mount', 'पूर्वी सिंहभूम', 'কলকাতা', 'Medchal-Malkajgiri'].map(
    (place) => [place, true] as const,
  ),
  ...[
    'North 24 Parganas',
    '24 Parganas South',
    'उत्तर २४ परगना',
    'y.s.r.kadapa',
    'dr.ambedkar nagar',
    'dr.b.r.ambedkar konaseema',
    's.a.s.nagar',
    'u.s.nagar',
    'st.thomas mount',
  ].map((place) => [place, true] as const),
  ...[
    'cheapgold.example',
    'm.cheapgold.example',
    'buy-it.example',
    'cheapgo\u200dld.example',
    'www.Gold',
    'gold.co',
    'सोना.com',
    'Pune 411001',
    'Pune 98 76 54',
    '24',
  ].map((place) => [place, false] as const),
])('the district “%s” is taken: %s', (place, isTaken) => expect(askedCase.district.safeParse(place).success).toBe(isTaken))
