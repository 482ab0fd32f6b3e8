/**
 * The push message about a round's result: a title and a line in the member's language, and the screen that it opens.
 * - It contains no other member's amount and nobody's name, because it is shown on locked screens.
 */
import type { IstDay } from './ist-day.ts'
import type { Language } from './language.ts'
import { dayText, noticeText } from './notices.ts'
import { texts } from './texts.ts'

export type ResultNews = {
  readonly title: string
  readonly body: string
  readonly lang: Language
  /** One message per round is shown, however often it arrives. */
  readonly tag: string
  /** The screen with the details. */
  readonly path: '/wallet' | '/dashboard'
}

const TITLE = texts('The result is in')
const DRAWN = texts('The draw of {day} is done. See who won and what is set aside for people in need.')
/** For a round without winners: the reward went to people in need. */
const COMPLETE = texts('The round of {day} is complete. See what is set aside for people in need.')

type Result = {
  readonly day: IstDay
  /** The reader's own prize, ready to print; undefined if the reader did not win. */
  readonly won: string | undefined
  /** The tax withheld from it, ready to print. */
  readonly tax?: string
  /** The part of the prize that paid the reader's debt, ready to print. */
  readonly paid?: string
  /** The part of the prize that the reader passed on, ready to print. */
  readonly passed?: string
  readonly hasWinners: boolean
}

export function resultNews({ day, won, hasWinners, ...more }: Result, lang: Language): ResultNews {
  const tag = `result-${day}`
  if (won !== undefined) return { ...noticeText('won', { amount: won, day, ...more }, lang), lang, tag, path: '/wallet' }
  const line = hasWinners ? DRAWN : COMPLETE
  return { title: TITLE[lang], body: line[lang].replace('{day}', dayText(day, lang)), lang, tag, path: '/dashboard' }
}
