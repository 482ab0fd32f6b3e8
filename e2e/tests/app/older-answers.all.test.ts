/** How the app reads answers of older servers, and answers that are none, for every call of the contract. */
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { completedAnswer, DERIVED, MisfitError } from '@roz/web/app/answers.ts'
import { briefFormOf, type Form } from '../../../web/build/forms.ts'
import { lacking, only, SPECIFIED } from '../../harness/specified.ts'

type Fields = Record<string, unknown>
/** A value of the schema, with one item in each array and no null. */
function sampleOf(schema: z.core.$ZodType): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape).flatMap(([name, field]) =>
          (field as z.core.$ZodTypes)._zod.def.type === 'optional' ? [] : [[name, sampleOf(field)]],
        ),
      )
    case 'array':
      return [sampleOf(def.element)]
    case 'nullable':
      return sampleOf(def.innerType)
    case 'record':
      return {}
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    case 'boolean':
      return false
    case 'number':
      return 1
    default:
      return '2026-11-27'
  }
}
/** The paths of the fields that a sample has and the value has not. */
function missing(sample: unknown, value: unknown, place = ''): string[] {
  if (value === undefined) return [place]
  // An empty list is assumed for a missing one.
  if (Array.isArray(sample)) return (value as unknown[]).flatMap((item) => missing(sample[0], item, place))
  if (typeof sample !== 'object' || sample === null || value === null) return []
  return Object.entries(sample).flatMap(([name, inner]) =>
    missing(inner, (value as Fields)[name], place === '' ? name : `${place}.${name}`),
  )
}

const CALLS = (Object.entries(api) as [CallName, EndpointSpec][]).flatMap(([name, spec]) =>
  typeof spec.output === 'string' ? [] : [{ name, schema: spec.output, form: briefFormOf(spec) }],
)
const callOf = (name: CallName) => CALLS.find((call) => call.name === name) ?? expect.unreachable()
/** As the app reads an answer. */
const read = (name: CallName, form: Form, answer: unknown): unknown => {
  const whole = completedAnswer(form, answer) as Fields
  return DERIVED[name]?.(whole) ?? whole
}

test.each(CALLS)('$name: a whole answer stays as it is; another value is none', ({ name, schema, form }) => {
  const answer = sampleOf(schema)
  expect(read(name, form, answer)).toEqual(answer)
  for (const other of [undefined, null, 'a page', 7, true, [answer]]) expect(() => completedAnswer(form, other)).toThrow(MisfitError)
})

/** The screens work without these. */
const SPARED_IN: Readonly<Partial<Record<CallName, readonly string[]>>> = {
  joinRound: ['ticket'],
  withdraw: ['withdrawal'],
  triggerDraw: ['round'],
  addMoney: ['order_id', 'checkout'],
  verifyOrder: ['status'],
  confirmPayment: ['data', 'data.orderUserDetails'],
  updateStory: ['story'],
  updateProfile: ['user', 'user.language'],
}
const isSpared = (name: CallName, where: string): boolean => where.endsWith('language') || (SPARED_IN[name]?.includes(where) ?? false)

const specified = Object.entries(SPECIFIED) as [CallName, string][]
const fieldsOf = (fields: string): Set<string> => new Set(fields.split(' '))
describe('an older server', () => {
  test.each(specified)('%s with the specification’s fields alone has every field that screens read', (name, fields) => {
    const { schema, form } = callOf(name)
    const bare = only(sampleOf(schema), fieldsOf(fields))
    expect(missing(sampleOf(schema), read(name, form, bare)).filter((where) => !isSpared(name, where))).toEqual([])
  })

  test.each(specified)('%s without any one newer field, too', (name, fields) => {
    const { schema, form } = callOf(name)
    const named = fieldsOf(fields)
    const isNewer = (where: string): boolean => ![...named].some((field) => field === where || field.startsWith(`${where}.`))
    for (const [where, answer] of lacking(sampleOf(schema))) {
      // A newer part of the answer is left out whole.
      if (!isNewer(where) || [...where.matchAll(/\./g)].some(({ index }) => isNewer(where.slice(0, index)))) continue
      expect(
        missing(sampleOf(schema), read(name, form, answer)).filter((one) => !isSpared(name, one)),
        where,
      ).toEqual([])
    }
  })

  test('a field of the specification is not assumed', () => {
    for (const [name, fields] of specified) {
      const { schema, form } = callOf(name)
      const needed = fields.split(' ').filter((field) => !isSpared(name, field) && !/^data\.(success|orderUserDetails)/.test(field))
      for (const [where, answer] of lacking(sampleOf(schema))) {
        if (!needed.includes(where)) continue
        let isTaken = true
        try {
          read(name, form, answer)
        } catch {
          isTaken = false
        }
        // Null, or the other of the two names of a story's id.
        const isAssumed = /\.(phone|avatar|videoUrl|imageUrl)$|^(stories|data\.recentImpacts)\.id$/.test(where)
        expect([where, isTaken], name).toEqual([where, isAssumed])
      }
    }
  })

  test('a round without its day, chance and time gets them from its end and its members', () => {
    const { form } = callOf('currentRound')
    const round = {
      totalParticipants: 4,
      totalAmount: 4,
      hasParticipated: false,
      endTime: '2026-11-28T00:00:00+05:30',
      lastImpactStory: { videoUrl: null, title: 'Books' },
      lastWinner: { name: 'Asha V.', amount: 1.2, date: '2026-11-26' },
    }
    expect(read('currentRound', form, round)).toMatchObject({
      id: '2026-11-27',
      status: 'open',
      winChance: 5,
      split: { need: 60, reward: 30, platform: 10 },
      lastImpactStory: { date: '2026-11-26', title: 'Books' },
      lastWinner: { others: 0, isDemo: false, assurance: 'sealed' },
    })
    expect(read('currentRound', form, { ...round, hasParticipated: true })).toMatchObject({ winChance: 4 })
  })

  test('a story has one id, whichever of the two names it has', () => {
    const { form } = callOf('stories')
    const { stories } = sampleOf(callOf('stories').schema) as { stories: Fields[] }
    const { id: _, ...story } = stories[0] ?? {}
    expect(read('stories', form, { stories: [{ ...story, _id: 'S1' }] })).toMatchObject({ stories: [{ id: 'S1' }], nextCursor: null })
  })
})
