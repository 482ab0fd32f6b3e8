/**
 * Members, pool and help over time: a line for the eye, and below it every number, in a table or on a phone in rows.
 * - The drawing is hidden from screen readers; the table says the same.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { formatCount } from '@roz/core/numbers.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { SelectField } from '../../../ui/Field.tsx'
import { formatDay } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { useIsWide } from '../../../ui/wide.ts'
import { type Days, type Figure, figuresQuery } from '../queries.ts'

type Line = { readonly name: string; readonly kind: 'first' | 'second'; readonly of: (figure: Figure) => number | null }

export function Figures() {
  const { t } = useLingui()
  const [days, setDays] = useState<Days>('30')
  // The earlier period stays until the next one is there, and so does the choice to see all its days.
  const figures = useQuery({ ...figuresQuery(days), placeholderData: keepPreviousData })
  return (
    <section className="books-check" aria-label={t`Figures over time`}>
      <h2 className="spaced">{t`Figures over time`}</h2>
      <div className="narrowing">
        <SelectField label={t`Period`} value={days} onChange={(event) => setDays(event.target.value as Days)}>
          <option value="30">{t`30 days`}</option>
          <option value="90">{t`90 days`}</option>
          <option value="365">{t`365 days`}</option>
        </SelectField>
      </div>
      {figures.data === undefined ? (
        <NotLoaded query={figures} failed={t`The figures could not be loaded.`} lines={6} />
      ) : (
        <Drawn figures={figures.data.figures} />
      )}
    </section>
  )
}

function Drawn({ figures }: { readonly figures: readonly Figure[] }) {
  const { t } = useLingui()
  return (
    <div className="figures">
      <div className="figure-charts">
        <Chart figures={figures} format={formatCount} lines={[{ name: t`Members`, kind: 'first', of: ({ members }) => members }]} />
        <Chart figures={figures} format={formatMoney} lines={[{ name: t`Put in on the day`, kind: 'first', of: ({ pool }) => pool }]} />
        <Chart
          figures={figures}
          format={formatMoney}
          lines={[
            { name: t`Set aside for help`, kind: 'first', of: ({ setAside }) => setAside },
            { name: t`Sent as help`, kind: 'second', of: ({ given }) => given },
          ]}
        />
      </div>
      <FigureList figures={figures} />
    </div>
  )
}

const WIDTH = 320
const HEIGHT = 96
const EDGE = 4

type ChartProps = {
  readonly figures: readonly Figure[]
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
}

/** One or two lines from zero to the highest value, which is written below the name. A day without a value has no point. */
function Chart({ figures, lines, format }: ChartProps) {
  const { t } = useLingui()
  const highest = Math.max(...lines.flatMap(({ of }) => figures.map((figure) => of(figure) ?? 0)))
  const dayOf = (figure: Figure | undefined): string => (figure === undefined ? '' : formatDay(figure.day, currentLanguage()))
  const step = (WIDTH - 2 * EDGE) / Math.max(1, figures.length - 1)
  const y = (value: number): number => HEIGHT - EDGE - (highest === 0 ? 0 : (value / highest) * (HEIGHT - 2 * EDGE))
  const pointOf = (index: number, value: number | null): string[] =>
    value === null ? [] : [`${(EDGE + index * step).toFixed(1)},${y(value).toFixed(1)}`]
  return (
    <figure className="chart">
      <figcaption>
        {lines.map(({ name, kind }) => (
          <span key={name} className={`chart-name ${kind}`}>
            {name}
          </span>
        ))}
        <span className="small muted">{t`up to ${format(highest)}`}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {lines.map(({ name, kind, of }) => (
          <polyline key={name} className={kind} points={figures.flatMap((figure, index) => pointOf(index, of(figure))).join(' ')} />
        ))}
      </svg>
      <p className="chart-days small muted">
        <span>{dayOf(figures[0])}</span>
        <span>{dayOf(figures.at(-1))}</span>
      </p>
    </figure>
  )
}

const DAYS_AT_FIRST = 7

/** The newest day first. */
function FigureList({ figures }: { readonly figures: readonly Figure[] }): ReactNode {
  const { t } = useLingui()
  const isWide = useIsWide()
  const [isWhole, setIsWhole] = useState(false)
  const newest = figures.toReversed()
  const shown = isWhole ? newest : newest.slice(0, DAYS_AT_FIRST)
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a table with long amounts scrolls, also by keyboard */}
      <div className="figure-table" role="region" aria-label={t`Figures by day`} tabIndex={0}>
        {isWide ? <FigureTable figures={shown} /> : <FigureRows figures={shown} />}
      </div>
      {isWhole ? null : (
        <p className="load-more">
          <Button kind="secondary" onClick={() => setIsWhole(true)}>
            <Trans>Show all {figures.length} days</Trans>
          </Button>
        </p>
      )}
    </div>
  )
}

function FigureTable({ figures }: { readonly figures: readonly Figure[] }) {
  const { t } = useLingui()
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">{t`Day`}</th>
          <th scope="col" className="number">{t`Members`}</th>
          <th scope="col" className="number">{t`Joined`}</th>
          <th scope="col" className="number">{t`Put in`}</th>
          <th scope="col" className="number">{t`Set aside for help`}</th>
          <th scope="col" className="number">{t`Sent as help`}</th>
        </tr>
      </thead>
      <tbody>
        {figures.map(({ day, members, joined, pool, setAside, given }) => (
          <tr key={day}>
            <th scope="row">{formatDay(day, currentLanguage())}</th>
            <td className="number">{formatCount(members)}</td>
            <td className="number">{formatCount(joined)}</td>
            <td className="number">{formatMoney(pool)}</td>
            <td className="number">{setAside === null ? <span className="muted">{t`not yet`}</span> : formatMoney(setAside)}</td>
            <td className="number">{formatMoney(given)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function FigureRows({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <ul className="rows">
      {figures.map(({ day, members, joined, pool, setAside, given }) => (
        <li key={day}>
          <span>{formatDay(day, currentLanguage())}</span>
          <span className="amount">{formatMoney(pool)}</span>
          <span className="small muted">
            <Trans>
              Joined: {formatCount(joined)} of {formatCount(members)}
            </Trans>
          </span>
          <span className="small muted end">
            {setAside === null ? <Trans>Not set aside yet</Trans> : <Trans>Set aside: {formatMoney(setAside)}</Trans>}
          </span>
          {given === 0 ? null : (
            <span className="small muted end whole-row">
              <Trans>Sent as help: {formatMoney(given)}</Trans>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
