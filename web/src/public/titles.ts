/** The title of each public page, which is also its heading. */
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import type { PublicPage } from '../paths.ts'

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
  helpCenter: msg`Help Center`,
  contactUs: msg`Contact Us`,
  verify: msg`Check the draw`,
  notFound: msg`Page not found`,
  offline: msg`No connection`,
} as const satisfies Record<PublicPage | 'notFound' | 'offline', ReturnType<typeof msg>>

export function usePageTitle(page: PublicPage | 'notFound' | 'offline'): string {
  return useLingui().i18n._(PAGE_TITLES[page])
}
