/**
 * Money trail and daily reports, from the same view of the books as /api/public/days.
 * - Every figure is computed from that view; none is hard-coded.
 * - If the figures cannot be read, the page says so.
 */
import type { PublicDays } from '@roz/contract/public-pages.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { formatCount } from '@roz/core/numbers.ts'
import { hasDraw } from '@roz/core/modes.ts'
import { langOf, OtherLanguage } from '../features/OtherLanguage.tsx'
import { EmptyState } from '../ui/Feedback.tsx'
import { formatDay } from '../ui/format.ts'
import { formatMoney, paiseText } from '../ui/Money.tsx'
import { Section } from '../ui/Section.tsx'
import { LedgerRow } from '../ui/Split.tsx'
import { usePage } from './context.ts'
import { type Day, DayHead, DayMoney, exact, FrozenOrders, GiftsRow, OtherEntries, Bills } from './DayMoney.tsx'
import { Heading } from './Frame.tsx'
import { CheckLink, DeskFigures, FiguresMissing, HelpWaits, OlderRows, PromisesKept, WeakDraw } from './parts.tsx'
import { Prose } from './Prose.tsx'
import { leadOf } from './share-card.ts'
import { usePageTitle } from './titles.ts'

type Totals = PublicDays['totals']

export function MoneyTrail() {
  const { t } = useLingui()
  const { data } = usePage()
  return (
    <>
      <Heading title={usePageTitle('moneyTrail')} lead={<Trans>Every rupee in, and where it went: live figures.</Trans>} />
      <Section when={<Trans>Today</Trans>} note={<RoundDay />}>
        <h2>{t`In today's round`}</h2>
        {data === undefined ? <FiguresMissing /> : <TodaysMoney />}
        {data?.days === undefined ? null : <FrozenOrders frozen={data.days.frozen} />}
      </Section>
      <Section when={<Trans>So far</Trans>} id="totals">
        <h2>{t`In and out, to the paisa`}</h2>
        {data?.days === undefined ? <FiguresMissing /> : <InAndOut totals={data.days.totals} />}
        <PromisesKept />
        <DeskFigures />
        <HelpWaits />
      </Section>
      {data?.days === undefined || data.days.totals.entries === 0 ? null : (
        <Section when={<Trans>₹1</Trans>} id="rupee">
          <h2>{t`Where your ₹1 went`}</h2>
          <OneRupee totals={data.days.totals} />
        </Section>
      )}
      <Section when={<Trans>Day by day</Trans>} note={<Trans>newest first</Trans>} id="days">
        <h2>{t`Each day's money`}</h2>
        <DayList draw={(day, isNewest) => <DayMoney key={day.day} day={day} open={isNewest} />} />
      </Section>
      <Section when={<Trans>By decision</Trans>} note={<Trans>newest first</Trans>} id="entries">
        <h2>{t`Help that came back, and the platform's own payments`}</h2>
        {data?.days === undefined ? <FiguresMissing /> : <OtherEntries entries={data.days.otherEntries} />}
      </Section>
      <Section when={<Trans>The rule</Trans>}>
        <Prose name="money-trail" />
      </Section>
    </>
  )
}

function TodaysMoney() {
  const { data, modes } = usePage()
  if (data === undefined) return null
  const { charity, giveaway, platform, pool } = data.home.stats.today
  return (
    <div className="ledger narrow gap">
      <LedgerRow part="need" label={<Trans>For people in need</Trans>}>
        {formatMoney(charity)}
      </LedgerRow>
      {hasDraw(modes) ? (
        <LedgerRow part="gift" label={<Trans>Reward</Trans>}>
          {formatMoney(giveaway)}
        </LedgerRow>
      ) : null}
      <LedgerRow part="run" label={<Trans>For the platform</Trans>}>
        {formatMoney(platform)}
      </LedgerRow>
      <LedgerRow sum label={<Trans>Put in today</Trans>}>
        {formatMoney(pool)}
      </LedgerRow>
    </div>
  )
}

/** Both columns have the same total: rupees and gifts in; help paid, help fund, rewards and platform out. */
function InAndOut({ totals }: { readonly totals: Totals }) {
  const { t } = useLingui()
  const { modes } = usePage()
  const { days, entries, intake, split, disbursed, helpFund, winners, passedOn } = totals
  const gifts = exact(helpFund + disbursed - split.need)
  const all = formatMoney(exact(intake + gifts))
  return (
    <>
      <p className="lead gap">
        <Trans>
          <Plural value={days} one="# finished round" other="# finished rounds" />,{' '}
          <Plural value={entries} one="# rupee" other="# rupees" />.
        </Trans>
      </p>
      <div className="two-books gap">
        <div>
          <h3>{t`In`}</h3>
          <div className="ledger">
            <LedgerRow label={<Trans>Put in by members</Trans>}>{formatMoney(intake)}</LedgerRow>
            {gifts > 0 ? <LedgerRow label={<Trans>Donations to the help fund</Trans>}>{formatMoney(gifts)}</LedgerRow> : null}
            <LedgerRow sum label={<Trans>Total in</Trans>}>
              {all}
            </LedgerRow>
          </div>
        </div>
        <div>
          <h3>{t`Out`}</h3>
          <div className="ledger">
            <LedgerRow part="need" label={<Trans>Help sent</Trans>}>
              {formatMoney(disbursed)}
            </LedgerRow>
            <LedgerRow part="need" label={<Trans>Set aside, not sent yet</Trans>}>
              {formatMoney(helpFund)}
            </LedgerRow>
            {hasDraw(modes) || split.reward > 0 ? (
              <LedgerRow part="gift" label={<Trans>Rewards, tax included</Trans>}>
                {formatMoney(split.reward)}
              </LedgerRow>
            ) : null}
            <LedgerRow part="run" label={<Trans>For the platform</Trans>}>
              {formatMoney(split.platform)}
            </LedgerRow>
            <LedgerRow sum label={<Trans>Total sent and set aside</Trans>}>
              {formatMoney(exact(disbursed + helpFund + split.reward + split.platform))}
            </LedgerRow>
          </div>
        </div>
      </div>
      {hasDraw(modes) && winners > 0 ? (
        <p className="gap">
          <Trans>
            Of <Plural value={winners} one="# winner" other="# winners" />, {formatCount(passedOn)} passed the reward on to the help fund.
          </Trans>
        </p>
      ) : null}
    </>
  )
}

function OneRupee({ totals: { split, intake } }: { readonly totals: Totals }) {
  const { modes } = usePage()
  const paise = (share: number): string => paiseText((share / intake) * 100)
  return (
    <div className="ledger narrow gap">
      <LedgerRow part="need" label={<Trans>To people in need</Trans>}>
        <Trans>{paise(split.need)} paise</Trans>
      </LedgerRow>
      {hasDraw(modes) || split.reward > 0 ? (
        <LedgerRow part="gift" label={<Trans>Reward</Trans>}>
          <Trans>{paise(split.reward)} paise</Trans>
        </LedgerRow>
      ) : null}
      <LedgerRow part="run" label={<Trans>To run the platform</Trans>}>
        <Trans>{paise(split.platform)} paise</Trans>
      </LedgerRow>
      <LedgerRow sum label={<Trans>Each rupee so far</Trans>}>
        {formatMoney(1)}
      </LedgerRow>
    </div>
  )
}

function RoundDay() {
  const { data, language } = usePage()
  return data === undefined ? null : formatDay(data.round.id, language)
}

/** All days that the page was given, or the reason why there are none. */
function DayList({ draw }: { readonly draw: (day: Day, isNewest: boolean) => ReactNode }) {
  const { t } = useLingui()
  const { data } = usePage()
  if (data?.days === undefined) return <FiguresMissing />
  const { days, nextCursor } = data.days
  if (days.length === 0) {
    return (
      <div className="gap">
        <EmptyState title={t`No day is over yet`} art="slip">{t`The first day appears here after midnight.`}</EmptyState>
      </div>
    )
  }
  return (
    <>
      <ol className="day-pages gap">{days.map((day, index) => draw(day, index === 0))}</ol>
      <OlderRows cursor={nextCursor} page="verify" from="/api/public/days?limit=31">{t`Show older days`}</OlderRows>
    </>
  )
}

export function DailyReports() {
  const { data, modes } = usePage()
  const { t, i18n } = useLingui()
  return (
    <>
      <Heading title={usePageTitle('dailyReports')} lead={i18n._(leadOf('dailyReports', modes))} />
      <Section when={<Trans>Today</Trans>} note={<RoundDay />}>
        <h2>{t`Today's round`}</h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <div className="ledger narrow gap">
            <LedgerRow label={<Trans>Members in the round</Trans>}>{formatCount(data.round.totalParticipants)}</LedgerRow>
            <LedgerRow sum label={<Trans>Put in today</Trans>}>
              {formatMoney(data.round.totalAmount)}
            </LedgerRow>
          </div>
        )}
      </Section>
      <Section when={<Trans>Earlier days</Trans>} note={<Trans>newest first</Trans>} id="days">
        <h2>{t`Days that are over`}</h2>
        <DayList draw={(day, isNewest) => <DayReport key={day.day} day={day} open={isNewest} />} />
      </Section>
      <Section when={<Trans>Stories</Trans>}>
        <h2>{t`Days with a story`}</h2>
        {data === undefined ? <FiguresMissing /> : <PublishedDays />}
      </Section>
    </>
  )
}

function DayReport({ day, open }: { readonly day: Day; readonly open: boolean }) {
  const { books, winners, entries, intake, assurance, isDemo, status } = day
  return (
    <li id={day.day}>
      <details open={open}>
        <DayHead day={day} amount={formatMoney(intake)} />
        <div className="ledger narrow">
          <LedgerRow label={<Trans>Members in the round</Trans>}>{formatCount(entries)}</LedgerRow>
          {winners.map(({ name, amount, tax, position, ticket }) => (
            <LedgerRow
              key={ticket}
              part="gift"
              label={
                <>
                  <Trans>
                    Winner: {name} (line {formatCount(position + 1)})
                  </Trans>
                  {tax > 0 ? <Trans>, {formatMoney(tax)} of it tax</Trans> : null}
                </>
              }
            >
              {formatMoney(amount)}
            </LedgerRow>
          ))}
          <LedgerRow part="need" label={<Trans>Set aside for people in need</Trans>}>
            {formatMoney(day.split.need)}
          </LedgerRow>
          <GiftsRow day={day} />
          <LedgerRow part="need" label={<Trans>Help sent so far</Trans>}>
            {formatMoney(day.disbursed)}
          </LedgerRow>
          {books === null ? null : <DayMovements books={books} />}
        </div>
        {books === null ? null : <DayEnd books={books} />}
        <Bills day={day} />
        {status === 'settled' && winners.length > 0 ? <WeakDraw assurance={assurance} isDemo={isDemo} others={winners.length - 1} /> : null}
        <CheckLink day={day.day} />
      </details>
    </li>
  )
}

type BooksProps = { readonly books: NonNullable<Day['books']> }

function DayMovements({ books: { topups, withdrawals, refunds } }: BooksProps) {
  return (
    <>
      <LedgerRow label={<Trans>Added to wallets</Trans>}>{formatMoney(topups)}</LedgerRow>
      <LedgerRow label={<Trans>Withdrawn</Trans>}>{formatMoney(withdrawals)}</LedgerRow>
      {refunds > 0 ? <LedgerRow label={<Trans>Refunded</Trans>}>{formatMoney(refunds)}</LedgerRow> : null}
    </>
  )
}

/** The balances, apart from the day's movements: they are not their sum. */
function DayEnd({ books: { help, liabilities } }: BooksProps) {
  return (
    <div className="bills">
      <h3>
        <Trans>At the day's end</Trans>
      </h3>
      <div className="ledger narrow">
        <LedgerRow label={<Trans>Members' money with us</Trans>}>{formatMoney(liabilities.total)}</LedgerRow>
        <LedgerRow label={<Trans>Help fund</Trans>}>{formatMoney(help.closing)}</LedgerRow>
      </div>
    </div>
  )
}

function PublishedDays() {
  const { t } = useLingui()
  const { data, language, to } = usePage()
  const stories = data?.stories ?? []
  if (stories.length === 0) {
    return (
      <div className="gap">
        <EmptyState title={t`No impact stories yet`}>{t`Days appear here once their story is published.`}</EmptyState>
      </div>
    )
  }
  return (
    <ul className="ledger days gap">
      {stories.map((story) => (
        <li key={story.id}>
          <time dateTime={story.date}>{formatDay(story.date, language)}</time>
          <span>
            <a href={`${to('impactStories')}/${story.id}`} lang={langOf(story.languages.title, language)}>
              {story.title}
            </a>
            <OtherLanguage text={story.languages.title} reader={language} />
          </span>
          <span className="amount">
            {story.amount > 0 ? formatMoney(story.amount) : null}
            {story.amount > 0 ? <span className="small muted block">{story.sent ? t`Sent` : t`Set aside`}</span> : null}
          </span>
        </li>
      ))}
    </ul>
  )
}
