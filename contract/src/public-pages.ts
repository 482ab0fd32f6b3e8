/**
 * What the server tells the public pages. The web build makes render functions of them
 * (web/src/public/render.tsx), the server calls those with these values: the two meet here.
 */
import type { Language } from '@roz/core/language.ts'
import type { Api, Output } from './api.ts'
import type { Story } from './impact.ts'

/** The operator's settings that pages name. */
export type SiteFacts = {
  readonly brandName: string
  readonly supportEmail: string
  readonly supportPhone: string
  readonly officeAddress: string
  /** Marketing figures of the operator, as text: `14,000` and `10,000+`. */
  readonly people: string
  readonly contributors: string
  /** A YouTube link, shown by See Real Impact. */
  readonly howItWorksVideo: string | undefined
  readonly legalEntity: string | undefined
  readonly grievanceOfficer: string | undefined
  readonly minAgeYears: number
  readonly topupMinRupees: number
  readonly topupMaxRupees: number
  /** The operator's switches PAYMENTS_LIVE and CASHOUT. */
  readonly topupsOn: boolean
  readonly withdrawalsOn: boolean
  /** Which split is in force today: percent of the pool, and how many share the reward. */
  readonly split: { readonly need: number; readonly reward: number; readonly platform: number; readonly winners: number }
  /** Draws use random numbers of our own (a demo); otherwise a weak one is one that no witness saw in time. */
  readonly drawsLocally: boolean
}

export type HomeData = Output<Api['home']>['data']
export type CurrentRound = Output<Api['currentRound']>
export type PublicDays = Output<Api['publicDays']>

/** What of the live data a page is filled with. */
export type PageData = {
  readonly home: HomeData
  readonly round: CurrentRound
  /** Published stories, newest publication first. */
  readonly stories: readonly Story[]
  /** Where those before them begin, if there are any. */
  readonly storiesNext: string | null
  /** Days that are over; only for the pages that show them. */
  readonly days: PublicDays | undefined
}

/** What a link that is shared is about. Days are settled and over, stories are published. */
export type ShareSubject =
  | { readonly kind: 'page'; readonly page: string }
  | { readonly kind: 'day'; readonly day: string; readonly entries: number; readonly intake: number; readonly need: number }
  | { readonly kind: 'story'; readonly story: Story }

/** What the picture of a shared link says, ready to print. */
export type ShareCard = {
  readonly brand: string
  readonly tagline: string
  /** The line above the title; empty where there is none. */
  readonly when: string
  readonly title: string
  readonly lead: string
  readonly figures: readonly { readonly label: string; readonly value: string }[]
  /** A drawing as SVG, without variables, fonts or words. */
  readonly art: string
}

export type PageRequest = {
  /** A name of web/src/paths.ts `publicPaths`, or `notFound`, or `offline`. */
  readonly page: string
  readonly language: Language
  /** Scheme, host and port, for links between languages and to the page itself. */
  readonly origin: string
  readonly site: SiteFacts
  /** Absent where a page names none, or where the server could not read it. */
  readonly data: PageData | undefined
  readonly nowMs: number
  /** What the page is about, where that is more than the page itself: a day, a story. */
  readonly subject?: ShareSubject | undefined
  /** Path of the picture that a shared link shows. */
  readonly picture?: string | undefined
}

/** What `pages.mjs` exports. */
export type PublicPages = {
  /** Address of each page by name, English; other languages lie below their tag. */
  readonly addresses: Readonly<Record<string, string>>
  /** The pages that show live data. */
  readonly live: readonly string[]
  /** Those of them that show days that are over. */
  readonly withDays: readonly string[]
  /** Those of them that show days that are over and nothing younger: such a page is drawn again once one more is. */
  readonly daily: readonly string[]
  /** Pages that lie below each day too: `/verify/2026-11-21`. What such a page says of the day it asks for itself. */
  readonly ofDay: readonly string[]
  /** Pages that lie below each published story too, and then show it alone. */
  readonly ofStory: readonly string[]
  readonly card: (subject: ShareSubject, language: Language, brandName: string) => ShareCard
  readonly render: (request: PageRequest) => string
}
