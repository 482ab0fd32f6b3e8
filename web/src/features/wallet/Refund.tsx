/**
 * Refunds: the unused part of a top-up from the last seven days returns to its original payment method.
 * - The amount is held at once. Every request is listed with its state.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/Feedback.tsx'
import { SelectField, TextAreaField, TextField } from '../../ui/Field.tsx'
import { catchFocus } from '../../ui/focus.ts'
import { formatDay, formatInstant } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { judgeAgain, showRefusedFields, tellFirst, useRules } from '../forms.ts'
import { Listing } from '../Listing.tsx'
import { moneyKeys } from '../money-key.ts'
import { refreshMine, refreshMoney, refundsQuery } from '../queries.ts'
import { registerAmount } from './money-inputs.ts'
import { typedPaise } from './amounts.ts'
import { refundRules, type RefundValues } from './rules.ts'
import { InDoubt, tellEarlier } from '../InDoubt.tsx'
import { Status } from './Transactions.tsx'
import { wordsOf } from './money-form-errors.ts'

type Page = Output<Api['refunds']>
type Refundable = Page['refundable'][number]

export function Refund() {
  const { t } = useLingui()
  const list = useInfiniteQuery(refundsQuery)
  const refundable = list.data?.pages[0]?.refundable
  const [asking, setAsking] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  // The pressed button disappears with the form, so the focus returns to the button that opened the form.
  const leave = (): void => {
    flushSync(() => setAsking(false))
    catchFocus(opener.current)
  }
  return (
    <>
      <h2 className="spaced">
        <Trans>Refund</Trans>
      </h2>
      <p className="muted spaced">
        <Trans>
          Unused money from a payment of the last 7 days can go back to your original payment method, after approval. It is free and takes
          5–10 business days.
        </Trans>
      </p>
      {refundable === undefined || refundable.length === 0 ? null : asking ? (
        <RefundForm refundable={refundable} onClose={leave} />
      ) : (
        <Button ref={opener} kind="secondary" onClick={() => setAsking(true)}>
          <Trans>Request a refund</Trans>
        </Button>
      )}
      <Listing
        list={list}
        itemsOf={(page) => page.refunds}
        failed={t`Your refunds could not be loaded.`}
        lines={2}
        empty={
          refundable === undefined || refundable.length > 0 ? null : (
            <EmptyState art="slip" title={t`Nothing to refund`}>
              <Trans>No unused money from payments of the last 7 days.</Trans>
            </EmptyState>
          )
        }
      >
        {(refunds) => (
          <ul className="rows" aria-label={t`Your refunds`}>
            {refunds.map((refund) => (
              <Line key={refund.id} refund={refund} />
            ))}
          </ul>
        )}
      </Listing>
    </>
  )
}

function Line({ refund }: { readonly refund: Page['refunds'][number] }) {
  const { amount, reason, decision, reference, createdAt, status } = refund
  return (
    <li>
      <span>
        {reason}
        {decision === null ? null : (
          <span className="small block">
            <Trans>Reason: {decision}</Trans>
          </span>
        )}
        {reference === null ? null : (
          <span className="small block">
            <Trans>Bank reference: {reference}</Trans>
          </span>
        )}
      </span>
      <span className="amount">{formatMoney(amount)}</span>
      <time className="small muted" dateTime={createdAt}>
        {formatInstant(createdAt, currentLanguage())}
      </time>
      <span className="end">
        <Status status={status} />
      </span>
    </li>
  )
}

type RefundFormProps = { readonly refundable: readonly Refundable[]; readonly onClose: () => void }

function RefundForm({ refundable, onClose }: RefundFormProps) {
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

  const ask = form.handleSubmit(
    async ({ orderId: order_id, amount: typed, reason }) => {
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
    },
    tellFirst(form, wordsOf),
  )

  return (
    <form className="form-sheet refund-form spaced" noValidate onSubmit={(event) => void ask(event)}>
      <SelectField label={t`Payment`} error={wordsOf(errors.orderId?.message)} {...form.register('orderId', judgeAgain(form, 'amount'))}>
        {refundable.map((topup) => (
          <option key={topup.order_id} value={topup.order_id}>
            {t`${formatDay(topup.createdAt, currentLanguage())}: ${formatMoney(topup.amount)}, ${formatMoney(topup.unused)} left`}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t`Refund amount`}
        inputMode="decimal"
        autoComplete="off"
        prefix="₹"
        hint={chosen === undefined ? undefined : t`At most ${formatMoney(chosen.unused)}.`}
        error={wordsOf(errors.amount?.message)}
        {...registerAmount(form, 'amount')}
      />
      <TextAreaField label={t`Reason`} rows={3} error={wordsOf(errors.reason?.message)} {...form.register('reason')} />
      {errors.root && <InDoubt />}
      <div className="buttons">
        <Button type="submit" busy={isSubmitting}>
          {paise === undefined ? <Trans>Request a refund</Trans> : <Trans>Request a refund of {formatMoney(rupeesFromPaise(paise))}</Trans>}
        </Button>
        <Button kind="secondary" disabled={isSubmitting} onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
      <p className="small muted under-button">
        <Trans>The amount is set aside at once, until we decide.</Trans>
      </p>
    </form>
  )
}
