/** The words beside a day's winner: how the operator could have chosen it, and that the day has more winners. */
import { Plural, Trans } from '@lingui/react/macro'
import { chanceOf } from '@roz/core/modes.ts'
import { formatCount } from '@roz/core/numbers.ts'

/** A round with the operator's own random number, or with a list that no witness saw in time. */
export const Weakness = ({ isDemo, draws = true }: { readonly isDemo: boolean; readonly draws?: boolean }) =>
  isDemo && !draws ? (
    <Trans>Demo: the random number was our own, and we knew it before.</Trans>
  ) : isDemo ? (
    <Trans>Demo draw — the operator could have chosen this winner</Trans>
  ) : (
    <Trans>No outsider confirmed this list in time; we could have changed it.</Trans>
  )

type Drawn = { readonly assurance: 'weak' | 'sealed'; readonly isDemo: boolean }

export function WinnerLabel({ assurance, isDemo }: Drawn) {
  return assurance === 'weak' ? (
    <p className="small demo-label">
      <Weakness isDemo={isDemo} />
    </p>
  ) : null
}

/** The chance of each entry of a past round, from its number of other entries. */
export function ChanceOf({ entries, others }: { readonly entries: number; readonly others: number }) {
  const { wins, of } = chanceOf(entries, others + 1)
  return (
    <Trans>
      {formatCount(wins)} in {formatCount(of)}
    </Trans>
  )
}

export const MoreWinners = ({ others }: { readonly others: number }) =>
  others === 0 ? null : (
    <>
      {' '}
      <Plural value={others} one="and # more winner" other="and # more winners" />
    </>
  )
