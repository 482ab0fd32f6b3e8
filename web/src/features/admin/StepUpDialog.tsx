/** Asks for the step-up that a list about persons waits for. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { messageOf } from '../../app/api.ts'
import { toast } from '../../ui/Toast.tsx'
import { useRules, whenValid } from '../forms.ts'
import { FormDialog } from '../FormDialog.tsx'
import { stepUpAsks } from './team/queries.ts'
import { stepUpByPasskey } from './passkeys.ts'
import { portalError } from './portal-form-errors.ts'
import { type Asked, dismiss, useAsked } from './step-up.ts'
import { StepUpFields } from './StepUpFields.tsx'
import { sendStepUp, showRefusedStepUp, type StepUpAsks, stepUpRules } from './step-up-form.ts'

export function StepUpDialog() {
  const asked = useAsked()
  useEffect(() => dismiss, [])
  return asked === undefined ? null : <Question asked={asked} />
}

function Question({ asked: { settle } }: { readonly asked: Asked }) {
  const { t } = useLingui()
  const [asks, setAsks] = useState<StepUpAsks>()
  useEffect(() => void stepUpAsks().then(setAsks), [])
  const form = useRules<{ password: string; code: string }>(z.object(stepUpRules(asks)), { password: '', code: '' })
  const { errors, isSubmitting } = form.formState

  async function settleAfter(stepUp: () => Promise<unknown>): Promise<void> {
    try {
      await stepUp()
      settle(true)
    } catch (error) {
      if (showRefusedStepUp(error, form.setError, setAsks)) return
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    }
  }
  const confirm = whenValid(form, portalError, (given) => settleAfter(() => sendStepUp(asks, given)))

  return (
    <FormDialog
      title={<Trans>Personal data</Trans>}
      confirm={t`Confirm`}
      unready={asks === undefined}
      busy={isSubmitting}
      onSubmit={confirm}
      onClose={() => settle(false)}
    >
      <p className="spaced">{t`Lists about people are shown only after you confirm that it is you. This lasts ten minutes.`}</p>
      <StepUpFields asks={asks} register={form.register} errors={errors} byPasskey={() => settleAfter(stepUpByPasskey)} />
    </FormDialog>
  )
}
