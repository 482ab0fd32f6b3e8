/**
 * The newest month as one ring per day: filled for a join, gold for a win, none for a day without a round.
 * - The rings repeat the list below. They differ in shape as well as in colour.
 * - The first page of the list contains every round of that month.
 */
import { SPEECH } from '@roz/core/language.ts'
import { Plural, Trans } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { currentLanguage } from '../../app/language.ts'
import { withDraws } from '../../app/settings.ts'
import { useServerDay } from '../clock.ts'
import { ROUND_POLL_MS, roundQuery, type RoundResult } from '../queries.ts'

const DAYS_A_ROW = 7
const CELL = 40
/** The height of the row of weekday names. */
const HEAD = 28
/** Weeks begin on Monday, so each column is one weekday. 5 January 1970 was a Monday. */
const FIRST_MONDAY_MS = 4 * 86_400_000

function wordsOf(month: string): { readonly name: string; readonly weekdays: readonly string[] } {
  const { locale } = SPEECH[currentLanguage()]
  const inWords = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  const narrow = inWords({ weekday: 'narrow' })
  return {
    name: inWords({ month: 'long', year: 'numeric' }).format(new Date(`${month}-01T00:00:00Z`)),
    weekdays: Array.from({ length: DAYS_A_ROW }, (_, index) => narrow.format(FIRST_MONDAY_MS + index * 86_400_000)),
  }
}

export function MonthPage({ results }: { readonly results: readonly RoundResult[] }) {
  const today = useServerDay()
  const round = useQuery({ ...roundQuery, refetchInterval: false, staleTime: ROUND_POLL_MS })
  const month = results[0]?.date.slice(0, 7)
  if (month === undefined) return null
  const byDay = new Map(results.filter(({ date }) => date.startsWith(month)).map((result) => [result.date, result]))
  const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
  const offset = (new Date(`${month}-01T00:00:00Z`).getUTCDay() + 6) % DAYS_A_ROW
  const rows = Math.ceil((offset + days) / DAYS_A_ROW)
  const { name, weekdays } = wordsOf(month)
  const kindOf = (day: string): Kind => {
    const result = byDay.get(day)
    if (result !== undefined) return result.isWinner ? 'won' : result.participated ? 'in' : 'out'
    return day === today ? (round.data?.hasParticipated === true ? 'in today' : 'today') : 'none'
  }
  const kinds = Array.from({ length: days }, (_, index) => kindOf(`${month}-${String(index + 1).padStart(2, '0')}`))
  const joined = kinds.filter((kind) => FILLED.includes(kind)).length
  return (
    <figure className="month">
      <svg viewBox={`0 0 ${DAYS_A_ROW * CELL} ${HEAD + rows * CELL}`} role="img" aria-label={name}>
        {weekdays.map((weekday, column) => (
          <text key={column} className="weekday" x={column * CELL + CELL / 2} y="18" textAnchor="middle">
            {weekday}
          </text>
        ))}
        {kinds.map((kind, index) => (
          <Ring key={index} day={index + 1} at={offset + index} kind={kind} />
        ))}
      </svg>
      <figcaption>
        <b>{name}</b>
        <span>
          <Plural value={joined} one="Joined on # day" other="Joined on # days" />
        </span>
        <span className="small muted">
          {withDraws() || kinds.includes('won') ? (
            <Trans>Filled: joined. Gold: won. Open ring: missed. Dashed ring: today.</Trans>
          ) : (
            <Trans>Filled: joined. Open ring: missed. Dashed ring: today.</Trans>
          )}
        </span>
      </figcaption>
    </figure>
  )
}

/** `none`: a future day, or a day without a round. */
type Kind = 'won' | 'in' | 'out' | 'today' | 'in today' | 'none'
/** A winner joined too. */
const FILLED: readonly Kind[] = ['won', 'in', 'in today']

function Ring({ day, at, kind }: { readonly day: number; readonly at: number; readonly kind: Kind }) {
  const x = (at % DAYS_A_ROW) * CELL + CELL / 2
  const y = HEAD + Math.floor(at / DAYS_A_ROW) * CELL + CELL / 2
  return (
    <g className={`ring ${kind}`}>
      {kind === 'none' ? null : <circle cx={x} cy={y} r="15" />}
      {kind === 'won' ? <circle cx={x} cy={y} r="11.5" className="inner" /> : null}
      <text x={x} y={y + 4.5} textAnchor="middle">
        {day}
      </text>
    </g>
  )
}
