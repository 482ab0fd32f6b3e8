/**
 * The push message that a story about help from the reader's rupee is published. It names nobody, because it is shown on locked screens.
 */
import type { Language } from './language.ts'
import { NOTICES } from './notices.ts'
import { texts } from './texts.ts'
import { isolated } from './isolated.ts'

export type StoryNews = {
  readonly title: string
  readonly body: string
  readonly lang: Language
  /** One message per story is shown, however often it arrives. */
  readonly tag: string
  readonly path: '/history'
}

const BODY = texts('It paid for {purpose}. See the story and the bill.')

export const storyNews = (story: { readonly id: string; readonly purpose: string }, lang: Language): StoryNews => ({
  title: NOTICES.help_told.title[lang],
  body: BODY[lang].replace('{purpose}', () => isolated(story.purpose)),
  lang,
  // At most 32 characters of base64url, as a topic must be.
  tag: `s${story.id.replaceAll('-', '').slice(1)}`,
  path: '/history',
})
