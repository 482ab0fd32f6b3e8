/**
 * The dialogs of a withdrawal's decisions.
 * - Each dialog says what follows, and its call carries the state that the row showed. A take-over carries the person whom it names.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { bankReference } from '@roz/core/reference-fields.ts'
import type { ReactNode } from 'react'
import { call } from '../../../app/api.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { BeforeApproval } from './BeforeApproval.tsx'
import { CameBack } from './CameBack.tsx'
import { Decision } from '../Decision.tsx'
import type { Withdrawal } from '../queries.ts'

type ByHand = 'bank' | 'complete' | 'notPaid' | 'takeOver' | 'cameBack'
export type WithdrawalAction = 'approve' | 'reject' | 'retry' | ByHand
export type Bank = Output<Api['withdrawalBank']>

type DecisionProps = {
  readonly action: WithdrawalAction
  readonly withdrawal: Withdrawal
  /** Above this amount a second person must approve too. */
  readonly approvalAbove: number
  readonly onClose: () => void
  readonly onBank: (bank: Bank) => void
}

const said = (text: string) => (): void => toast.success(text)

function Summary({ withdrawal: { amount, member } }: { readonly withdrawal: Withdrawal }) {
  return (
    <p className="lead spaced">
      <b>{formatMoney(amount)}</b>, {member.name}
    </p>
  )
}

export function WithdrawalDecision({ action, withdrawal, approvalAbove, onClose, onBank }: DecisionProps): ReactNode {
  const { t } = useLingui()
  const params = { id: withdrawal.id }
  const { status, seen } = withdrawal
  const summary = <Summary withdrawal={withdrawal} />
  switch (action) {
    case 'approve':
      return (
        <Decision
          title={t`Approve this withdrawal?`}
          confirm={t`Approve`}
          send={(_, idempotencyKey) => call('approveWithdrawal', { params, body: { status, seen }, idempotencyKey })}
          onDone={(answer) =>
            toast.success(
              answer.withdrawal.status === 'awaiting_second'
                ? t`Your approval is recorded. Another person must approve too.`
                : t`The withdrawal is approved.`,
            )
          }
          onClose={onClose}
        >
          {summary}
          <BeforeApproval subject={withdrawal} approvalAbove={approvalAbove} />
        </Decision>
      )
    case 'reject':
      return (
        <Decision
          title={status === 'approved' ? t`Undo the approval and reject?` : t`Reject this withdrawal?`}
          confirm={t`Reject`}
          danger
          reason={t`The member sees it.`}
          send={(reason, idempotencyKey) => call('rejectWithdrawal', { params, body: { status, seen, reason }, idempotencyKey })}
          onDone={said(
            status === 'approved'
              ? t`The approval is undone and the withdrawal rejected; the money is back in the wallet.`
              : t`The withdrawal is rejected; the money is back in the wallet.`,
          )}
          onClose={onClose}
        >
          {summary}
        </Decision>
      )
    case 'retry':
      return (
        <Decision
          title={status === 'sending' ? t`Ask the gateway now?` : t`Send it once more?`}
          confirm={status === 'sending' ? t`Ask the gateway` : t`Send again`}
          send={(_, idempotencyKey) => call('retryWithdrawal', { params, body: { status, seen }, idempotencyKey })}
          onDone={said(t`The gateway is being asked.`)}
          onClose={onClose}
        >
          {summary}
        </Decision>
      )
    default:
      return <ByHandDecision action={action} withdrawal={withdrawal} onClose={onClose} onBank={onBank} />
  }
}

/** Payment by hand: an administrator sees the bank account, pays, and reports it as paid or not paid. An owner may take this over. */
function ByHandDecision({
  action,
  withdrawal,
  onClose,
  onBank,
}: Omit<DecisionProps, 'approvalAbove'> & { readonly action: ByHand }): ReactNode {
  const { t } = useLingui()
  const params = { id: withdrawal.id }
  const { status, seen } = withdrawal
  const holder = withdrawal.shownTo?.name ?? ''
  const first = withdrawal.returnFirst?.name
  const summary = <Summary withdrawal={withdrawal} />
  switch (action) {
    case 'bank':
      return (
        <Decision
          title={t`Show the whole bank account?`}
          confirm={t`Show`}
          send={() => call('withdrawalBank', { params, body: { status, seen } })}
          onDone={onBank}
          onClose={onClose}
        >
          {summary}
          <p className="muted">{t`Only you can then end this withdrawal, as paid or as not paid. The staff log records each look.`}</p>
        </Decision>
      )
    case 'complete':
      return (
        <Decision
          title={t`Mark as paid by hand?`}
          confirm={t`Mark as paid`}
          question={{ label: t`Bank reference`, hint: t`The number the bank gave this payment.`, rule: bankReference }}
          send={(reference, idempotencyKey) =>
            call('completeWithdrawal', { params, body: { status, seen, bankReference: reference }, idempotencyKey })
          }
          onDone={said(t`The withdrawal is marked as paid.`)}
          onClose={onClose}
        >
          {summary}
        </Decision>
      )
    case 'notPaid':
      return (
        <Decision
          title={t`Was this not paid?`}
          confirm={t`Not paid`}
          danger
          reason={t`The member sees it.`}
          send={(reason, idempotencyKey) => call('withdrawalNotPaid', { params, body: { status, seen, reason }, idempotencyKey })}
          onDone={(answer) =>
            toast.success(
              answer.withdrawal.status === 'approved'
                ? t`Your word is recorded. Another person must say so too.`
                : t`The approval is undone; the money is back in the wallet.`,
            )
          }
          onClose={onClose}
        >
          {summary}
          <p className="muted spaced">
            <Trans>
              The money goes back into the member's wallet. Look at your bank's statement first: if the payment has left, the member gets it
              twice.
            </Trans>
          </p>
          {first === undefined ? null : (
            <p className="muted spaced">
              <Trans>{first} has said so already. After your word the money moves.</Trans>
            </p>
          )}
        </Decision>
      )
    case 'cameBack':
      return <CameBack withdrawal={withdrawal} onClose={onClose} />
    case 'takeOver':
      return (
        <Decision
          title={t`Take over this payment?`}
          confirm={t`Take over`}
          danger
          reason={t`It stays in the staff log.`}
          send={(reason, idempotencyKey) =>
            call('takeOverWithdrawal', { params, body: { status, reason, from: withdrawal.shownTo?.id ?? '' }, idempotencyKey })
          }
          onDone={said(t`You have taken this withdrawal: only you can finish it.`)}
          onClose={onClose}
        >
          {summary}
          <p className="muted spaced">
            <Trans>
              {holder} may have paid already. Ask them, or look at your bank's statement, before you pay or say that it was not paid.
            </Trans>
          </p>
        </Decision>
      )
  }
}
