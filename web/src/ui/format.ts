/** Formats days, times and counts. Days are Asia/Kolkata dates, with the day first and the year. */
import { type Language, SPEECH } from '@roz/core/language.ts'

const made = new Map<string, Intl.DateTimeFormat>()

function formatter(language: Language, kind: 'day' | 'long' | 'time'): Intl.DateTimeFormat {
  const key = `${language} ${kind}`
  const known = made.get(key)
  if (known !== undefined) return known
  const { locale, dayPeriod } = SPEECH[language]
  const options: Record<typeof kind, Intl.DateTimeFormatOptions> = {
    day: { day: 'numeric', month: 'short', year: 'numeric' },
    long: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    time: { hour: 'numeric', minute: '2-digit', hour12: true, dayPeriod },
  }
  const fresh = new Intl.DateTimeFormat(locale, { ...options[kind], timeZone: 'Asia/Kolkata' })
  made.set(key, fresh)
  return fresh
}

/** A day becomes the instant of its noon in Kolkata. An ISO instant stays as it is. */
const instantOf = (value: string | Date): Date =>
  value instanceof Date ? value : new Date(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T12:00:00+05:30` : value)

/** `5 Mar 2026`, for a day or an instant. */
export const formatDay = (value: string | Date, language: Language): string => formatter(language, 'day').format(instantOf(value))
/** `Thursday, 5 March 2026`. */
export const formatLongDay = (value: string | Date, language: Language): string => formatter(language, 'long').format(instantOf(value))
/** `1:30 pm`, `दोपहर 1:30`. */
export const formatTime = (value: string | Date, language: Language): string => formatter(language, 'time').format(instantOf(value))
/** `5 Mar 2026, 1:30 pm`. */
export const formatInstant = (value: string | Date, language: Language): string =>
  `${formatDay(value, language)}, ${formatTime(value, language)}`

const DATE_OR_TIME =
  /(\d{1,2} \p{L}[\p{L}\p{M}॰.]* \d{4}|\d{1,2}:\d{2} [ap]m(?: \([^)]*\))?|\p{L}[\p{L}\p{M}]* \d{1,2}:\d{2}(?: \([^)]*\))?)/u
/** Splits a sentence at its dates and times: every second part is one, and must not contain a line break. */
export const cutAtDates = (text: string): string[] => text.split(DATE_OR_TIME)

/** A member’s initials: at most `max` letters in upper case, and empty without a name. */
export function initialsOf(name: string, max: number): string {
  const segmenter = new Intl.Segmenter('und')
  const words = name
    .trim()
    .split(/\s+/u)
    .filter((word) => word !== '')
  return words
    .slice(0, max)
    .map((word) => [...segmenter.segment(word)][0]?.segment.toUpperCase() ?? '')
    .join('')
}
