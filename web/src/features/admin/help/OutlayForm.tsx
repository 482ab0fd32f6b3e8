/** The fields that every payment by decision has: amount, public words and receipts. */
import { useLingui } from '@lingui/react/macro'
import { purpose as purposeRule } from '@roz/core/help-fields.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { useState } from 'react'
import { ApiError } from '../../../app/api.ts'
import { TextField } from '../../../ui/Field.tsx'
import { amountDraft, typedPaise } from '../../wallet/amounts.ts'
import { wordsOf } from '../portal-form-errors.ts'
import { ReceiptPages, usePages } from './ReceiptPages.tsx'

type Problems = { readonly amount?: string; readonly purpose?: string; readonly receipts?: string; readonly beneficiaryId?: string }
export type OutlayForm = ReturnType<typeof useOutlayForm>

/** `more` finds the problems of the caller's own fields. */
export function useOutlayForm(more: () => Problems = () => ({})) {
  const [amount, setAmount] = useState('')
  const [purpose, setPurpose] = useState('')
  const [problems, setProblems] = useState<Problems>({})
  const pages = usePages()
  const paise = typedPaise(amount)

  return {
    amount,
    setAmount,
    purpose,
    setPurpose,
    pages,
    problems,
    body: { amount: paise === undefined ? 0 : rupeesFromPaise(paise), purpose: purpose.trim(), receipts: pages.hashes },
    check: (): boolean => {
      const wrong = purposeRule.safeParse(purpose).error?.issues[0]?.message
      const found = {
        ...(paise === undefined ? { amount: 'amount_invalid' } : {}),
        ...(wrong === undefined ? {} : { purpose: wrong }),
        ...(pages.hashes.length === 0 ? { receipts: 'receipts_needed' } : {}),
        ...more(),
      }
      setProblems(found)
      return Object.keys(found).length === 0
    },
    /** Shows a refusal's words beside their fields, and passes it on. */
    refused: (error: unknown): never => {
      if (error instanceof ApiError) setProblems(error.fields)
      throw error
    },
  }
}

type FieldsProps = { readonly form: OutlayForm; readonly purposeLabel: string; readonly purposeHint: string }

export function OutlayFields({ form, purposeLabel, purposeHint }: FieldsProps) {
  const { t } = useLingui()
  const { pages, problems } = form
  // The words that ask for a page go with the first one.
  const receipts = problems.receipts === 'receipts_needed' && pages.hashes.length > 0 ? undefined : problems.receipts
  return (
    <>
      <TextField
        label={t`Amount in rupees`}
        prefix="₹"
        inputMode="decimal"
        autoComplete="off"
        value={form.amount}
        error={wordsOf(problems.amount)}
        onChange={(event) => form.setAmount(amountDraft(event.target.value))}
      />
      <TextField
        label={purposeLabel}
        hint={purposeHint}
        autoComplete="off"
        maxLength={120}
        value={form.purpose}
        error={wordsOf(problems.purpose)}
        onChange={(event) => form.setPurpose(event.target.value)}
      />
      <ReceiptPages pages={pages} error={wordsOf(receipts)} />
    </>
  )
}
