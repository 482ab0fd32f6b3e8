/** Every address of the product. */
import { addressIn, type Language } from '@roz/core/language.ts'

export const paths = {
  home: '/',
  login: '/login',
  register: '/register',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  verifyEmail: '/verify-email',
  notMe: '/not-me',
  paymentStatus: '/payment-status',
  dashboard: '/dashboard',
  wallet: '/wallet',
  impact: '/impact',
  history: '/history',
  profile: '/profile',
  notifications: '/notifications',
  myTicket: '/my-ticket',
  receipt: '/receipt',
  year: '/year',
  goodbye: '/goodbye',
  adminLogin: '/admin/login',
  adminDashboard: '/admin/dashboard',
  adminInvitation: '/admin/invitation',
  kitchenSink: '/kitchen-sink',
} as const

/** The public pages by name. Outside English, the address begins with the language. */
export const publicPaths = {
  home: '/',
  privacyPolicy: '/privacy-policy',
  refundPolicy: '/refund-policy',
  terms: '/terms-condition',
  dailyContributions: '/daily-contributions',
  directHelpProcess: '/direct-help-process',
  giveawaySelection: '/giveaway-selection',
  impactVideos: '/impact-videos',
  dailyReports: '/daily-reports',
  videoDocumentation: '/video-documentation',
  moneyTrail: '/money-trail',
  impactStories: '/impact-stories',
  askForHelp: '/ask-for-help',
  helpCenter: '/help-center',
  contactUs: '/contact-us',
  /** Each day is below it: `/verify/2026-11-21`. */
  verify: '/verify',
} as const
export type PublicPage = keyof typeof publicPaths

/** The address of a public page in a language: `/hi/terms-condition`. */
export const publicPath = (page: PublicPage, language: Language): string => addressIn(language, publicPaths[page])

/** The preview picture of a page, a settled day or a published story. */
export const pictureOf = (name: string, language: Language): string => `/share/${name}-${language}.png`
