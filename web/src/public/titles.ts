/** The words of each public page's title and heading: the same, as its address has them. */
import { useLingui } from '@lingui/react/macro'
import type { PublicPage } from '../paths.ts'

export function usePageTitle(page: PublicPage | 'notFound' | 'offline'): string {
  const { t } = useLingui()
  const titles: Readonly<Record<PublicPage | 'notFound' | 'offline', string>> = {
    home: t`One rupee a day, together.`,
    privacyPolicy: t`Privacy Policy`,
    refundPolicy: t`Refund Policy`,
    terms: t`Terms`,
    dailyContributions: t`Daily Contributions`,
    directHelpProcess: t`Direct Help Process`,
    giveawaySelection: t`Giveaway Selection`,
    impactVideos: t`Impact Videos`,
    dailyReports: t`Daily Reports`,
    videoDocumentation: t`Video Documentation`,
    moneyTrail: t`Money Trail`,
    impactStories: t`Impact Stories`,
    helpCenter: t`Help Center`,
    contactUs: t`Contact Us`,
    verify: t`Check the draw`,
    notFound: t`Page not found`,
    offline: t`No connection`,
  }
  return titles[page]
}
