/** The banner above every member's screen until the email is confirmed. Until then the member can move no money. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'
import { refreshMember } from '../queries.ts'
import { WrongAddress } from './WrongAddress.tsx'

export function UnverifiedBanner() {
  const { t } = useLingui()
  const now = useSession()
  const [sending, setSending] = useState(false)
  if (now.status !== 'member' || now.user.emailVerified) return null

  const resend = async (): Promise<void> => {
    setSending(true)
    try {
      toast.success((await call('resendVerification')).message)
    } catch (error) {
      // The member confirmed the email in another tab or on another device: the banner disappears.
      if (error instanceof ApiError && error.code === 'already_verified') await refreshMember()
      else toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    } finally {
      setSending(false)
    }
  }

  return (
    <aside className="notice" aria-label={t`Verify email`}>
      <p>
        <Trans>Please verify your email. We sent a link to {now.user.email}; until then you can't add or withdraw money.</Trans>
      </p>
      <Button kind="secondary" busy={sending} onClick={() => void resend()}>{t`Resend verification email`}</Button>
      <WrongAddress />
    </aside>
  )
}
