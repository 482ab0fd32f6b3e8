/**
 * Closes the account in two steps.
 * - First the wallet is emptied: by a withdrawal to a bank, unless withdrawals are paused, or as a donation.
 * - An account with an empty wallet can be deleted for good. Each step says what will happen, or why it cannot.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { session, useMember } from '../../app/session.tsx'
import { settings } from '../../app/settings.ts'
import { Button } from '../../ui/Button.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { refreshMember } from '../queries.ts'
import type { Step } from './CloseDialogs.tsx'

const CloseDialogs = lazy(async () => ({ default: (await import('./CloseDialogs.tsx')).CloseDialogs }))

export function CloseAccount() {
  const { t } = useLingui()
  const [step, setStep] = useState<Step>()
  const [opening, setOpening] = useState(false)
  const { balance } = useMember().wallet
  const open = async (): Promise<void> => {
    setOpening(true)
    // A prize or a top-up may have arrived since the page was opened.
    await refreshMember()
    setOpening(false)
    const now = session.get()
    setStep(now.status === 'member' && now.user.wallet.balance > 0 ? 'empty' : 'delete')
  }
  return (
    <>
      <h2 className="spaced">{t`Delete account`}</h2>
      <p className="muted spaced">
        {balance > 0 ? (
          settings.modes.withdrawalsOn ? (
            <Trans>First withdraw or donate your {formatMoney(balance)}. Then your account is deleted for good.</Trans>
          ) : (
            <Trans>
              Withdrawals are paused. To delete your account now, first donate your {formatMoney(balance)}; or wait until withdrawals are
              back.
            </Trans>
          )
        ) : (
          <Trans>Your name, email, phone number and picture are erased for good.</Trans>
        )}
      </p>
      <Button kind="danger" busy={opening} onClick={() => void open()}>{t`Delete account`}</Button>
      {step === undefined ? null : (
        <Suspense fallback={null}>
          <CloseDialogs step={step} onStep={setStep} />
        </Suspense>
      )}
    </>
  )
}
