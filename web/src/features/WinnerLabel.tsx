/** The words beside a day's winner: how the operator could have chosen it, the tax, and that the day has more winners. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { chanceOf } from '@roz/core/modes.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { formatMoney } from '../ui/Money.tsx'

/** A round with the operator's own random number, or with a list that no witness saw in time. */
type WeaknessProps = { readonly isDemo: boolean; readonly draws?: boolean; readonly several?: boolean }
export const Weakness = ({ isDemo, draws = true, several = false }: WeaknessProps) =>
  isDemo && !draws ? (
    <Trans>Demo: the random number was our own, and we knew it before.</Trans>
  ) : isDemo && several ? (
    <Trans>Demo draw — the operator could have chosen these winners</Trans>
  ) : isDemo ? (
    <Trans>Demo draw — the operator could have chosen this winner</Trans>
  ) : (
    <Trans>No outsider confirmed this list in time; we could have changed it.</Trans>
  )

type Drawn = { readonly assurance: 'weak' | 'sealed'; readonly isDemo: boolean; readonly others: number }

export function WinnerLabel({ assurance, isDemo, others }: Drawn) {
  return assurance === 'weak' ? (
    <p className="small demo-label">
      <Weakness isDemo={isDemo} several={others > 0} />
    </p>
  ) : null
}

type Reward = { readonly amount: number; readonly tax: number }

/** A winner's reward as it was credited. */
export function useReward(): (reward: Reward) => string {
  const { t } = useLingui()
  return ({ amount, tax }) => {
    const money = formatMoney(amount)
    return tax > 0 ? t`${money} after tax` : money
  }
}

/** Below a reward in large figures. */
export const AfterTax = ({ tax }: Pick<Reward, 'tax'>) =>
  tax === 0 ? null : (
    <span className="small muted block">
      <Trans>after {formatMoney(tax)} tax</Trans>
    </span>
  )

/** The chance of each entry of a past round, from the number of winners besides the first. */
export function ChanceOf({ entries, others }: { readonly entries: number; readonly others: number }) {
  const { wins, of } = chanceOf(entries, others + 1)
  return (
    <Trans>
      {formatCount(wins)} in <Plural value={of} one="# participant" other="# participants" />
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
