/** The least that can be added and withdrawn, and what happens to less: told before the first payment. Says what is paused. */
import { Trans } from '@lingui/react/macro'
import { WITHDRAWAL_MIN } from '@roz/core/money-fields.ts'
import type { Modes } from '@roz/core/modes.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'

type LeastProps = { readonly topupMinRupees: number; readonly modes: Pick<Modes, 'topupsOn' | 'withdrawalsOn'> }

export function Least({ topupMinRupees, modes: { topupsOn, withdrawalsOn } }: LeastProps) {
  const withdrawalMinRupees = rupeesFromPaise(WITHDRAWAL_MIN)
  if (topupsOn && withdrawalsOn)
    return (
      <Trans>
        The least you can add is ₹{topupMinRupees}; the least you can withdraw is ₹{withdrawalMinRupees}. If less is left, use it for
        rounds, or take it out when you delete your account.
      </Trans>
    )
  return (
    <>
      {topupsOn ? <Trans>The least you can add is ₹{topupMinRupees}.</Trans> : <Trans>Adding money is paused.</Trans>}{' '}
      {withdrawalsOn ? (
        <Trans>
          The least you can withdraw is ₹{withdrawalMinRupees}. If less is left, use it for rounds, or take it out when you delete your
          account.
        </Trans>
      ) : (
        <Trans>Withdrawals are paused.</Trans>
      )}
    </>
  )
}
