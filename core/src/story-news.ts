/**
 * The push messages about help from the reader's rupee: its story is published, or the helped person was asked again.
 * - They name nobody, because they are shown on locked screens.
 */
import type { Language } from './language.ts'
import { NOTICES } from './notices.ts'
import { texts } from './texts.ts'
import { isolated } from './isolated.ts'

export type StoryNews = {
  readonly title: string
  readonly body: string
  readonly lang: Language
  /** One message per story or follow-up is shown, however often it arrives. */
  readonly tag: string
  readonly path: '/history' | '/notifications'
}

/** At most 32 characters of base64url, as a topic must be. */
const tagOf = (letter: string, id: string): string => `${letter}${id.replaceAll('-', '').slice(1)}`

const BODY = texts('It paid for {purpose}. See the story and the bill.')

export const storyNews = (story: { readonly id: string; readonly purpose: string }, lang: Language): StoryNews => ({
  title: NOTICES.help_told.title[lang],
  body: BODY[lang].replace('{purpose}', () => isolated(story.purpose)),
  lang,
  tag: tagOf('s', story.id),
  path: '/history',
})

const AGAIN = texts('How things are now')
const AGAIN_BODY = texts('We asked again after your rupees paid for {purpose}. Read the answer.')

export const followUpNews = (followUp: { readonly id: string; readonly purpose: string }, lang: Language): StoryNews => ({
  title: AGAIN[lang],
  body: AGAIN_BODY[lang].replace('{purpose}', () => isolated(followUp.purpose)),
  lang,
  tag: tagOf('f', followUp.id),
  path: '/notifications',
})
