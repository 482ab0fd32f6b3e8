/**
 * The words of a day's draft story. It is stored in English (story-words.ts has its other languages).
 * - The share was set aside when the draft is made. It may be sent much later, so the words promise nothing more.
 */
import type { IstDay } from './ist-day.ts'
import { inEach, type Language, SPEECH } from './language.ts'
import { formatPaise, type Paise } from './money.ts'
import { formatCount } from './numbers.ts'
import { inPlural } from './plural.ts'
import { texts } from './texts.ts'

type Round = { readonly day: IstDay; readonly participants: bigint; readonly need: Paise }
type Words = { readonly title: string; readonly description: string; readonly charityDescription: string }

const TITLE = texts('Daily impact of {day}')
const DESCRIPTION = texts(
  '{members, plural, one {# member put one rupee into the round of {day}.} other {# members put one rupee each into the round of {day}.}} {amount} of it was set aside for people in need.',
)
const CHARITY = texts('The charity for this day has not been selected yet.')

const DAYS = inEach((language) => {
  const format = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(SPEECH[language].locale, format)
})

export function draftWords({ day, participants, need }: Round, language: Language): Words {
  const values: Readonly<Record<string, string>> = {
    day: DAYS[language].format(new Date(`${day}T00:00:00Z`)),
    members: formatCount(Number(participants)),
    amount: formatPaise(need),
  }
  const fill = (words: string): string =>
    inPlural(words, values, language).replace(/\{(\w+)\}/g, (mark, name: string) => values[name] ?? mark)
  return {
    title: fill(TITLE[language]),
    description: fill(DESCRIPTION[language]),
    charityDescription: CHARITY[language],
  }
}
