/** The component of each public page. */
import type { ReactNode } from 'react'
import type { PublicPage } from '../paths.ts'
import { AskForHelp } from './AskForHelp.tsx'
import { DailyReports, MoneyTrail } from './BooksPages.tsx'
import { ImpactStories, ImpactVideos, VideoDocumentation } from './LivePages.tsx'
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
import { Verify } from './Verify.tsx'

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
  askForHelp: AskForHelp,
  helpCenter: HelpCenter,
  contactUs: ContactUs,
  verify: Verify,
} as const satisfies Record<Exclude<PublicPage, 'home'>, () => ReactNode>
