/**
 * The member's dashboard: four figures, the round, the wallet, the newest impact and winner, and quick stats.
 * - The round is polled every 30 s. The other figures load when the page opens and when money has moved.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, useDeferredValue } from 'react'
import { MILESTONES } from '@roz/core/milestones.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { currentLanguage } from '../../app/language.ts'
import { withDraws } from '../../app/settings.ts'
import { paths } from '../../paths.ts'
import { useMember } from '../../app/session.tsx'
import { CoinTally } from '../../ui/Art.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { ErrorState, LedgerItem, Skeleton, StatTile, StatTiles } from '../../ui/Feedback.tsx'
import { formatDay } from '../../ui/format.ts'
import { Later } from '../../ui/Later.tsx'
import { Book, CardSection } from '../../ui/Layout.tsx'
import { Unbroken } from '../../ui/Unbroken.tsx'
import { formatMoney, Money } from '../../ui/Money.tsx'
import { Part } from '../Part.tsx'
import { PeopleHelped } from '../PeopleHelped.tsx'
import { type TimedRound, homeQuery, impactStatsQuery, roundStatsQuery } from '../queries.ts'
import { RoundCard } from './RoundCard.tsx'
import { Yesterday } from './Yesterday.tsx'
import { useRound } from './use-round.ts'

const loadMilestones = () => import('../Milestones.tsx')

export function DashboardPage() {
  const { t } = useLingui()
  const member = useMember()
  const round = useRound()
  // The card renders the new round first and the rest in a deferred render: both in one render block a slow phone.
  const settled = useDeferredValue(round.data)
  const hasFailed = useDeferredValue(round.isError)
  return (
    <Book title={t`Dashboard`}>
      <CardSection when={t`Today`} note={round.data === undefined ? undefined : formatDay(round.data.id, currentLanguage())}>
        <h1>
          <Trans>Welcome, {member.name}</Trans>
        </h1>
        <Tiles />
      </CardSection>
      <CardSection
        when={t`Today's round`}
        note={round.data === undefined || round.data.status === 'open' ? t`closes at midnight` : undefined}
      >
        <div className={round.data === undefined && !round.isError ? 'round-awaited' : undefined}>
          <RoundCard round={round} />
        </div>
      </CardSection>
      <Later>
        <RestOfDay round={settled} failed={hasFailed} />
      </Later>
    </Book>
  )
}

type RestProps = { readonly round: TimedRound | undefined; readonly failed: boolean }

const RestOfDay = memo(function RestOfDay({ round, failed }: RestProps) {
  const { t } = useLingui()
  const member = useMember()
  return (
    <>
      <Yesterday round={round} failed={failed} />
      <CardSection
        when={t`Your wallet`}
        note={
          <Trans>
            since <Unbroken text={formatDay(member.createdAt, currentLanguage())} />
          </Trans>
        }
      >
        <div className="grid two">
          <Card>
            <WalletCard balance={member.wallet.balance} />
          </Card>
          <Card>
            <QuickStats />
          </Card>
        </div>
      </CardSection>
    </>
  )
})

/** The totals of the community. */
function Tiles() {
  const { t } = useLingui()
  const home = useQuery(homeQuery)
  if (home.isError && home.data === undefined)
    return <ErrorState title={t`These figures could not be loaded.`} busy={home.isFetching} onRetry={() => void home.refetch()} />
  const stats = home.data?.data.stats
  return (
    <>
      <StatTiles>
        <StatTile label={t`Set aside for people in need`}>{stats && <Money amount={stats.totalCharity} />}</StatTile>
        <StatTile label={t`Members who joined`}>{stats && formatCount(stats.totalPeople)}</StatTile>
        <StatTile label={t`Rounds completed`}>{stats && formatCount(stats.rounds)}</StatTile>
        <StatTile label={t`In today's round`}>{stats && <Money amount={stats.today.pool} />}</StatTile>
      </StatTiles>
      <PeopleHelped />
    </>
  )
}

function WalletCard({ balance }: { readonly balance: number }) {
  const { t } = useLingui()
  const days = Math.floor(balance)
  return (
    <div>
      <h2>{t`Wallet`}</h2>
      <p className="figure">
        <Money amount={balance} />
      </p>
      <p className="muted">
        <Plural value={days} _0="Not enough for a day yet." one="Enough for # day." other="Enough for # days." />
      </p>
      <CoinTally rupees={balance} label={t`${days} one-rupee coins`} />
      <div className="buttons card-actions">
        <Link className={buttonClass()} to={paths.wallet}>{t`Add money`}</Link>
        <Link className={buttonClass('secondary')} to={paths.wallet} hash="withdraw">{t`Withdraw`}</Link>
      </div>
    </div>
  )
}

function QuickStats() {
  const { t } = useLingui()
  const rounds = useQuery(roundStatsQuery)
  const impact = useQuery(impactStatsQuery)
  const failed = rounds.isError || impact.isError
  const retry = (): void => {
    void rounds.refetch()
    void impact.refetch()
  }
  return (
    <div>
      <h2>{t`Quick stats`}</h2>
      {rounds.data !== undefined && impact.data !== undefined ? (
        <>
          <ul className="ledger">
            <LedgerItem label={t`Days joined`}>{formatCount(impact.data.daysActive)}</LedgerItem>
            <LedgerItem label={t`Put in`}>{formatMoney(impact.data.totalDonated)}</LedgerItem>
            <LedgerItem label={t`Charities supported`}>{formatCount(impact.data.charitiesSupported)}</LedgerItem>
            {withDraws() || rounds.data.totalWon > 0 ? (
              <>
                <LedgerItem label={t`Total won`}>{formatMoney(rounds.data.totalWon)}</LedgerItem>
                <LedgerItem label={t`Win rate`}>{rounds.data.winRate.toFixed(1)}%</LedgerItem>
              </>
            ) : null}
          </ul>
          {impact.data.daysActive < MILESTONES[0] ? null : (
            <Part name="milestones" load={loadMilestones} lines={1}>
              {(code) => <code.Milestones />}
            </Part>
          )}
        </>
      ) : failed ? (
        <ErrorState title={t`These figures could not be loaded.`} busy={rounds.isFetching || impact.isFetching} onRetry={retry} />
      ) : (
        <Skeleton lines={5} />
      )}
    </div>
  )
}
