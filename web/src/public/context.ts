/** What a public page is drawn from: who we are, the live figures, the language and the hour. */
import type { PageData, PageRequest, SiteFacts, ShareSubject } from '@roz/contract/public-pages.ts'
import type { Language } from '@roz/core/language.ts'
import { createContext, useContext } from 'react'
import { type PublicPage, publicPath } from '../paths.ts'

export type PageContext = {
  readonly site: SiteFacts
  /** Undefined when the figures could not be read: the page then says so and shows none. */
  readonly data: PageData | undefined
  readonly language: Language
  readonly nowMs: number
  readonly to: (page: PublicPage) => string
  /** The one thing that the page is about, where that is more than the page itself. */
  readonly subject: ShareSubject | undefined
}

/** What stands below a page's address where it is about one day or story: the same in every language. */
export const placeBelow = (subject: ShareSubject | undefined): string =>
  subject?.kind === 'day' ? `/${subject.day}` : subject?.kind === 'story' ? `/${subject.story.id}` : ''

export const contextOf = (request: PageRequest): PageContext => ({
  site: request.site,
  data: request.data,
  language: request.language,
  nowMs: request.nowMs,
  subject: request.subject,
  to: (page) => publicPath(page, request.language),
})

export const Page = createContext<PageContext | undefined>(undefined)

export function usePage(): PageContext {
  const context = useContext(Page)
  if (context === undefined) throw new Error('a public page was drawn without its context')
  return context
}
