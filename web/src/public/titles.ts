/** The title of each public page, which is also its heading. */
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { hasDraw, type Modes } from '@roz/core/modes.ts'
import type { PublicPage } from '../paths.ts'
import { usePage } from './context.ts'

export const PAGE_TITLES = {
  home: msg`One rupee a day, together.`,
  privacyPolicy: msg`Privacy Policy`,
  refundPolicy: msg`Refund Policy`,
  terms: msg`Terms`,
  dailyContributions: msg`Daily Contributions`,
  directHelpProcess: msg`Direct Help Process`,
  giveawaySelection: msg`Giveaway Selection`,
  impactVideos: msg`Impact Videos`,
  dailyReports: msg`Daily Reports`,
  videoDocumentation: msg`Video Documentation`,
  moneyTrail: msg`Money Trail`,
  impactStories: msg`Impact Stories`,
  askForHelp: msg`Ask for help`,
  helpCenter: msg`Help Center`,
  contactUs: msg`Contact Us`,
  verify: msg`Check the draw`,
  notFound: msg`Page not found`,
  offline: msg`No connection`,
} as const satisfies Record<PublicPage | 'notFound' | 'offline', ReturnType<typeof msg>>

/** Titles of pages that say something else where rounds have no draw. */
const WITHOUT_DRAW: Partial<typeof PAGE_TITLES> = { verify: msg`Check a round`, giveawaySelection: msg`No giveaway` }

export const titleOf = (page: keyof typeof PAGE_TITLES, modes: Modes) =>
  (hasDraw(modes) ? undefined : WITHOUT_DRAW[page]) ?? PAGE_TITLES[page]

export function usePageTitle(page: PublicPage | 'notFound' | 'offline'): string {
  const { modes } = usePage()
  return useLingui().i18n._(titleOf(page, modes))
}
