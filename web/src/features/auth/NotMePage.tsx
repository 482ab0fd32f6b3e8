/** The page of the link "This wasn't me" in a mail. Mail scanners open links, so only the button on the page changes anything. */
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'
import { AuthSheet } from './AuthSheet.tsx'

export function NotMePage() {
  const { t } = useLingui()
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '')
  const [answer, setAnswer] = useState<string>()
  const [sending, setSending] = useState(false)

  const secure = async (): Promise<void> => {
    setSending(true)
    try {
      const { message } = await call('notMe', { body: { token } })
      // The server has ended every session of that member, including one in this browser.
      session.clear()
      setAnswer(message)
    } catch (error) {
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    } finally {
      setSending(false)
    }
  }

  if (answer !== undefined) {
    return (
      <AuthSheet title={t`Your account is secured`} lead={answer}>
        <h2>{t`What to do now`}</h2>
        <ol className="steps">
          <li>{t`Open the email within one hour and choose a new password. Its link works once.`}</li>
          <li>{t`Log in with the new password and check that everything is as you left it.`}</li>
          <li>{t`If something is missing or wrong, write to us.`}</li>
        </ol>
        <p className="muted">{t`If no email comes, look in the spam folder, or have the link sent again.`}</p>
        <div className="buttons">
          <Link className={buttonClass()} to={paths.forgotPassword}>{t`Send the link again`}</Link>
          <a className={buttonClass('secondary')} href={publicPath('contactUs', currentLanguage())}>{t`Contact Support`}</a>
        </div>
      </AuthSheet>
    )
  }
  return (
    <AuthSheet title={t`This wasn't me`} lead={t`Was this not you? The button does this:`}>
      <ul className="dots">
        <li>{t`All devices are logged out, and the password no longer works.`}</li>
        <li>{t`Withdrawals and refunds are stopped until we have checked your account.`}</li>
        <li>{t`You get an email with a link to choose a new password.`}</li>
      </ul>
      <Button wide busy={sending} onClick={() => void secure()}>{t`Secure my account`}</Button>
    </AuthSheet>
  )
}
