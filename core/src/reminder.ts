/**
 * The evening reminder: the times that a member may pick, and its push message.
 * - The message names no amount of the wallet and no reward, because it is shown on locked screens.
 */
import type { IstDay } from './ist-day.ts'
import type { Language } from './language.ts'
import { texts } from './texts.ts'

/** Times of day in Asia/Kolkata. */
export const REMINDER_TIMES = [
  '17:00',
  '17:30',
  '18:00',
  '18:30',
  '19:00',
  '19:30',
  '20:00',
  '20:30',
  '21:00',
  '21:30',
  '22:00',
  '22:30',
  '23:00',
] as const
export type ReminderTime = (typeof REMINDER_TIMES)[number]

/** The button that silences the reminder for its day. */
export const NOT_TODAY = 'not-today'

export type ReminderNews = {
  readonly title: string
  readonly body: string
  readonly lang: Language
  /** One message per day is shown, however often it arrives. */
  readonly tag: string
  readonly path: '/dashboard'
  readonly actions: readonly { readonly action: typeof NOT_TODAY; readonly title: string }[]
  /** Proves to the server that the reader may silence this day's reminder. */
  readonly silence: string
}

const TITLE = texts("Today's round is open until midnight")
const BODY = texts('You have not joined yet. ₹1 from your wallet is enough.')
const SILENCE = texts('Not today')

export const reminderNews = (day: IstDay, silence: string, lang: Language): ReminderNews => ({
  title: TITLE[lang],
  body: BODY[lang],
  lang,
  tag: `reminder-${day}`,
  path: '/dashboard',
  actions: [{ action: NOT_TODAY, title: SILENCE[lang] }],
  silence,
})
