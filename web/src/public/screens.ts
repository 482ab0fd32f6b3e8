/** Which component draws which public page. */
import type { ReactNode } from 'react'
import type { PublicPage } from '../paths.ts'
import { DailyReports, ImpactStories, ImpactVideos, MoneyTrail, VideoDocumentation } from './LivePages.tsx'
import {
  ContactUs,
  DailyContributions,
  DirectHelpProcess,
  GiveawaySelection,
  HelpCenter,
  PrivacyPolicy,
  RefundPolicy,
  Terms,
} from './TextPages.tsx'

export const SCREENS = {
  privacyPolicy: PrivacyPolicy,
  refundPolicy: RefundPolicy,
  terms: Terms,
  dailyContributions: DailyContributions,
  directHelpProcess: DirectHelpProcess,
  giveawaySelection: GiveawaySelection,
  impactVideos: ImpactVideos,
  dailyReports: DailyReports,
  videoDocumentation: VideoDocumentation,
  moneyTrail: MoneyTrail,
  impactStories: ImpactStories,
  helpCenter: HelpCenter,
  contactUs: ContactUs,
} as const satisfies Record<Exclude<PublicPage, 'home'>, () => ReactNode>
