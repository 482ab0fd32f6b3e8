/**
 * The form of a settlement: its number, its day, the net amount, the fee, and the gateway's report.
 * - If this form books the payment at once, the user must tick a box. Editing any field clears the tick.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { bankReference } from '@roz/core/reference-fields.ts'
import { readAmount } from '@roz/core/typed-money.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { TextField } from '../../../ui/Field.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { CoverNext, BillPages, useBillPages } from '../outlays/BillPages.tsx'
import { Rupees } from '../outlays/OutlayForm.tsx'
import { portalError, typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'

type Values = { readonly reference: string; readonly day: string; readonly amount: string; readonly fee: string }

function useSettlement(approvalAbove: number) {
  const { t } = useLingui()
  const [values, setValues] = useState<Values>({ reference: '', day: '', amount: '', fee: '' })
  const { problems, judge, refused } = useProblems()
  const [sureOf, setSureOf] = useState('')
  const pages = useBillPages()
  const [amount, fee] = [readAmount(values.amount), readAmount(values.fee)]
  const body = {
    reference: values.reference.trim(),
    day: values.day,
    amount: amount === undefined ? 0 : rupeesFromPaise(amount),
    fee: fee === undefined ? 0 : rupeesFromPaise(fee),
    receipts: pages.hashes,
  }
  const asked = JSON.stringify(body)
  const isSure = sureOf === asked
  const booksNow = body.amount + body.fee <= approvalAbove
  const check = (): boolean =>
    judge({
      reference: problemOf(bankReference, values.reference),
      day: values.day === '' ? t`Please choose the day` : undefined,
      amount: amount === undefined || amount <= 0n ? 'amount_invalid' : undefined,
      fee: fee === undefined ? 'amount_invalid' : undefined,
      receipts: pages.hashes.length === 0 ? 'receipts_needed' : undefined,
      sure: booksNow && !isSure ? t`Please tick this first` : undefined,
    })
  const send = (_: string, idempotencyKey: string) => call('askSettlement', { body, idempotencyKey }).catch(refused)
  const set = (changed: Partial<Values>): void => setValues({ ...values, ...changed })
  return { values, set, problems, pages, check, send, booksNow, isSure, setSure: (sure: boolean) => setSureOf(sure ? asked : '') }
}

export function SettlementDialog({ approvalAbove, onClose }: { readonly approvalAbove: number; readonly onClose: () => void }) {
  const { t } = useLingui()
  const form = useSettlement(approvalAbove)
  const { values, set, problems, pages, booksNow, isSure } = form
  const limit = formatMoney(approvalAbove)
  const receipts = problems.receipts === 'receipts_needed' && pages.hashes.length > 0 ? undefined : problems.receipts
  return (
    <>
      <Decision
        title={<Trans>Record a settlement</Trans>}
        confirm={booksNow ? t`Record it now` : t`Request approval`}
        check={form.check}
        send={form.send}
        onDone={({ entry }) =>
          toast.success(entry.status === 'booked' ? t`Recorded.` : t`Requested. Another person must approve it under “Platform entries”.`)
        }
        onClose={onClose}
      >
        <TextField
          label={t`Settlement number`}
          hint={t`The gateway's number for this settlement, or the bank's UTR. Each number can be recorded only once.`}
          autoComplete="off"
          maxLength={50}
          {...typed(values.reference, problems.reference, (reference) => set({ reference }))}
        />
        <TextField label={t`Day of the settlement`} type="date" {...typed(values.day, problems.day, (day) => set({ day }))} />
        <Rupees
          label={t`Amount that reached our bank`}
          value={values.amount}
          error={portalError(problems.amount)}
          onType={(amount) => set({ amount })}
        />
        <Rupees
          label={t`Fee that the gateway kept`}
          hint={t`Tax included. Enter 0 if the gateway kept nothing.`}
          value={values.fee}
          error={portalError(problems.fee)}
          onType={(fee) => set({ fee })}
        />
        <BillPages pages={pages} error={portalError(receipts)} of="report" />
        <p className="muted spaced">
          {booksNow ? (
            <Trans>It enters today's accounts, and this cannot be undone. Above {limit} another person must approve it.</Trans>
          ) : (
            <Trans>Another person must approve it. Then it enters the accounts of that day, and this cannot be undone.</Trans>
          )}
        </p>
        {booksNow ? (
          <>
            <label className="pick">
              <input
                type="checkbox"
                checked={isSure}
                aria-invalid={problems.sure !== undefined && !isSure ? true : undefined}
                onChange={(event) => form.setSure(event.target.checked)}
              />
              {t`I have compared these values with the gateway's report.`}
            </label>
            {problems.sure === undefined || isSure ? null : (
              <p className="field-error" role="alert">
                {problems.sure}
              </p>
            )}
          </>
        ) : null}
      </Decision>
      <CoverNext pages={pages} />
    </>
  )
}
