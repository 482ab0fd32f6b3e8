/** The member's history: figures, the newest month with a ring for each day, and a list of every round. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { addDays } from '@roz/core/ist-day.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { brand, currentLanguage } from '../../app/language.ts'
import { withDraws } from '../../app/settings.ts'
import { paths, pictureOf, publicPath } from '../../paths.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { Badge, EmptyState, ErrorState, Fact, StatTile, StatTiles } from '../../ui/Feedback.tsx'
import { formatDay } from '../../ui/format.ts'
import { Book, CardSection } from '../../ui/Layout.tsx'
import { formatMoney, Money } from '../../ui/Money.tsx'
import { Share } from '../../ui/Share.tsx'
import { useServerDay } from '../clock.ts'
import { Listing } from '../Listing.tsx'
import { Part } from '../Part.tsx'
import { historyQuery, impactStatsQuery, type RoundResult, roundStatsQuery } from '../queries.ts'
import { RupeeTrailView } from '../RupeeTrail.tsx'
import { MoreWinners, WinnerLabel } from '../WinnerLabel.tsx'
import { MonthPage } from './MonthPage.tsx'
import { TodaySection } from '../TodaySection.tsx'

const loadPassOn = () => import('../wallet/PassOn.tsx')
/** Settled the day after the round, and then for 30 days. */
const PASS_ON_DAYS = 31

export function HistoryPage() {
  const { t } = useLingui()
  return (
    <Book title={t`Round History`}>
      <TodaySection>
        <h1>{t`Round History`}</h1>
        <Figures />
        <p>
          <Link className="tap" to={paths.year}>{t`Your year on one page`}</Link>
        </p>
      </TodaySection>
      <Rounds />
    </Book>
  )
}

function Figures() {
  const { t } = useLingui()
  const stats = useQuery(roundStatsQuery)
  const isWon = withDraws() || (stats.data?.totalWon ?? 0) > 0
  const { data: impact } = useQuery({ ...impactStatsQuery, enabled: !isWon })
  if (stats.isError && stats.data === undefined)
    return <ErrorState title={t`These figures could not be loaded.`} busy={stats.isFetching} onRetry={() => void stats.refetch()} />
  const { data } = stats
  return (
    <div className="trio">
      <StatTiles columns={3}>
        <StatTile label={t`Days participated`}>{data && formatCount(data.totalParticipated)}</StatTile>
        {isWon ? (
          <>
            <StatTile label={t`Total won`}>{data && <Money amount={data.totalWon} />}</StatTile>
            <StatTile label={t`Win rate`}>{data && `${data.winRate.toFixed(1)}%`}</StatTile>
          </>
        ) : (
          <>
            <StatTile label={t`Put in`}>{impact && <Money amount={impact.totalDonated} />}</StatTile>
            <StatTile label={t`Charities supported`}>{impact && formatCount(impact.charitiesSupported)}</StatTile>
          </>
        )}
      </StatTiles>
    </div>
  )
}

function Rounds() {
  const { t } = useLingui()
  const list = useInfiniteQuery(historyQuery)
  return (
    <CardSection when={t`Your rounds`} note={t`newest first`}>
      <h2 className="spaced">{t`Rounds`}</h2>
      <Listing
        list={list}
        itemsOf={(page) => page.results}
        failed={t`Your history could not be loaded.`}
        empty={
          <EmptyState
            art="stack"
            title={t`No history yet`}
            action={<Link className={buttonClass()} to={paths.dashboard}>{t`See today's round`}</Link>}
          >
            <Trans>Your rounds appear here soon after midnight.</Trans>
          </EmptyState>
        }
        lines={6}
      >
        {(results, all) => (
          <>
            <MonthPage results={all} />
            <ol className="rounds">
              {results.map((result) => (
                <Round key={result.id} result={result} />
              ))}
            </ol>
          </>
        )}
      </Listing>
    </CardSection>
  )
}

function Round({ result }: { readonly result: RoundResult }) {
  const { t } = useLingui()
  const { winner } = result
  const today = useServerDay()
  return (
    <li>
      <div className="head-row">
        <h3>
          <time dateTime={result.date}>{formatDay(result.date, currentLanguage())}</time>
        </h3>
        <Badges result={result} />
      </div>
      <dl className="round-facts">
        <Fact label={<Trans>Members</Trans>}>{formatCount(result.totalParticipants)}</Fact>
        <Fact label={<Trans context="rupees of a round">Put in</Trans>}>{formatMoney(result.totalAmount)}</Fact>
        <Fact label={<Trans>Help</Trans>}>{formatMoney(result.charityAmount)}</Fact>
        {withDraws() || winner !== null ? (
          <>
            <Fact label={<Trans>Reward</Trans>}>
              {formatMoney(result.prizeAmount)}
              {winner === null || winner.tax === 0 ? null : <span className="small muted block">{t`before tax`}</span>}
            </Fact>
            <Fact label={<Trans>Winner</Trans>}>
              {winner === null ? (
                '–'
              ) : (
                <>
                  {winner.name}
                  <MoreWinners others={winner.others} />
                </>
              )}
            </Fact>
          </>
        ) : null}
      </dl>
      {winner === null ? null : <WinnerLabel {...winner} />}
      {result.status === 'void' && result.participated ? (
        <p className="small muted">{t`The public number for this round never came. Your ₹1 was returned.`}</p>
      ) : null}
      {withDraws() && result.isWinner && result.date >= addDays(today, -PASS_ON_DAYS) ? (
        <Part name="pass-on" load={loadPassOn} lines={1}>
          {({ PassOnOf }) => <PassOnOf day={result.date} />}
        </Part>
      ) : null}
      {result.rupee === null ? null : <RupeeTrailView rupee={result.rupee} />}
      {result.totalParticipants === 0 ? null : (
        <p className="small round-links">
          {result.participated ? <Link className="tap" to={paths.myTicket} search={{ day: result.date }}>{t`My ticket`}</Link> : null}
          <a className="tap" href={`${publicPath('verify', currentLanguage())}/${result.date}`}>
            {winner === null ? t`See the round` : t`See the draw`}
          </a>
          {result.status === 'void' ? null : <ShareRound result={result} />}
        </p>
      )}
    </li>
  )
}

/** The text to share: a win names the reward, any other round names the money for people in need. */
function ShareRound({ result }: { readonly result: RoundResult }) {
  const { t } = useLingui()
  const brandName = brand()
  const day = formatDay(result.date, currentLanguage())
  const count = formatCount(result.totalParticipants)
  const help = formatMoney(result.charityAmount)
  const reward = formatMoney(result.prizeAmount)
  const text = result.isWinner
    ? t`I joined ${brandName} with ₹1 on ${day} and won. Reward of the day: ${reward}. Set aside for people in need: ${help}.`
    : t`Members who gave ₹1 each in ${brandName} on ${day}: ${count}. Set aside for people in need: ${help}.`
  const language = currentLanguage()
  const url = `${location.origin}${publicPath('verify', language)}/${result.date}`
  return <Share text={text} url={url} picture={pictureOf(result.date, language)} />
}

function Badges({ result }: { readonly result: RoundResult }) {
  const { t } = useLingui()
  return (
    <span className="badges">
      {result.status === 'void' ? <Badge>{withDraws() ? t`No draw` : t`Cancelled`}</Badge> : null}
      {result.participated ? <Badge tone="good">{t`Joined`}</Badge> : <Badge>{t`Not joined`}</Badge>}
      {result.isWinner ? (
        <Badge tone="waiting">{t`You won`}</Badge>
      ) : result.participated && result.winner !== null ? (
        <Badge>{t`Did not win`}</Badge>
      ) : null}
    </span>
  )
}
