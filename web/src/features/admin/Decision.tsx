/**
 * The dialog for every decision about money.
 * - It says what will happen, and asks for a reason where one is required.
 * - It asks for the password when the server requires step-up.
 * - One decision has one idempotency key, kept until its answer is known.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { decisionReason } from '@roz/core/money-fields.ts'
import { givenPassword } from '@roz/core/person-fields.ts'
import { type ReactNode, useId, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextAreaField, TextField } from '../../ui/Field.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { toast } from '../../ui/Toast.tsx'
import { tellFirst, useRules } from '../forms.ts'
import { useMoneyKeys } from '../money-key.ts'
import { refreshPortal } from './queries.ts'
import { wordsOf } from './words.ts'

type Given = { text: string; password: string }
type Question = {
  readonly label: string
  readonly hint?: string
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
  /** The body is a form: `check` tells whether it may be sent, and a refusal keeps it open. */
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
  question,
  check,
  failed,
  send,
  onDone,
  onClose,
  children,
}: DecisionProps<T>) {
  const { t } = useLingui()
  const formId = useId()
  const once = useMoneyKeys()
  const [asksPassword, setAsksPassword] = useState(false)
  const form = useRules<Given>(z.object({ text: question?.rule ?? none, password: asksPassword ? givenPassword : none }), {
    text: '',
    password: '',
  })
  const { errors, isSubmitting } = form.formState

  const decide = form.handleSubmit(
    async ({ text, password }) => {
      if (check?.() === false) return
      try {
        if (asksPassword) await call('stepUp', { body: { password } })
        const { answer } = await once({ text }, (key) => send(text, key))
        onClose()
        onDone(answer)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'step_up_required') return setAsksPassword(true)
        if (error instanceof ApiError && error.code === 'wrong_password') return form.setError('password', { message: error.message })
        toast.error(messageOf(error, failed ?? t`Network error. Please check your connection and try again.`))
        // Another administrator may have decided it meanwhile: the reloaded list shows its current state.
        if (error instanceof ApiError && error.status !== 429 && error.status < 500 && check === undefined) onClose()
      }
      await refreshPortal()
    },
    tellFirst(form, wordsOf),
  )

  return (
    <Modal
      open
      closeOnOverlay={false}
      onClose={() => (isSubmitting ? undefined : onClose())}
      title={title}
      footer={
        <>
          <Button kind="secondary" disabled={isSubmitting} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" form={formId} kind={danger ? 'danger' : 'primary'} busy={isSubmitting} disabled={unready}>
            {confirm}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void decide(event)}>
        {children}
        {question === undefined ? null : question.long === true ? (
          <TextAreaField label={question.label} hint={question.hint} error={wordsOf(errors.text?.message)} {...form.register('text')} />
        ) : (
          <TextField
            label={question.label}
            hint={question.hint}
            autoComplete="off"
            error={wordsOf(errors.text?.message)}
            {...form.register('text')}
          />
        )}
        {asksPassword ? (
          <PasswordField
            label={t`Your password`}
            hint={t`Money moves: please confirm with your password.`}
            autoComplete="current-password"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press before it asked for this field
            autoFocus
            error={wordsOf(errors.password?.message)}
            {...form.register('password')}
          />
        ) : null}
      </form>
    </Modal>
  )
}
