/**
 * The words of a day's draft story.
 * - A draft is stored in English. Every word that no editor changed is shown in the reader's language.
 * - The share was set aside when the draft is made. It may be sent much later, so the words promise nothing more.
 */
import type { IstDay } from './ist-day.ts'
import { inEach, type Language, LANGUAGES, SPEECH } from './language.ts'
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

/** The words of a story for a reader. An editor may have saved a draft's words in any language. */
export function wordsFor<W extends Partial<Words>>(written: W, round: Round, language: Language): W {
  const drafts = LANGUAGES.map((each) => draftWords(round, each))
  const own = draftWords(round, language)
  const names = (Object.keys(own) as (keyof Words)[]).filter((name) => drafts.some((draft) => draft[name] === written[name]))
  return { ...written, ...Object.fromEntries(names.map((name) => [name, own[name]])) }
}
