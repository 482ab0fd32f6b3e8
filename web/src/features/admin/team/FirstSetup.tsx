/** The only screen of an owner or of finance in production, until an authenticator app is set up. */
import { Trans, useLingui } from '@lingui/react/macro'
import { refreshPortal } from '../queries.ts'
import { AuthSheet } from '../../auth/AuthSheet.tsx'
import { SetUpApp } from './SecondFactor.tsx'

export function FirstSetup() {
  const { t } = useLingui()
  return (
    <AuthSheet
      title={t`Set up your authenticator app`}
      lead={<Trans>Your role decides about money or people. Set up an authenticator app to open the portal.</Trans>}
    >
      <SetUpApp onDone={() => void refreshPortal()} />
    </AuthSheet>
  )
}
