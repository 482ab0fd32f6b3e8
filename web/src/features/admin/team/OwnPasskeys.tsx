/** The own passkeys beside the authenticator app: adding one, removing one, and refusing codes of the app. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { passkeyName, totpCode } from '@roz/core/staff-fields.ts'
import { useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { formatDay } from '../../../ui/format.ts'
import { toast } from '../../../ui/Toast.tsx'
import { registered, useRules, whenValid } from '../../forms.ts'
import { Decision } from '../Decision.tsx'
import { FormDialog } from '../../FormDialog.tsx'
import { knowsPasskeys, makePasskey } from '../passkeys.ts'
import { portalError } from '../portal-form-errors.ts'
import { refreshPortal } from '../queries.ts'

type Account = Output<Api['staffAccount']>
type Passkey = Account['passkeys'][number]

export function OwnPasskeys({ passkeys, totp }: Pick<Account, 'passkeys' | 'totp'>) {
  const { t } = useLingui()
  const [asks, setAsks] = useState<'add' | 'only' | Passkey>()
  const close = (): void => setAsks(undefined)
  return (
    <section className="form-sheet">
      <h3>{t`Passkeys`}</h3>
      <p>
        <Trans>
          A passkey is a security key, or your fingerprint, face or PIN on this device. It works only on this site, so a copied page cannot
          use it.
        </Trans>
      </p>
      <PasskeyList passkeys={passkeys} onRemove={setAsks} />
      <p className="team-buttons">
        {knowsPasskeys() ? <Button kind="secondary" onClick={() => setAsks('add')}>{t`Add a passkey`}</Button> : null}
        {passkeys.length > 0 ? (
          <Button kind="secondary" onClick={() => setAsks('only')}>
            {totp.passkeysOnly ? t`Accept codes of the app again` : t`Refuse codes of the app`}
          </Button>
        ) : null}
      </p>
      {asks === 'add' ? <AddDialog onClose={close} /> : null}
      {asks === 'only' ? (
        <Decision
          title={totp.passkeysOnly ? t`Accept codes of the app again?` : t`Refuse codes of the app?`}
          confirm={totp.passkeysOnly ? t`Accept codes` : t`Refuse codes`}
          send={() => call('setPasskeysOnly', { body: { only: !totp.passkeysOnly } })}
          onDone={() => toast.success(t`Saved.`)}
          onClose={close}
        >
          <p>
            {totp.passkeysOnly
              ? t`A copied page can then ask you for a code and use it.`
              : t`Only a passkey or a recovery code then logs you in. Add a second passkey first, and keep it in another place.`}
          </p>
        </Decision>
      ) : null}
      {typeof asks === 'object' ? (
        <Decision
          title={<Trans>Remove the passkey “{asks.name}”?</Trans>}
          confirm={t`Remove`}
          danger
          send={() => call('removePasskey', { params: { id: asks.id } })}
          onDone={() => toast.success(t`The passkey is removed.`)}
          onClose={close}
        >
          <p>{t`It no longer logs you in.`}</p>
        </Decision>
      ) : null}
    </section>
  )
}

function PasskeyList({ passkeys, onRemove }: { readonly passkeys: readonly Passkey[]; readonly onRemove: (passkey: Passkey) => void }) {
  const { t } = useLingui()
  const day = (at: string): string => formatDay(at, currentLanguage())
  if (passkeys.length === 0) return null
  return (
    <ul className="devices spaced">
      {passkeys.map((passkey) => (
        <li key={passkey.id}>
          <b>{passkey.name}</b>
          <p className="muted">
            <Trans>Added on {day(passkey.addedAt)}.</Trans>{' '}
            {passkey.usedAt === null ? null : <Trans>Last used on {day(passkey.usedAt)}.</Trans>}
          </p>
          <Button kind="secondary" aria-label={t`Remove the passkey “${passkey.name}”`} onClick={() => onRemove(passkey)}>
            <Trans>Remove</Trans>
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** A code of the app, and not a step-up of minutes ago: somebody else may sit at an unlocked laptop. */
function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const form = useRules(z.object({ name: passkeyName, totp: totpCode }), { name: '', totp: '' })
  const { isSubmitting } = form.formState
  const submit = whenValid(form, portalError, async ({ name, totp }) => {
    try {
      const { publicKey } = await call('startPasskey', { body: { totp } })
      await call('addPasskey', { body: { name, credential: await makePasskey(publicKey) } })
      onClose()
      toast.success(t`The passkey is added.`)
      await refreshPortal()
    } catch (error) {
      if (error instanceof ApiError && error.code === 'wrong_code') return form.setError('totp', { message: error.message })
      toast.error(messageOf(error, t`The passkey was not added. Please try again.`))
    }
  })
  return (
    <FormDialog title={<Trans>Add a passkey</Trans>} confirm={t`Add`} busy={isSubmitting} onSubmit={submit} onClose={onClose}>
      <TextField
        label={t`Name of the passkey`}
        hint={t`For example: Laptop, or Key on my ring.`}
        autoComplete="off"
        {...registered(form, 'name', portalError)}
      />
      <TextField
        label={t`Code of your authenticator app`}
        hint={t`6 digits.`}
        inputMode="numeric"
        autoComplete="one-time-code"
        {...registered(form, 'totp', portalError)}
      />
    </FormDialog>
  )
}
