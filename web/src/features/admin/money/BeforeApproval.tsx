/** Shown before an approval: the warnings about the money, and whether a second person must approve. */
import { Trans, useLingui } from '@lingui/react/macro'
import { formatMoney } from '../../../ui/Money.tsx'
import type { AdminRefund, Withdrawal } from '../queries.ts'
import { warningsOf } from '../states.ts'

type Props = { readonly subject: Withdrawal | AdminRefund; readonly approvalAbove: number }

export function BeforeApproval({ subject, approvalAbove }: Props) {
  const { i18n } = useLingui()
  const { amount, status, firstApproval } = subject
  const limit = formatMoney(approvalAbove)
  const first = firstApproval?.name ?? ''
  return (
    <>
      {warningsOf(subject).map((warning) => {
        const words = typeof warning === 'string' ? warning : i18n._(warning)
        return (
          <p key={words} className="warning-line">
            {words}
          </p>
        )
      })}
      {status === 'awaiting_second' ? (
        <p className="muted">
          <Trans>{first} has approved this. Your approval is the second one: the money is then sent.</Trans>
        </p>
      ) : status === 'requested' && amount > approvalAbove ? (
        <p className="muted">
          <Trans>
            You can still decide {limit} alone in these 24 hours. This is more: your approval is recorded, and the money is sent after a
            second approval.
          </Trans>
        </p>
      ) : null}
      <p className="small muted">
        <Trans>
          We refuse your own money only where the member has your email address. Do not approve for a relative, or for another account of
          yours.
        </Trans>
      </p>
    </>
  )
}
