/** The form that requests a refund. It loads at the press: most visits of the wallet request none. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { decisionReason, refundProblem } from '@roz/core/money-fields.ts'
import { type Paise, paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { useEffect, useMemo } from 'react'
import * as z from 'zod/mini'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { AmountField, SelectField, TextAreaField } from '../../ui/Field.tsx'
import { formatDay } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { judgeAgain, registered, showRefusedFields, useRules, whenValid } from '../forms.ts'
import { InDoubt, tellEarlier } from '../InDoubt.tsx'
import { moneyKeys } from '../money-key.ts'
import { refreshMine, refreshMoney } from '../queries.ts'
import { typedPaise } from './amounts.ts'
import { moneyError } from './money-form-errors.ts'
import { registerAmount } from './money-inputs.ts'

type Refundable = Output<Api['refunds']>['refundable'][number]
/** A refund is at most the unused part of the chosen payment, and at least a rupee of it or the whole. */
const refundRules = (unusedOf: (orderId: string) => Paise) =>
  z.object({ orderId: z.string().check(z.minLength(1, 'fill_all')), amount: z.string(), reason: decisionReason }).check(
    z.superRefine(({ orderId, amount: text }, context) => {
      const typed = typedPaise(text)
      const problem = typed === undefined ? 'amount_invalid' : refundProblem(typed, unusedOf(orderId))
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem, path: ['amount'] })
    }),
  )
type RefundValues = z.infer<ReturnType<typeof refundRules>>

type RefundFormProps = { readonly refundable: readonly Refundable[]; readonly onClose: () => void }

export function RefundForm({ refundable, onClose }: RefundFormProps) {
  const { t } = useLingui()
  const rules = useMemo(
    () => refundRules((orderId) => paiseFromRupees(refundable.find(({ order_id: id }) => id === orderId)?.unused ?? 0) ?? ZERO),
    [refundable],
  )
  const newest = refundable[0]?.order_id ?? ''
  const form = useRules<RefundValues>(rules, { orderId: newest, amount: '', reason: '' })
  const { errors, isSubmitting } = form.formState
  const { orderId, amount } = form.watch()
  const chosen = refundable.find(({ order_id: id }) => id === orderId)
  const paise = typedPaise(amount)
  // The button that opened the form has disappeared, so the form takes the focus.
  useEffect(() => form.setFocus('orderId'), [form])
  // The chosen payment may have no unused money left by now.
  useEffect(() => {
    if (chosen === undefined) form.setValue('orderId', newest)
  }, [chosen, form, newest])

  const ask = whenValid(form, moneyError, async ({ orderId: order_id, amount: typed, reason }) => {
    const body = { order_id, amount: rupeesFromPaise(typedPaise(typed) ?? ZERO), reason }
    try {
      const { answer, isOfEarlierPress } = await moneyKeys.refunds(body, (idempotencyKey) =>
        call('requestRefund', { body, idempotencyKey }),
      )
      const { createdAt } = answer.refund
      if (isOfEarlierPress(createdAt)) return tellEarlier(createdAt)
      session.setBalance(answer.balance)
    } catch (error) {
      showRefusedFields(form, error)
      refreshMoney()
      return toast.error(messageOf(error, t`The refund could not be requested.`))
    }
    onClose()
    toast.success(t`Refund requested. We'll review it soon.`)
    await refreshMine()
  })

  return (
    <form className="form-sheet refund-form spaced" noValidate onSubmit={(event) => void ask(event)}>
      <SelectField label={t`Payment`} error={moneyError(errors.orderId?.message)} {...form.register('orderId', judgeAgain(form, 'amount'))}>
        {refundable.map((topup) => (
          <option key={topup.order_id} value={topup.order_id}>
            {t`${formatDay(topup.createdAt, currentLanguage())}: ${formatMoney(topup.amount)}, ${formatMoney(topup.unused)} left`}
          </option>
        ))}
      </SelectField>
      <AmountField
        label={t`Refund amount`}
        hint={chosen === undefined ? undefined : t`At most ${formatMoney(chosen.unused)}.`}
        error={moneyError(errors.amount?.message)}
        {...registerAmount(form, 'amount')}
      />
      <TextAreaField label={t`Reason`} rows={3} {...registered(form, 'reason', moneyError)} />
      {errors.root && <InDoubt />}
      <div className="buttons">
        <Button type="submit" busy={isSubmitting}>
          {paise === undefined ? <Trans>Request a refund</Trans> : <Trans>Request a refund of {formatMoney(rupeesFromPaise(paise))}</Trans>}
        </Button>
        <Button kind="secondary" disabled={isSubmitting} onClick={onClose}>{t`Cancel`}</Button>
      </div>
      <p className="small muted under-button">{t`The amount is set aside at once, until we decide.`}</p>
    </form>
  )
}
