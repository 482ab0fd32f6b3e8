/**
 * A page of the newest month: one small ring a day, filled where the member joined, gold where they
 * won. A picture of the list below, told apart by shape as well as colour; the first page of the list has them all.
 */
import { Plural, Trans } from '@lingui/react/macro'
import { currentLanguage } from '../../language.ts'
import type { RoundResult } from './HistoryPage.tsx'

const DAYS_A_ROW = 7
const CELL = 40

export function MonthPage({ results }: { readonly results: readonly RoundResult[] }) {
  const month = results[0]?.date.slice(0, 7)
  if (month === undefined) return null
  const byDay = new Map(results.filter(({ date }) => date.startsWith(month)).map((result) => [Number(result.date.slice(8)), result]))
  const joined = [...byDay.values()].filter(({ participated }) => participated).length
  const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate()
  // Weeks begin on Monday, so that a column is a weekday.
  const offset = (new Date(`${month}-01T00:00:00Z`).getUTCDay() + 6) % DAYS_A_ROW
  const rows = Math.ceil((offset + days) / DAYS_A_ROW)
  const name = new Intl.DateTimeFormat(currentLanguage() === 'hi' ? 'hi-IN-u-nu-latn' : 'en-IN', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`))
  return (
    <figure className="month">
      <svg viewBox={`0 0 ${DAYS_A_ROW * CELL} ${rows * CELL}`} role="img" aria-label={name}>
        {Array.from({ length: days }, (_, index) => (
          <Ring key={index} day={index + 1} at={offset + index} result={byDay.get(index + 1)} />
        ))}
      </svg>
      <figcaption>
        <b>{name}</b>
        <span>
          <Plural value={joined} one="Joined on # day" other="Joined on # days" />
        </span>
        <span className="small muted">
          <Trans>Filled: joined. Gold: won. Open ring: missed.</Trans>
        </span>
      </figcaption>
    </figure>
  )
}

function Ring({ day, at, result }: { readonly day: number; readonly at: number; readonly result: RoundResult | undefined }) {
  const x = (at % DAYS_A_ROW) * CELL + CELL / 2
  const y = Math.floor(at / DAYS_A_ROW) * CELL + CELL / 2
  const kind = result === undefined ? 'none' : result.isWinner ? 'won' : result.participated ? 'in' : 'out'
  return (
    <g className={`ring ${kind}`}>
      <circle cx={x} cy={y} r="15" />
      {kind === 'won' ? <circle cx={x} cy={y} r="11.5" className="inner" /> : null}
      <text x={x} y={y + 4.5} textAnchor="middle">
        {day}
      </text>
    </g>
  )
}
