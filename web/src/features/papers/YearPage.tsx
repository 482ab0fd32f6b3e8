/**
 * A financial year on one page: the wallet's lines, prizes with tax, and whom the rupees helped. It prints, and downloads as a table.
 * - A line of zero is left out, so with no draw or no withdrawals the page speaks of none.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { MemberYear } from '@roz/contract/papers.ts'
import { BYTE_ORDER_MARK, type Cell, csvLine } from '@roz/core/csv.ts'
import { financialYearOf } from '@roz/core/financial-year.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { saveFile } from '../../app/save-file.ts'
import { useMember } from '../../app/session.tsx'
import { paths, publicPath } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { EmptyState, ErrorState, Fact, Skeleton } from '../../ui/Feedback.tsx'
import { formatDay } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { Unbroken } from '../../ui/Unbroken.tsx'
import { useServerDay } from '../clock.ts'
import { TeamWords } from '../OtherLanguage.tsx'
import { ROUND_POLL_MS, roundQuery } from '../queries.ts'
import { PanForm } from './PanForm.tsx'
import { Letterhead, PaperPage } from './Paper.tsx'

export function YearPage() {
  const { t } = useLingui()
  const { year } = useSearch({ strict: false }) as { year?: string }
  // The present year follows from today by the server's clock, which the round's answer carries.
  useQuery({ ...roundQuery, refetchInterval: false, staleTime: ROUND_POLL_MS })
  const today = useServerDay()
  const wanted = year ?? (today === undefined ? undefined : financialYearOf(today).name)
  const found = useQuery({
    queryKey: ['mine', 'year', wanted],
    queryFn: ({ signal }) => call('memberYear', { params: { year: wanted ?? '' }, signal }),
    enabled: wanted !== undefined,
    retry: false,
  })
  const { data } = found
  return (
    <PaperPage
      title={t`Your year`}
      paper={
        data && (
          <>
            <Statement year={data} today={today} />
            {data.tax.isWithheld ? <PanForm key={data.tax.pan} tax={data.tax} /> : null}
          </>
        )
      }
      missing={<Missing error={found.error} busy={found.isFetching} onRetry={() => void found.refetch()} />}
    >
      {data === undefined ? null : <SaveAs year={data} today={today} />}
      {found.isPending ? null : <Link className={buttonClass('secondary')} to={paths.history}>{t`Go to History`}</Link>}
    </PaperPage>
  )
}

function Missing({ error, busy, onRetry }: { readonly error: Error | null; readonly busy: boolean; readonly onRetry: () => void }) {
  const { t } = useLingui()
  if (error === null) return <Skeleton lines={9} />
  if (error instanceof ApiError && error.status === 404)
    return (
      <EmptyState
        art="slip"
        title={t`There is no such year of your membership.`}
        action={<Link className={buttonClass()} to={paths.year}>{t`See this year`}</Link>}
      />
    )
  return <ErrorState title={messageOf(error, t`The year could not be loaded.`)} busy={busy} onRetry={onRetry} />
}

type YearProps = { readonly year: MemberYear }
type DatedProps = YearProps & { readonly today: string | undefined }

/** The figures of the present year end today. */
const lastDayOf = ({ year, today }: DatedProps): string => (today === undefined || year.to < today ? year.to : today)

function Statement({ year, today }: DatedProps) {
  const member = useMember()
  const { t } = useLingui()
  const language = currentLanguage()
  const first = formatDay(year.from, language)
  const last = formatDay(lastDayOf({ year, today }), language)
  return (
    <article className="receipt-paper" data-year={year.year}>
      <Letterhead />
      <h1>
        <Trans>Your year {year.year}</Trans>
      </h1>
      <Years year={year} />
      <dl className="receipt-facts">
        <Fact label={t`Member`}>
          {member.name}
          <span className="small block">{member.email}</span>
        </Fact>
        <Fact label={t`Period`}>
          <Unbroken text={t`${first} to ${last}`} />
        </Fact>
        {linesOf(year, useLineNames()).map(({ line, label, amount }) => (
          <Fact
            key={line}
            label={
              line === 'opening' || line === 'closing' ? <Unbroken text={t`${label} on ${line === 'opening' ? first : last}`} /> : label
            }
          >
            {amount < 0 ? `−${formatMoney(-amount)}` : formatMoney(amount)}
            {line === 'joined' ? (
              <span className="small block">
                <Plural value={year.rounds} one="# round" other="# rounds" />
              </span>
            ) : null}
          </Fact>
        ))}
      </dl>
      {year.prizes.length === 0 ? null : <Prizes year={year} />}
      <Help year={year} />
      <p className="small muted receipt-foot">{t`A statement of your account. It is no certificate for a deduction of tax.`}</p>
    </article>
  )
}

function Years({ year: { year, years } }: YearProps) {
  const { t } = useLingui()
  if (years.length < 2) return null
  return (
    <nav aria-label={t`Years`} className="no-print">
      <p className="buttons">
        {years.map((name) => (
          <Link
            key={name}
            className={buttonClass(name === year ? 'primary' : 'quiet')}
            to={paths.year}
            search={{ year: name }}
            {...(name === year ? { 'aria-current': 'page' as const } : {})}
          >
            {name}
          </Link>
        ))}
      </p>
    </nav>
  )
}

type Line = 'opening' | keyof MemberYear['movements'] | 'closing'
const LINES = ['opening', 'added', 'joined', 'returned', 'won', 'withdrawn', 'refunded', 'given', 'takenBack', 'closing'] as const

function useLineNames(): Readonly<Record<Line, string>> {
  const { t } = useLingui()
  return {
    opening: t`Balance`,
    added: t`Added`,
    joined: t`Put into rounds`,
    returned: t`Returned from rounds`,
    won: t`Won, after tax`,
    withdrawn: t`Withdrawn`,
    refunded: t`Sent back to your payment method`,
    given: t`Donated to the help fund`,
    takenBack: t`Taken back by the bank`,
    closing: t`Balance`,
  }
}

const ALWAYS: readonly Line[] = ['opening', 'added', 'joined', 'closing']
const linesOf = (year: MemberYear, names: Readonly<Record<Line, string>>) =>
  LINES.map((line) => ({
    line,
    label: names[line],
    amount: line === 'opening' || line === 'closing' ? year[line] : year.movements[line],
  })).filter(({ line, amount }) => amount !== 0 || ALWAYS.includes(line))

/** Each under the day on which it was paid: that of its round may be in the year before. */
function Prizes({ year: { year, prizes, tax } }: YearProps) {
  const inPaise = (of: 'prize' | 'tax'): number => prizes.reduce((sum, prize) => sum + Math.round(prize[of] * 100), 0)
  const all = { prize: inPaise('prize') / 100, tax: inPaise('tax') / 100, paid: (inPaise('prize') - inPaise('tax')) / 100 }
  return (
    <>
      <h2>
        <Trans>Rewards</Trans>
      </h2>
      <dl className="receipt-facts">
        {prizes.map((prize) => (
          <Fact key={prize.day} label={formatDay(prize.paidOn, currentLanguage())}>
            <PrizeWords {...prize} />
          </Fact>
        ))}
        <Fact label={<Trans>Sum</Trans>}>
          <PrizeWords {...all} />
        </Fact>
        {tax.certificates
          .filter(({ quarter }) => quarter.startsWith(year))
          .map(({ quarter, number }) => (
            <Fact key={quarter} label={<Trans>Certificate {quarter}</Trans>} code>
              {number}
            </Fact>
          ))}
      </dl>
    </>
  )
}

function PrizeWords({ prize, tax, paid }: Pick<MemberYear['prizes'][number], 'prize' | 'tax' | 'paid'>) {
  if (tax === 0) return formatMoney(paid)
  return (
    <Trans>
      {formatMoney(paid)} of {formatMoney(prize)}; {formatMoney(tax)} tax withheld
    </Trans>
  )
}

function Help({ year: { help, rounds } }: YearProps) {
  const { t } = useLingui()
  const language = currentLanguage()
  if (help.length === 0 && rounds === 0) return null
  return (
    <>
      <h2>{t`Whom it helped`}</h2>
      {help.length === 0 ? (
        <p className="muted">{t`No help was paid from your rupees of this year yet. They wait in the help fund.`}</p>
      ) : (
        <ul className="rupee-trail help-list">
          {help.map((part, index) => (
            <li key={index}>
              <HelpWords part={part} />
              {part.storyId === null ? null : (
                <span className="block no-print">
                  <a className="tap" href={`${publicPath('impactStories', language)}/${part.storyId}`}>{t`Read the story`}</a>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function HelpWords({ part: { on, purpose: text, language, name, days, amount } }: { readonly part: MemberYear['help'][number] }) {
  const purpose = <TeamWords text={text} language={language} reader={currentLanguage()} />
  const what =
    text === '' ? (
      <Trans>help</Trans>
    ) : name === null ? (
      purpose
    ) : (
      <Trans>
        {purpose} for {name}
      </Trans>
    )
  return (
    <Trans>
      {formatDay(on, currentLanguage())}: {what}. {formatMoney(amount)} from <Plural value={days} one="your rupee" other="your # rupees" />.
    </Trans>
  )
}

/** The same lines as a table: names in the reader's language, days as `2026-11-28`, amounts as numbers. */
function SaveAs({ year, today }: DatedProps) {
  const { t } = useLingui()
  const names = useLineNames()
  const last = lastDayOf({ year, today })
  const table = (): string => {
    const rows: (readonly Cell[])[] = [
      [t`Day`, t`What`, t`For`, t`Amount in ₹`, t`Tax withheld in ₹`],
      ...linesOf(year, names).map(({ line, label, amount }) => [line === 'opening' ? year.from : last, label, '', amount, '']),
      ...year.prizes.map(({ paidOn, paid, tax }) => [paidOn, t`Reward`, '', paid, tax]),
      ...year.help.map(({ on, purpose, name, amount }) => [on, t`Help`, name === null ? purpose : t`${purpose} for ${name}`, amount, '']),
    ]
    return BYTE_ORDER_MARK + rows.map(csvLine).join('')
  }
  return (
    <>
      <Button onClick={() => window.print()}>{t`Print or save`}</Button>
      <Button kind="secondary" onClick={() => saveFile(`${year.year}.csv`, table(), 'text/csv;charset=utf-8')}>{t`Save as a table`}</Button>
    </>
  )
}
