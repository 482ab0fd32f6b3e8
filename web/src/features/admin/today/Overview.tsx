/** The portal's first screen: alarms, today's round, the to-do list, six figures, charts, and the latest audit of the ledger. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { useQuery } from '@tanstack/react-query'
import { formatCount } from '@roz/core/numbers.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Card } from '../../../ui/Card.tsx'
import { Badge, NotLoaded, StatTile, StatTiles } from '../../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { Figures } from './Figures.tsx'
import { adminStatsQuery } from '../queries.ts'
import { ACCOUNTS_CHECK, Todo } from './Todo.tsx'
import { TodaysRound } from './TodaysRound.tsx'

/** Each part loads by itself: without the figures the round can still be drawn, and the to-do list read. */
export function Overview() {
  const { t } = useLingui()
  const stats = useQuery(adminStatsQuery)
  return (
    <>
      {stats.data?.alarms.map((alarm) =>
        isToDo(alarm.code) ? null : (
          <p key={alarm.code} role="alert" className="warning-line">
            <AlarmWords {...alarm} code={alarm.code} />
          </p>
        ),
      )}
      <Card>
        <TodaysRound />
      </Card>
      <Card>
        <Todo />
      </Card>
      {stats.data === undefined ? (
        <NotLoaded query={stats} failed={t`The figures could not be loaded.`} lines={6} />
      ) : (
        <Tiles stats={stats.data} />
      )}
      <Card>
        <Figures />
      </Card>
      {stats.data === undefined ? null : <BooksCheck audit={stats.data.audit} />}
    </>
  )
}

type Stats = Output<Api['adminStats']>

function Tiles({ stats }: { readonly stats: Stats }) {
  const { t } = useLingui()
  return (
    <StatTiles columns={3}>
      <StatTile label={t`Total members`}>{formatCount(stats.totalUsers)}</StatTile>
      <StatTile label={t`Put in so far`}>
        <Money amount={stats.totalRevenue} />
      </StatTile>
      <StatTile label={t`Set aside for people in need`}>
        <Money amount={stats.totalDonated} />
      </StatTile>
      <StatTile label={t`Joined today`}>{formatCount(stats.todayParticipants)}</StatTile>
      <StatTile label={t`Put in today`}>
        <Money amount={stats.todayRevenue} />
      </StatTile>
      <StatTile label={t`Active rounds`}>{formatCount(stats.activeRounds)}</StatTile>
    </StatTiles>
  )
}

type Alarm = Stats['alarms'][number]
type Told = Exclude<Alarm['code'], 'help_waiting' | 'help_not_received'>
/** Help that waits too long or did not arrive is a line of the to-do list, with its age and the way to its section. */
const isToDo = (code: Alarm['code']): code is Exclude<Alarm['code'], Told> => code === 'help_waiting' || code === 'help_not_received'

/** The words of an alarm that waits for an administrator. Total over the codes. */
function AlarmWords({ code, day, waiting }: Alarm & { readonly code: Told }) {
  const date = formatDay(day, currentLanguage())
  const words = {
    clock_doubted: () => (
      <Trans>
        The clock of the database has jumped. Roz stays at its last good time on {date}: no round closes, nobody is logged out and nothing
        is deleted. Set the clock right, or confirm it as docs/runbooks/clock.md says.
      </Trans>
    ),
    no_open_round: () => <Trans>No round is open on {date}, so nobody can join. docs/runbooks/clock.md says what to do.</Trans>,
    books_held: () => (
      <Trans>
        The accounts of {date} do not add up, so they are not published. Later days that wait: {waiting}. Joins, rounds and payments
        continue. The server's log names the member. docs/runbooks/books-held.md says what to do.
      </Trans>
    ),
    draw_waiting: () => (
      <Trans>
        The round of {date} is waiting for its public random number. Other rounds that wait: {waiting}. After 30 days without the number
        every rupee is returned. Check that this server reaches the relays.
      </Trans>
    ),
    proof_taken_back: () => (
      <Trans>
        On {date} a bill was withheld, or a consent revoked, within 30 days of its payment. Others in the last 7 days: {waiting}. The staff
        log names who did it.
      </Trans>
    ),
  } as const satisfies Record<Told, () => React.ReactNode>
  const Words = words[code]
  return <Words />
}

/** The latest audit of the invariants of money. */
function BooksCheck({ audit }: Pick<Stats, 'audit'>) {
  const { t } = useLingui()
  if (audit === null) return <p className="muted books-check">{t`The accounts have not been checked yet.`}</p>
  const at = formatInstant(audit.checkedAt, currentLanguage())
  return (
    <section className="books-check" id={ACCOUNTS_CHECK} aria-label={t`Accounts check`}>
      <div className="head-row">
        <h2>{t`Accounts check`}</h2>
        <Badge tone={audit.ok ? 'good' : 'bad'}>{audit.ok ? t`All add up` : t`Broken`}</Badge>
      </div>
      <p className="small muted">
        <Trans>
          Last checked <time dateTime={audit.checkedAt}>{at}</time>
        </Trans>
      </p>
      {audit.ok ? null : (
        <>
          <p role="alert" className="warning-line">
            <Trans>The accounts do not add up: the owners have been told by email. Pay nothing out until the cause is found.</Trans>
          </p>
          {/* The audit's own sentences, as in the log and in the mail. */}
          <ul lang="en">
            {audit.broken.map(({ sentence, rows, first }) => (
              <li key={sentence}>
                {sentence} ({rows}: {first})
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
