/** Six figures (spec section 3, Admin stats). */
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ErrorState, Skeleton, StatTile, StatTiles } from '../../ui/Feedback.tsx'
import { formatCount } from '../../ui/format.ts'
import { Money } from '../../ui/Money.tsx'
import { adminStatsQuery } from './queries.ts'

export function Overview() {
  const { t } = useLingui()
  const stats = useQuery(adminStatsQuery)
  if (stats.data === undefined) {
    if (!stats.isError) return <Skeleton lines={6} />
    return <ErrorState title={t`The figures could not be loaded.`} busy={stats.isFetching} onRetry={() => void stats.refetch()} />
  }
  const { totalUsers, totalRevenue, totalDonated, todayParticipants, todayRevenue, activeRounds } = stats.data
  return (
    <StatTiles columns={3}>
      <StatTile label={t`Total users`}>{formatCount(totalUsers)}</StatTile>
      <StatTile label={t`Total revenue`}>
        <Money amount={totalRevenue} />
      </StatTile>
      <StatTile label={t`Total donated`}>
        <Money amount={totalDonated} />
      </StatTile>
      <StatTile label={t`Today's participants`}>{formatCount(todayParticipants)}</StatTile>
      <StatTile label={t`Today's revenue`}>
        <Money amount={todayRevenue} />
      </StatTile>
      <StatTile label={t`Active rounds`}>{formatCount(activeRounds)}</StatTile>
    </StatTiles>
  )
}
