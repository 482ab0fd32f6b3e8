/**
 * The dialog for every decision about money.
 * - It says what will happen, and asks for a reason if one is required.
 * - When the server requires a step-up, it asks for a passkey or the code of the authenticator app, or for the password if there is neither.
 * - One decision has one idempotency key, kept until its answer is known.
 * - A long form on a phone goes to the first field with a problem.
 */
import { useLingui } from '@lingui/react/macro'
import { decisionReason } from '@roz/core/money-fields.ts'
import { type ReactNode, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, messageOf } from '../../app/api.ts'
import { TextAreaField, TextField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { registered, useRules, whenValid } from '../forms.ts'
import { useMoneyKeys } from '../money-key.ts'
import { FormDialog } from '../FormDialog.tsx'
import { stepUpAsks } from './team/queries.ts'
import { stepUpByPasskey } from './passkeys.ts'
import { refreshPortal } from './queries.ts'
import { portalError } from './portal-form-errors.ts'
import { StepUpFields } from './StepUpFields.tsx'
import { sendStepUp, showRefusedStepUp, type StepUpAsks, stepUpRules } from './step-up-form.ts'

type Given = { text: string; password: string; code: string }
type Question = {
  readonly label: string
  readonly hint?: string | undefined
  readonly rule: typeof decisionReason
  /** A text area instead of a single line. */
  readonly long?: boolean
}
type DecisionProps<T> = {
  readonly title: ReactNode
  /** The label of the button that confirms. */
  readonly confirm: string
  readonly danger?: boolean
  /** Disables the button until something in the body is chosen. */
  readonly unready?: boolean
  readonly question?: Question
  /** Asks for a reason; a text is the hint of its field. */
  readonly reason?: string | true | undefined
  /** The body is a form: `check` decides whether it may be sent, and a refusal keeps it open. */
  readonly check?: () => boolean
  /** The message for a failure without a message from the server. */
  readonly failed?: string
  /** The call. `text` is the answer to the question, empty if there is none. */
  readonly send: (text: string, idempotencyKey: string) => Promise<T>
  readonly onDone: (answer: T) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

const none = z.string()

export function Decision<T>({
  title,
  confirm,
  danger = false,
  unready = false,
  question: given,
  reason,
  check,
  failed,
  send,
  onDone,
  onClose,
  children,
}: DecisionProps<T>) {
  const { t } = useLingui()
  const question: Question | undefined =
    reason === undefined ? given : { label: t`Reason`, hint: reason === true ? undefined : reason, rule: decisionReason, long: true }
  const once = useMoneyKeys()
  const [asks, setAsks] = useState<StepUpAsks>()
  const rules = z.object({
    text: question?.rule ?? none,
    ...stepUpRules(asks),
  })
  const form = useRules<Given>(rules, { text: '', password: '', code: '' })
  const { errors, isSubmitting } = form.formState
  const [refusals, setRefusals] = useState(0)
  useEffect(() => {
    if (refusals === 0) return
    const first = document.querySelector<HTMLElement>('dialog[open] form :is([aria-invalid="true"], .field-error)')
    first?.focus()
    first?.scrollIntoView({ block: 'nearest' })
  }, [refusals])

  async function decideAfter(stepUp: () => Promise<unknown>, text: string): Promise<void> {
    if (check?.() === false) return setRefusals((before) => before + 1)
    try {
      await stepUp()
      const { answer } = await once({ text }, (key) => send(text, key))
      onClose()
      onDone(answer)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'step_up_required') return setAsks(await stepUpAsks())
      if (showRefusedStepUp(error, form.setError, setAsks)) return
      toast.error(messageOf(error, failed ?? t`Network error. Please check your connection and try again.`))
      // Another administrator may have decided it meanwhile: the reloaded list shows its current state.
      if (error instanceof ApiError && error.status !== 429 && error.status < 500 && check === undefined) onClose()
      setRefusals((before) => before + 1)
    }
    await refreshPortal()
  }

  const decide = whenValid(form, portalError, (given) => decideAfter(() => sendStepUp(asks, given), given.text))
  const [isDeciding, setDeciding] = useState(false)
  const decideByPasskey = async (): Promise<void> => {
    if (!(await form.trigger('text', { shouldFocus: true }))) return
    setDeciding(true)
    await decideAfter(stepUpByPasskey, form.getValues('text')).finally(() => setDeciding(false))
  }

  return (
    <FormDialog
      title={title}
      confirm={confirm}
      danger={danger}
      unready={unready}
      busy={isSubmitting || isDeciding}
      onSubmit={decide}
      onClose={onClose}
    >
      {children}
      {question === undefined ? null : question.long === true ? (
        <TextAreaField label={question.label} hint={question.hint} {...registered(form, 'text', portalError)} />
      ) : (
        <TextField label={question.label} hint={question.hint} autoComplete="off" {...registered(form, 'text', portalError)} />
      )}
      <StepUpFields asks={asks} register={form.register} errors={errors} byPasskey={decideByPasskey} />
    </FormDialog>
  )
}
