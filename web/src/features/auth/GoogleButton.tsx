/**
 * Google's button, shown only if the operator has set a client id.
 * - If Google's script or answer fails, the page says `Login Failed`, and the form beside the button still works.
 * - A Google credential is accepted from this page only: Google gets the nonce's digest, and the page keeps the nonce.
 */
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { settings } from '../../app/settings.ts'
import { toast } from '../../ui/Toast.tsx'

type Credential = { readonly credential?: string }
type GoogleAccounts = {
  readonly initialize: (options: { client_id: string; nonce: string; callback: (answer: Credential) => void }) => void
  readonly renderButton: (place: HTMLElement, options: Record<string, string | number>) => void
}
declare global {
  interface Window {
    google?: { readonly accounts: { readonly id: GoogleAccounts } }
  }
}

let script: Promise<void> | undefined
function loadScript(): Promise<void> {
  script ??= new Promise<void>((resolve, reject) => {
    const tag = document.createElement('script')
    tag.src = settings.googleScriptUrl
    tag.async = true
    tag.addEventListener('load', () => resolve())
    tag.addEventListener('error', () => {
      tag.remove()
      script = undefined
      reject(new Error("the Google button's script did not load"))
    })
    document.head.append(tag)
  })
  return script
}

export function GoogleButton() {
  return settings.googleClientId === null ? null : <GoogleSignIn clientId={settings.googleClientId} />
}

function GoogleSignIn({ clientId }: { readonly clientId: string }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const place = useRef<HTMLDivElement>(null)
  const [broken, setBroken] = useState(false)

  useEffect(() => {
    let wanted = true
    let renewal: ReturnType<typeof setTimeout> | undefined
    const signIn = async ({ credential }: Credential, nonce: string): Promise<void> => {
      if (credential === undefined) return toast.error(t`Login Failed`)
      try {
        session.signIn(await call('google', { body: { token: credential, nonce } }))
      } catch (error) {
        toast.error(messageOf(error, t`Google login failed`))
        // A nonce can be used once.
        return draw()
      }
      toast.success(t`Welcome back!`)
      await navigate({ to: paths.dashboard, replace: true })
    }
    const draw = async (): Promise<void> => {
      try {
        const [{ nonce, claim, lastsSeconds }] = await Promise.all([call('googleNonce'), loadScript()])
        const accounts = window.google?.accounts.id
        if (!wanted || place.current === null) return
        if (accounts === undefined) throw new Error("the Google button's script defined no google.accounts")
        accounts.initialize({ client_id: clientId, nonce: claim, callback: (answer) => void signIn(answer, nonce) })
        place.current.replaceChildren()
        clearTimeout(renewal)
        renewal = setTimeout(() => void draw(), (lastsSeconds * 1000) / 2)
        accounts.renderButton(place.current, {
          theme: 'outline',
          size: 'large',
          text: 'continue_with',
          locale: currentLanguage(),
          width: Math.min(400, place.current.clientWidth),
        })
      } catch {
        // A button that is already drawn keeps working until its nonce expires.
        if (!wanted || place.current?.hasChildNodes() === true) return
        setBroken(true)
        toast.error(t`Login Failed`)
      }
    }
    void draw()
    return () => {
      wanted = false
      clearTimeout(renewal)
    }
  }, [clientId, navigate, t])

  if (broken) return null
  return (
    <>
      <div className="google-button" ref={place} />
      <p className="rule-text">
        <span>{t`or`}</span>
      </p>
    </>
  )
}
