/**
 * The fields of the story dialog: each text in every language, flat in the form.
 * - One language has every text; the others may have any of them.
 */
import { type Language, LANGUAGES } from '@roz/core/language.ts'
import { charityDescription, charityName, storyDescription, storyTitle, videoUrl } from '@roz/core/story-fields.ts'
import { STORY_WORDS, type StoryWord, type StoryWords } from '@roz/core/story-words.ts'
import type { PortalStory } from '@roz/contract/impact.ts'
import type { UseFormReturn } from 'react-hook-form'
import * as z from 'zod/mini'
import { ApiError } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { changedFields } from '../changed-fields.ts'

type WordField = `${StoryWord}_${Language}`
export type StoryValues = { readonly [field in WordField | 'videoUrl']: string }

export const fieldOf = (word: StoryWord, language: Language): WordField => `${word}_${language}`
/** The portal's own language first. */
export const sides = (): readonly Language[] => LANGUAGES.toSorted((one, other) => sideOf(one) - sideOf(other))
const sideOf = (language: Language): number => (language === currentLanguage() ? 0 : 1)

const RULES = { title: storyTitle, description: storyDescription, charityName, charityDescription } as const
const textIn = (values: StoryValues, language: Language, word: StoryWord): string => values[fieldOf(word, language)].trim()
const missing = (values: StoryValues, language: Language): readonly StoryWord[] =>
  STORY_WORDS.filter((word) => textIn(values, language, word) === '')

const orEmpty = (rule: (typeof RULES)[StoryWord]) =>
  z.string().check((given) => {
    if (given.value.trim() === '') return
    for (const { message } of rule.safeParse(given.value).error?.issues ?? [])
      given.issues.push({ code: 'custom', message, input: given.value, continue: true })
  })
const fields = Object.fromEntries(
  LANGUAGES.flatMap((language) => STORY_WORDS.map((word) => [fieldOf(word, language), orEmpty(RULES[word])])),
)

export const storyRules = z.object({ ...fields, videoUrl }).check((given) => {
  const values = given.value as StoryValues
  const [fullest] = sides().toSorted((one, other) => missing(values, one).length - missing(values, other).length)
  for (const word of fullest === undefined ? [] : missing(values, fullest)) {
    const message = RULES[word].safeParse('').error?.issues[0]?.message ?? ''
    given.issues.push({ code: 'custom', message, input: '', path: [fieldOf(word, fullest as Language)] })
  }
}) as unknown as z.ZodMiniType<StoryValues, StoryValues>

/** The story's own texts in a language; a missing one is empty. */
function wordsIn(story: PortalStory | undefined, language: Language): StoryWords {
  const { title, description, charity, language: written = 'en', translations } = story ?? {}
  const own: Partial<StoryWords> =
    written === language && charity !== undefined
      ? { title: title ?? '', description: description ?? '', charityName: charity.name, charityDescription: charity.description }
      : {}
  return { title: '', description: '', charityName: '', charityDescription: '', ...own, ...translations?.[language] }
}

export const valuesOf = (story: PortalStory | undefined): StoryValues =>
  Object.fromEntries([
    ...LANGUAGES.flatMap((language) => Object.entries(wordsIn(story, language)).map(([word, text]) => [`${word}_${language}`, text])),
    ['videoUrl', story?.videoUrl ?? ''],
  ]) as StoryValues

/** `written`: the language of title, description and charity so far; it stays while it has every text. */
export function bodyOf(values: StoryValues, written: Language = currentLanguage()) {
  const isWhole = (language: Language): boolean => missing(values, language).length === 0
  const language = isWhole(written) ? written : (sides().find(isWhole) ?? written)
  const text = (word: StoryWord): string => textIn(values, language, word)
  const others = LANGUAGES.filter((other) => other !== language).map((other) => {
    const has = STORY_WORDS.filter((word) => textIn(values, other, word) !== '')
    return [other, Object.fromEntries(has.map((word) => [word, textIn(values, other, word)]))] as const
  })
  return {
    title: text('title'),
    description: text('description'),
    charity: { name: text('charityName'), description: text('charityDescription') },
    language,
    translations: Object.fromEntries(others) as Partial<Record<Language, Partial<StoryWords>>>,
    videoUrl: values.videoUrl === '' ? null : values.videoUrl,
  }
}

/** The fields that differ from the story as the form found it. The charity and the other languages are one field each. */
export function changesOf(story: PortalStory, values: StoryValues): Partial<ReturnType<typeof bodyOf>> {
  const [before, after] = [bodyOf(valuesOf(story), story.language), bodyOf(values, story.language)]
  // Another language than before: its words were a translation until now.
  return before.language === after.language ? changedFields(before, after) : after
}

/** The state by which the screens say whom a publication or a link tells. The server refuses both if it has changed since. */
export const seenOf = ({ outlayId, isActive, isTold }: PortalStory) => ({ outlayId, isActive, isTold })

const WORD_AT: Readonly<Record<string, StoryWord | undefined>> = {
  title: 'title',
  description: 'description',
  charity: 'charityName',
  'charity.name': 'charityName',
  'charity.description': 'charityDescription',
}

/** Shows each refusal of the server at its field. */
export function showRefusedStory(form: UseFormReturn<StoryValues>, error: unknown, story: PortalStory | undefined): void {
  if (!(error instanceof ApiError)) return
  const { language } = bodyOf(form.getValues(), story?.language)
  for (const [path, message] of Object.entries(error.fields)) {
    const word = WORD_AT[path]
    const [, other, translated] = path.split('.')
    if (path === 'videoUrl') form.setError('videoUrl', { message })
    else if (word !== undefined) form.setError(fieldOf(word, language), { message })
    else if (path.startsWith('translations.')) form.setError(`${translated}_${other}` as WordField, { message })
  }
}

/** The story as readers of the portal's language see it. */
export function storyFor(story: PortalStory): PortalStory {
  const reader = currentLanguage()
  const own: Partial<StoryWords> = story.translations?.[reader] ?? {}
  const languageOf = (word: StoryWord): Language | undefined => (own[word] === undefined ? story.language : reader)
  return {
    ...story,
    title: own.title ?? story.title,
    description: own.description ?? story.description,
    charity: { name: own.charityName ?? story.charity.name, description: own.charityDescription ?? story.charity.description },
    languages: Object.fromEntries(STORY_WORDS.map((word) => [word, languageOf(word)])),
  }
}
