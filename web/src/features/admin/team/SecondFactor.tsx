/** Setting up an authenticator app: the QR code, the first code, and the recovery codes, which are shown once. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { totpCode } from '@roz/core/staff-fields.ts'
import { useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, call, messageOf } from '../../../app/api.ts'
import { saveFile } from '../../../app/save-file.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { registered, useRules, whenValid } from '../../forms.ts'
import { Decision } from '../Decision.tsx'
import { portalError } from '../portal-form-errors.ts'
import { qrOf, qrPath } from './qr.ts'
import './team.css'

type Started = Output<Api['startTotp']>

/** The steps one after the other; `onDone` is called after the recovery codes were shown. */
export function SetUpApp({ onDone }: { readonly onDone: () => void }) {
  const { t } = useLingui()
  const [asks, setAsks] = useState(false)
  const [started, setStarted] = useState<Started>()
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (started !== undefined) return <FirstCode started={started} onCodes={setCodes} />
  return (
    <>
      <p>
        <Trans>
          An app on your phone shows a new code every 30 seconds. You then need this code to log in and to move money, so a stolen password
          is not enough.
        </Trans>
      </p>
      <p className="muted">{t`Any app for one-time codes works, such as Google Authenticator, Microsoft Authenticator or Aegis.`}</p>
      <Button onClick={() => setAsks(true)}>{t`Set up the app`}</Button>
      {asks ? (
        <Decision
          title={<Trans>Set up an authenticator app?</Trans>}
          confirm={t`Show the QR code`}
          send={() => call('startTotp')}
          onDone={setStarted}
          onClose={() => setAsks(false)}
        >
          <p>{t`Have your phone ready. You will be logged out on all other devices.`}</p>
        </Decision>
      ) : null}
    </>
  )
}

function FirstCode({ started, onCodes }: { readonly started: Started; readonly onCodes: (codes: readonly string[]) => void }) {
  const { t } = useLingui()
  const form = useRules(z.object({ totp: totpCode }), { totp: '' })
  const { isSubmitting } = form.formState
  const confirm = whenValid(form, portalError, async (body) => {
    try {
      onCodes((await call('confirmTotp', { body })).recoveryCodes)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'wrong_code') return form.setError('totp', { message: error.message })
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    }
  })
  return (
    <form noValidate className="form-sheet" onSubmit={(event) => void confirm(event)}>
      <p>{t`Scan this code with the app, or type the key into it.`}</p>
      <QrCode text={started.uri} label={t`QR code for the authenticator app`} />
      <p>
        <Trans>Key</Trans>: <code className="totp-key">{started.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <TextField
        label={t`Code that the app shows`}
        hint={t`6 digits.`}
        inputMode="numeric"
        autoComplete="one-time-code"
        {...registered(form, 'totp', portalError)}
      />
      <Button type="submit" busy={isSubmitting}>{t`Turn it on`}</Button>
    </form>
  )
}

export function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const { t } = useLingui()
  return (
    <section aria-label={t`Recovery codes`}>
      <h2>{t`Keep your recovery codes`}</h2>
      <p>
        <Trans>
          If your phone is lost, each of these codes works once instead of a code from the app. The codes are shown only now. Keep them
          where only you can find them.
        </Trans>
      </p>
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="team-buttons">
        <Button kind="secondary" onClick={() => saveFile('recovery-codes.txt', `${codes.join('\n')}\n`, 'text/plain')}>
          <Trans>Save as a file</Trans>
        </Button>
        <Button onClick={onDone}>{t`I have kept them`}</Button>
      </p>
    </section>
  )
}

/** A QR code drawn here, so that its secret reaches no other host. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = qrOf(text)
  const size = rows.length + 8
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={qrPath(rows)} fill="#000" />
    </svg>
  )
}
