/**
 * The interface between the server and the public pages: the web build makes render functions
 * (web/src/public/render.tsx), and the server calls them with these values.
 */
import type { Language } from '@roz/core/language.ts'
import type { Milestone } from '@roz/core/milestones.ts'
import type { Modes } from '@roz/core/modes.ts'
import type { Api, Output } from './api.ts'
import type { Story } from './impact.ts'

/** Settings of the operator that pages show. */
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
  readonly modes: Modes
}

/** Texts that editors change in the portal. */
export type EditedSite = Pick<SiteFacts, 'people' | 'contributors' | 'howItWorksVideo'>

export type HomeData = Output<Api['home']>['data']
type CurrentRound = Output<Api['currentRound']>
export type PublicDays = Output<Api['publicDays']>

/** The live data of a page. */
export type PageData = {
  readonly home: HomeData
  readonly round: CurrentRound
  /** Published stories, newest publication first. */
  readonly stories: readonly Story[]
  /** Cursor of the stories after these; null if there are none. */
  readonly storiesNext: string | null
  /** Ended days; only for pages that show them. */
  readonly days: PublicDays | undefined
  /** The site's present texts; if undefined, the settings are shown. */
  readonly edited?: EditedSite
}

/** The subject of a shared link. Days are settled and over, stories are published. */
export type ShareSubject =
  | { readonly kind: 'page'; readonly page: string }
  | { readonly kind: 'day'; readonly day: string; readonly entries: number; readonly intake: number; readonly need: number }
  | { readonly kind: 'story'; readonly story: Story }
  /** A member's milestone; it names nobody. */
  | { readonly kind: 'milestone'; readonly days: Milestone }

/** The texts of a shared link's picture, ready to print. */
export type ShareCard = {
  readonly brand: string
  readonly tagline: string
  /** The line above the title; may be empty. */
  readonly when: string
  readonly title: string
  readonly lead: string
  readonly figures: readonly { readonly label: string; readonly value: string }[]
  /** A drawing as SVG, without variables, fonts or words. */
  readonly art: string
}

/** The answer of the page “Ask for help” to a form. */
export type AskedHelp =
  | {
      readonly kind: 'form'
      readonly values: Readonly<Record<string, string>>
      /** The problem of each field, in the reader's language. */
      readonly problems: Readonly<Record<string, string>>
      readonly refusal: string
    }
  | { readonly kind: 'stored' | 'withdrawn'; readonly number: string }
  | { readonly kind: 'withdraw'; readonly number: string; readonly refusal?: string | undefined }
  | {
      readonly kind: 'look'
      readonly number: string
      readonly refusal?: string | undefined
      readonly found?: Output<Api['askedHelp']> | undefined
    }

export type PageRequest = {
  /** A name of web/src/paths.ts `publicPaths`, or `notFound`, or `offline`. */
  readonly page: string
  readonly language: Language
  /** Scheme, host and port, for links between languages and to the page itself. */
  readonly origin: string
  readonly site: SiteFacts
  /** Undefined if the page shows no live data or the server could not read it. */
  readonly data: PageData | undefined
  readonly nowMs: number
  /** The subject of a page about one day or one story. */
  readonly subject?: ShareSubject | undefined
  /** The answer to a form; such a page is not cached. */
  readonly asked?: AskedHelp | undefined
  /** Path of the picture for a shared link. */
  readonly picture?: string | undefined
}

/** The exports of `pages.mjs`. */
export type PublicPages = {
  /** Address of each page by name, in English; other languages are below their tag. */
  readonly addresses: Readonly<Record<string, string>>
  /** The pages that show live data. */
  readonly live: readonly string[]
  /** The live pages that show ended days. */
  readonly withDays: readonly string[]
  /** The live pages that show ended days and nothing newer: such a page is rendered again when a day is added. */
  readonly daily: readonly string[]
  /** Pages that also exist for each day: `/verify/2026-11-21`. Such a page fetches the day's data itself. */
  readonly ofDay: readonly string[]
  /** The page with the form of a request for help; below it each number has a page. */
  readonly ofRequest: string
  /** Pages that also exist for each published story and then show it alone. */
  readonly ofStory: readonly string[]
  readonly card: (subject: ShareSubject, language: Language, site: Pick<SiteFacts, 'brandName' | 'modes'>) => ShareCard
  readonly render: (request: PageRequest) => string
}
