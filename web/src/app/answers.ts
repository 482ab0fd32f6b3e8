/**
 * Tells an answer of a call from anything else, such as a captive portal's page, and completes the answers of older servers.
 * - An answer without a field that the specification names is no answer of the call.
 * - A missing newer field gets the value that the contract assumes (`newer` in contract/src/shapes.ts), so screens always find it.
 */
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import type { Form } from '../../build/forms.ts'

export class MisfitError extends Error {
  override readonly name = 'MisfitError'
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The name of a field, and what is assumed without it (web/build/forms.ts). */
const KEY = /^(\w+)([?~@=]?)(.*)$/

/** The value, with everything that is assumed. Throws MisfitError if it has another form. */
export function completedAnswer(form: Form, value: unknown, place = 'answer'): unknown {
  if (form === '*') return value
  if (typeof form === 'string') {
    if ((typeof value).startsWith(form)) return value
  } else if (isList(form)) {
    if (Array.isArray(value)) return value.map((item) => completedAnswer(form[0], item, place))
  } else if (isFields(value)) {
    const whole: Record<string, unknown> = { ...value }
    for (const [key, inner] of Object.entries(form)) {
      const [, name = '', mark, rest = ''] = KEY.exec(key) ?? []
      const given = value[name]
      if (given === null && mark === '?') continue
      if (given !== undefined || mark === '') whole[name] = completedAnswer(inner, given, name)
      else if (mark === '?') whole[name] = null
      else if (mark === '=') whole[name] = JSON.parse(rest)
      else if (mark === '@') whole[name] = completedAnswer(inner, value[rest], name)
    }
    return whole
  }
  throw new MisfitError(`${place} is not of its form`)
}

const isList = (form: Form): form is readonly [Form] => Array.isArray(form)

/** Values that only code can derive, by call. */
export const DERIVED: Readonly<Record<string, (answer: Fields) => Fields>> = {
  currentRound: (round) => {
    const id = (round.id as IstDay | undefined) ?? dayAt(Date.parse(String(round.endTime)) - 1)
    const { lastImpactStory, totalParticipants, hasParticipated } = round
    const chance = Math.max(1, Number(totalParticipants) + (hasParticipated === true ? 0 : 1))
    return {
      winChance: chance,
      serverTime: new Date().toISOString(),
      ...round,
      id,
      lastImpactStory: isFields(lastImpactStory) ? { date: addDays(id, -1), ...lastImpactStory } : null,
    }
  },
}
