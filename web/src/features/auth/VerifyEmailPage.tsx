/** The page of the mailed confirmation link: loading, verified, or failed. */
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call, messageOf, NetworkError } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { Spinner } from '../../ui/Feedback.tsx'
import { refreshMember } from '../queries.ts'
import { AuthSheet } from './AuthSheet.tsx'

type State =
  | { readonly is: 'loading' }
  | { readonly is: 'verified'; readonly text: string }
  | { readonly is: 'failed'; readonly error: unknown }

export function VerifyEmailPage() {
  const { t } = useLingui()
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '')
  const [state, setState] = useState<State>({ is: 'loading' })

  useEffect(() => {
    if (token === '') return
    const leaving = new AbortController()
    const verify = async (): Promise<void> => {
      try {
        const text = await call('verifyEmail', { query: { token }, signal: leaving.signal })
        setState({ is: 'verified', text })
        // If that member is signed in here, the banner disappears at once.
        await refreshMember()
      } catch (error) {
        if (!leaving.signal.aborted) setState({ is: 'failed', error })
      }
    }
    void verify()
    return () => leaving.abort()
  }, [token])

  if (token === '') return <Failed text={t`Invalid or missing verification token`} />
  if (state.is === 'failed') {
    const network = state.error instanceof NetworkError
    return (
      <Failed
        text={
          network
            ? t`Network error. Please check your connection and try again.`
            : messageOf(state.error, t`Verification failed. Please try again.`)
        }
      />
    )
  }
  if (state.is === 'loading') {
    return (
      <AuthSheet title={t`Verify email`} lead={t`One moment, we are checking your link.`}>
        <Spinner />
      </AuthSheet>
    )
  }
  return <Verified text={state.text} />
}

function Verified({ text }: { readonly text: string }) {
  const { t } = useLingui()
  return (
    <AuthSheet title={t`Verify email`}>
      <div role="status">
        <h2>{t`Email Verified!`}</h2>
        <p>{text}</p>
      </div>
      <div className="buttons">
        <Link className={buttonClass()} to={paths.login}>{t`Go to Login`}</Link>
        <a className={buttonClass('secondary')} href={publicPath('home', currentLanguage())}>{t`Go Home`}</a>
      </div>
    </AuthSheet>
  )
}

function Failed({ text }: { readonly text: string }) {
  const { t } = useLingui()
  return (
    <AuthSheet title={t`Verify email`}>
      <div role="alert">
        <h2>{t`Verification Failed`}</h2>
        <p>{text}</p>
      </div>
      <div className="buttons">
        <Button onClick={() => window.location.reload()}>{t`Try Again`}</Button>
        <a className={buttonClass('secondary')} href={publicPath('contactUs', currentLanguage())}>{t`Contact Support`}</a>
      </div>
    </AuthSheet>
  )
}
