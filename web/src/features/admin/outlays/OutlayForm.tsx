/**
 * The fields that every payment by decision has: amount, public words and bills.
 * - If this form books the payment at once, the user must tick a box. Editing any field clears the tick.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { TREASURY } from '@roz/contract/roles.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { shownAmount } from '@roz/core/typed-money.ts'
import { useId, useState } from 'react'
import { AmountField } from '../../../ui/Field.tsx'
import { typedPaise } from '../../wallet/amounts.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { useMay } from '../use-may.ts'
import { portalError } from '../portal-form-errors.ts'
import { type Problems, useProblems } from '../problems.ts'
import { BillPages, useBillPages } from './BillPages.tsx'
import { PurposeFields, usePurposes } from './PurposeFields.tsx'

type OutlayForm = ReturnType<typeof useOutlayForm>

type Asked = {
  /** Up to this amount the confirmation of a person of the treasury books it. */
  readonly approvalAbove: number
  /** The caller's own choice: of a beneficiary, of a kind. */
  readonly about?: string
  /** The first values of the fields. */
  readonly amount?: string
  /** In the portal's language. */
  readonly purpose?: string
  /** Finds the problems of the caller's own fields. */
  readonly more?: () => Problems
}

export function useOutlayForm({
  approvalAbove,
  about = '',
  amount: firstAmount = '',
  purpose: firstPurpose = '',
  more = () => ({}),
}: Asked) {
  const { t } = useLingui()
  const mayBook = useMay(TREASURY)
  const [amount, setAmount] = useState(() => shownAmount(firstAmount))
  const purposes = usePurposes(firstPurpose)
  const { problems, judge, refused } = useProblems()
  const pages = useBillPages()
  const paise = typedPaise(amount)
  const body = { amount: paise === undefined ? 0 : rupeesFromPaise(paise), ...purposes.body, receipts: pages.hashes }
  const [sureOf, setSureOf] = useState('')
  const asked = JSON.stringify([about, body])
  const isSure = sureOf === asked
  const booksNow = mayBook && body.amount <= approvalAbove

  return {
    approvalAbove,
    booksNow,
    isSure,
    setSure: (sure: boolean): void => setSureOf(sure ? asked : ''),
    /** The label of the button, by what it does. */
    confirm: booksNow ? t`Record it now` : t`Request approval`,
    amount,
    setAmount,
    purposes,
    pages,
    problems,
    body,
    check: (): boolean =>
      judge({
        amount: paise === undefined ? 'amount_invalid' : undefined,
        ...purposes.problems(),
        receipts: pages.hashes.length === 0 ? 'receipts_needed' : undefined,
        sure: booksNow && !isSure ? t`Please tick this first` : undefined,
        ...more(),
      }),
    refused,
  }
}

type RupeesProps = {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly error: string | undefined
  readonly onType: (text: string) => void
}
/** An amount that is shown as it was read when the field is left. */
export const Rupees = ({ label, hint, value, error, onType }: RupeesProps) => (
  <AmountField
    label={label}
    hint={hint}
    value={value}
    error={error}
    onChange={(event) => onType(event.target.value)}
    onBlur={() => onType(shownAmount(value))}
  />
)

type FieldsProps = { readonly form: OutlayForm; readonly purposeLabel: string; readonly purposeHint: string }

export function OutlayFields({ form, purposeLabel, purposeHint }: FieldsProps) {
  const { t } = useLingui()
  const { pages, problems } = form
  // The words that ask for a page go with the first one.
  const receipts = problems.receipts === 'receipts_needed' && pages.hashes.length > 0 ? undefined : problems.receipts
  return (
    <>
      <Rupees label={t`Amount in rupees`} value={form.amount} error={portalError(problems.amount)} onType={form.setAmount} />
      <PurposeFields purposes={form.purposes} problems={problems} label={purposeLabel} hint={purposeHint} />
      <BillPages pages={pages} error={portalError(receipts)} />
    </>
  )
}

/** The effect of the button; if it books at once, with the tick that confirms it. */
export function OutlayConsequence({ form }: { readonly form: OutlayForm }) {
  const { t } = useLingui()
  const { approvalAbove, booksNow, isSure, problems } = form
  const limit = formatMoney(approvalAbove)
  const errorId = useId()
  if (!booksNow)
    return (
      <p className="muted spaced">
        <Trans>
          Another person must approve this payment. Then it enters the accounts, its bills become public, and this cannot be undone. Up to{' '}
          {limit} finance and owners need no second person.
        </Trans>
      </p>
    )
  const isMissing = problems.sure !== undefined && !isSure
  return (
    <>
      <p className="muted spaced">
        <Trans>
          The payment enters today's accounts, its bills become public, and this cannot be undone. To correct a mistake, you add another
          entry. Above {limit} another person must approve the payment.
        </Trans>
      </p>
      <label className="pick">
        <input
          type="checkbox"
          checked={isSure}
          aria-invalid={isMissing ? true : undefined}
          aria-describedby={isMissing ? errorId : undefined}
          onChange={(event) => form.setSure(event.target.checked)}
        />
        {t`I have compared the amount, the words and the bills.`}
      </label>
      {isMissing ? (
        <p className="field-error" id={errorId}>
          {problems.sure}
        </p>
      ) : null}
    </>
  )
}
