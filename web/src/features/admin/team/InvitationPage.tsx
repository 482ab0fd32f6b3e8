/** Accepts an invitation to the team by a mailed link: the person chooses a password, and the account is made. */
import { useLingui } from '@lingui/react/macro'
import { PERSON_TEXTS } from '@roz/core/person-fields.ts'
import { STAFF_TEXTS, staffPassword } from '@roz/core/staff-fields.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import * as z from 'zod/mini'
import { call, messageOf } from '../../../app/api.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { PasswordField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { AuthSheet } from '../../auth/AuthSheet.tsx'
import { registered, showRefusedFields, useRules, whenValid, wordsFrom } from '../../forms.ts'

const tokenIn = (search: string): string => new URLSearchParams(search).get('token') ?? ''
const wordsOf = wordsFrom(PERSON_TEXTS, STAFF_TEXTS)
const rules = z.object({ password: staffPassword })

export function InvitationPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [token] = useState(() => tokenIn(window.location.search))
  const form = useRules(rules, { password: '' })
  const { isSubmitting } = form.formState
  const accept = whenValid(form, wordsOf, async ({ password }) => {
    try {
      const { message } = await call('acceptInvitation', { body: { token, password } })
      toast.success(message)
      await navigate({ to: paths.adminLogin, replace: true })
    } catch (error) {
      showRefusedFields(form, error)
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    }
  })
  if (token === '') {
    return (
      <AuthSheet title={t`Join the team`} lead={t`This link is not complete. Please open the link of your invitation again.`}>
        {null}
      </AuthSheet>
    )
  }
  return (
    <AuthSheet title={t`Join the team`} lead={t`Choose a password for the portal. Your account is ready after that.`}>
      <form noValidate onSubmit={(event) => void accept(event)}>
        <PasswordField
          label={t`New password`}
          hint={t`At least 12 characters.`}
          autoComplete="new-password"
          {...registered(form, 'password', wordsOf)}
        />
        <Button type="submit" wide busy={isSubmitting}>{t`Create my account`}</Button>
      </form>
    </AuthSheet>
  )
}
