/** One's own account in the portal: name and language, password, authenticator app, and the devices that are logged in. */
import { Trans, useLingui } from '@lingui/react/macro'
import { LANGUAGES, type Language } from '@roz/core/language.ts'
import { name as nameRule } from '@roz/core/name-fields.ts'
import { givenPassword } from '@roz/core/person-fields.ts'
import { staffPassword } from '@roz/core/staff-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { call, messageOf } from '../../../app/api.ts'
import { session, useSession } from '../../../app/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { PasswordField, SelectField, TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { registered, showRefusedFields, useRules, whenValid } from '../../forms.ts'
import { DeviceRow } from '../../profile/SignedInDevices.tsx'
import { Decision } from '../Decision.tsx'
import { refreshPortal } from '../queries.ts'
import { portalError } from '../portal-form-errors.ts'
import { OwnApp } from './OwnApp.tsx'
import { OwnPasskeys } from './OwnPasskeys.tsx'
import { accountQuery } from './queries.ts'

export function Account() {
  const { t } = useLingui()
  const account = useQuery(accountQuery)
  const { data } = account
  if (data === undefined) return <NotLoaded query={account} failed={t`Your account could not be loaded.`} lines={6} />
  return (
    <div className="account">
      <h2>{t`My account`}</h2>
      <OwnApp totp={data.totp} />
      {data.totp.enrolledAt === null ? null : <OwnPasskeys passkeys={data.passkeys} totp={data.totp} />}
      <OwnRecord />
      <OwnPassword />
      <section>
        <h3>{t`Logged-in devices`}</h3>
        <ul className="devices spaced">
          {data.sessions.map((device, index) => (
            <DeviceRow key={index} device={device} />
          ))}
        </ul>
        {data.sessions.length > 1 ? <LogOutOthers /> : null}
      </section>
    </div>
  )
}

function LogOutOthers() {
  const { t } = useLingui()
  const [asks, setAsks] = useState(false)
  return (
    <>
      <Button kind="secondary" onClick={() => setAsks(true)}>{t`Log out others`}</Button>
      {asks ? (
        <Decision
          title={<Trans>Log out on all other devices?</Trans>}
          confirm={t`Log out others`}
          send={() => call('endOtherStaffSessions')}
          onDone={() => toast.success(t`Logged out on all other devices.`)}
          onClose={() => setAsks(false)}
        >
          <p>{t`You stay logged in here. If you don't know one of the devices, change your password, too.`}</p>
        </Decision>
      ) : null}
    </>
  )
}

const NAMES: Readonly<Record<Language, string>> = Object.fromEntries(
  LANGUAGES.map((language) => [language, new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language]),
) as Record<Language, string>
type Profile = { name: string; language: string }

function OwnRecord() {
  const { t } = useLingui()
  const now = useSession()
  const user = now.status === 'admin' ? now.user : undefined
  const form = useRules<Profile>(z.object({ name: nameRule, language: z.string() }), {
    name: user?.name ?? '',
    language: user?.language ?? '',
  })
  const { isSubmitting } = form.formState
  const save = whenValid(form, portalError, async ({ name, language }) => {
    try {
      const chosen = LANGUAGES.find((one) => one === language)
      session.setUser((await call('updateStaffAccount', { body: { name, ...(chosen === undefined ? {} : { language: chosen }) } })).user)
      toast.success(t`Saved.`)
    } catch (error) {
      showRefusedFields(form, error)
      toast.error(messageOf(error, t`The change could not be saved.`))
    }
  })
  return (
    <form className="form-sheet" noValidate onSubmit={(event) => void save(event)}>
      <h3>{t`Name and language`}</h3>
      <TextField label={t`Name`} autoComplete="name" {...registered(form, 'name', portalError)} />
      <SelectField label={t`Language of emails`} {...form.register('language')}>
        {LANGUAGES.map((language) => (
          <option key={language} value={language} lang={language}>
            {NAMES[language]}
          </option>
        ))}
      </SelectField>
      <Button type="submit" kind="secondary" busy={isSubmitting}>{t`Save`}</Button>
    </form>
  )
}

const EMPTY = { currentPassword: '', newPassword: '' }

function OwnPassword() {
  const { t } = useLingui()
  const form = useRules(z.object({ currentPassword: givenPassword, newPassword: staffPassword }), EMPTY)
  const { isSubmitting } = form.formState
  const change = whenValid(form, portalError, async (body) => {
    try {
      await call('changeStaffPassword', { body })
    } catch (error) {
      showRefusedFields(form, error)
      return toast.error(messageOf(error, t`The change could not be saved.`))
    }
    form.reset(EMPTY)
    toast.success(t`Your password was changed. You are logged out everywhere else.`)
    await refreshPortal()
  })
  return (
    <form className="form-sheet" noValidate onSubmit={(event) => void change(event)}>
      <h3>{t`Change password`}</h3>
      <PasswordField label={t`Current password`} autoComplete="current-password" {...registered(form, 'currentPassword', portalError)} />
      <PasswordField
        label={t`New password`}
        hint={t`At least 12 characters.`}
        autoComplete="new-password"
        {...registered(form, 'newPassword', portalError)}
      />
      <Button type="submit" kind="secondary" busy={isSubmitting}>{t`Change password`}</Button>
    </form>
  )
}
