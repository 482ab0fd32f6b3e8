/** The data that a public page is rendered from: the operator, the live figures, the language and the time. */
import type { AskedHelp, PageData, PageRequest, SiteFacts, ShareSubject } from '@roz/contract/public-pages.ts'
import type { Language } from '@roz/core/language.ts'
import { type Modes, splitOf } from '@roz/core/modes.ts'
import { createContext, useContext } from 'react'
import { type PublicPage, publicPath } from '../paths.ts'

type PageContext = {
  /** The operator's switches, with today's round's own split, which it keeps from its making. */
  readonly modes: Modes
  readonly site: SiteFacts
  /** Undefined if the figures could not be read. The page then says so and shows no figures. */
  readonly data: PageData | undefined
  readonly language: Language
  readonly nowMs: number
  readonly to: (page: PublicPage) => string
  /** The day or story that the page is about, if there is one. */
  readonly subject: ShareSubject | undefined
  /** The answer to a form of this page. */
  readonly asked: AskedHelp | undefined
}

/** The last part of the address of a page about one day or story. It is the same in every language. */
export const placeBelow = (subject: ShareSubject | undefined): string =>
  subject?.kind === 'day' ? `/${subject.day}` : subject?.kind === 'story' ? `/${subject.story.id}` : ''

export const contextOf = (request: PageRequest): PageContext => ({
  modes: { ...request.site.modes, split: request.data === undefined ? request.site.modes.split : splitOf(request.data.round.split) },
  site: request.site,
  data: request.data,
  language: request.language,
  nowMs: request.nowMs,
  subject: request.subject,
  asked: request.asked,
  to: (page) => publicPath(page, request.language),
})

export const Page = createContext<PageContext | undefined>(undefined)

export function usePage(): PageContext {
  const context = useContext(Page)
  if (context === undefined) throw new Error('a public page was rendered without its context')
  return context
}
