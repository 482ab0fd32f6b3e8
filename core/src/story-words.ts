/**
 * The words of a story in each language.
 * - Each text has its own languages. A reader without a translation gets the text as it was written.
 * - A draft's words that no editor changed are known in every language.
 * - Once an editor changed a draft's text, its drafted words are no translation of it.
 */
import { draftWords } from './draft-words.ts'
import type { IstDay } from './ist-day.ts'
import { type Language, LANGUAGES } from './language.ts'
import type { Paise } from './money.ts'

export const STORY_WORDS = ['title', 'description', 'charityName', 'charityDescription'] as const
export type StoryWord = (typeof STORY_WORDS)[number]
export type StoryWords = Readonly<Record<StoryWord, string>>
export type Translations = Readonly<Partial<Record<Language, Partial<StoryWords>>>>

/** The charity's name until one is chosen; screens show it in the reader's language. */
export const PENDING_CHARITY = 'Pending Charity Selection'

type Written = Partial<StoryWords> & {
  /** The language of these words. */
  readonly writtenIn: Language
  readonly translations: Translations
}
type Round = { readonly day: IstDay; readonly participants: bigint; readonly need: Paise }

const drafted = (round: Round, language: Language): StoryWords => ({ ...draftWords(round, language), charityName: PENDING_CHARITY })

/** The story's texts in the languages other than the written one, and the written one's where a draft was saved in another. */
export function translationsOf(written: Written, round: Round): Translations {
  const drafts = LANGUAGES.map((language) => [language, drafted(round, language)] as const)
  const textIn = (language: Language, draft: StoryWords, word: StoryWord): string | undefined => {
    if (written[word] === undefined) return undefined
    if (drafts.some(([, each]) => each[word] === written[word])) return draft[word]
    const translated = written.translations[language]?.[word]
    return language === written.writtenIn || translated === draft[word] ? undefined : translated
  }
  return Object.fromEntries(
    drafts.map(([language, draft]) => [
      language,
      Object.fromEntries(
        STORY_WORDS.flatMap((word) => {
          const text = textIn(language, draft, word)
          return text === undefined ? [] : [[word, text]]
        }),
      ),
    ]),
  )
}

/** The words for a reader, and the language of each. */
export function wordsFor<W extends Written>(written: W, round: Round, language: Language) {
  const own = translationsOf(written, round)[language] ?? {}
  const languages = STORY_WORDS.flatMap((word) =>
    written[word] === undefined ? [] : [[word, own[word] === undefined ? written.writtenIn : language] as const],
  )
  return {
    words: { ...written, ...own },
    languages: Object.fromEntries(languages) as Readonly<Partial<Record<StoryWord, Language>>>,
  }
}

/** The languages in which at least one text of the story is missing. */
export function missingIn(written: Written, round: Round): readonly Language[] {
  const known = translationsOf(written, round)
  return LANGUAGES.filter(
    (language) =>
      language !== written.writtenIn && STORY_WORDS.some((word) => written[word] !== undefined && known[language]?.[word] === undefined),
  )
}
