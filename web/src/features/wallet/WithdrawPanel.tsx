/** Requests a withdrawal: the amount is held at once and paid to the given bank account or UPI ID in 24 to 48 hours. It loads at the press. */
import { Trans, useLingui } from '@lingui/react/macro'
import { WITHDRAWAL_MIN } from '@roz/core/money-fields.ts'
import { paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { useMemo, useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { session } from '../../app/session.tsx'
import { settings } from '../../app/settings.ts'
import { Button } from '../../ui/Button.tsx'
import { AmountField } from '../../ui/Field.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { showRefusedFields, useRules, whenValid } from '../forms.ts'
import { refreshMine, refreshMoney } from '../queries.ts'
import { registerAmount } from './money-inputs.ts'
import { typedPaise } from './amounts.ts'
import { bankError } from './bank-form-errors.ts'
import { PlaceFields } from './BankFields.tsx'
import { InDoubt, tellEarlier } from '../InDoubt.tsx'
import { moneyKeys } from '../money-key.ts'
import { EMPTY_PLACE, type Place, placeOf, withdrawRules, type WithdrawValues } from './withdraw-rules.ts'

const EMPTY: WithdrawValues = { amount: '', ...EMPTY_PLACE }

export function WithdrawPanel({ balance }: { readonly balance: number }) {
  const { t } = useLingui()
  const leastRupees = rupeesFromPaise(WITHDRAWAL_MIN)
  const [place, setPlace] = useState<Place>('bank')
  const rules = useMemo(() => withdrawRules(paiseFromRupees(balance) ?? ZERO, place), [balance, place])
  const form = useRules<WithdrawValues>(rules, EMPTY)
  const { errors, isSubmitting } = form.formState
  const paise = typedPaise(form.watch('amount'))

  const withdraw = whenValid(form, bankError, async (values) => {
    const body = {
      amount: rupeesFromPaise(typedPaise(values.amount) ?? ZERO),
      ...placeOf(values, place, settings.modes.checksNames === true),
    }
    try {
      const { answer, isOfEarlierPress } = await moneyKeys.withdrawals(body, (idempotencyKey) => call('withdraw', { body, idempotencyKey }))
      const { withdrawal }: Partial<typeof answer> = answer
      const createdAt = withdrawal?.createdAt
      if (createdAt !== undefined && isOfEarlierPress(createdAt)) return tellEarlier(createdAt)
      session.setBalance(answer.balance)
    } catch (error) {
      showRefusedFields(form, error)
      refreshMoney()
      return toast.error(messageOf(error, t`Failed to withdraw money`))
    }
    form.reset(EMPTY)
    toast.success(t`Withdrawal request submitted!`)
    await refreshMine()
  })

  return (
    <form className="panel" noValidate onSubmit={(event) => void withdraw(event)} aria-labelledby="withdraw-heading">
      <h2 id="withdraw-heading">{t`Withdraw`}</h2>
      <AmountField
        label={t`Amount`}
        hint={
          balance < leastRupees
            ? t`To withdraw you need at least ₹${leastRupees} in your wallet.`
            : t`At least ₹${leastRupees}, at most ${formatMoney(balance)}.`
        }
        error={bankError(errors.amount?.message)}
        {...registerAmount(form, 'amount')}
      />
      <PlaceFields form={form} place={place} onPlace={setPlace} />
      {errors.root && <InDoubt />}
      <Button type="submit" wide busy={isSubmitting}>
        {paise === undefined ? <Trans>Request withdrawal</Trans> : <Trans>Withdraw {formatMoney(rupeesFromPaise(paise))}</Trans>}
      </Button>
      <p className="small muted under-button">{t`The amount is set aside at once and processed in 24 to 48 hours.`}</p>
    </form>
  )
}
