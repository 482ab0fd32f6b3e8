/**
 * Adds money: creates an order at our server, then opens the gateway's hosted checkout in this tab.
 * - Only the server decides what is credited.
 */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { readPhone } from '@roz/core/typed.ts'
import { useMemo } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { useMember } from '../../app/session.tsx'
import { settings } from '../../app/settings.ts'
import { withTicketKey } from '../../verify/ticket-key.ts'
import { Button } from '../../ui/Button.tsx'
import { AmountField, PhoneField } from '../../ui/Field.tsx'
import { Spinner } from '../../ui/Feedback.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { formatCount } from '@roz/core/numbers.ts'
import { toast } from '../../ui/Toast.tsx'
import { registerTyped, showRefusedFields, useRules, whenValid } from '../forms.ts'
import { Least } from '../Least.tsx'
import { refreshMine } from '../queries.ts'
import { PHONE } from '../typing.ts'
import { registerAmount } from './money-inputs.ts'
import { topupPresets, typedPaise } from './amounts.ts'
import { addMoneyRules, type AddMoneyValues } from './rules.ts'
import type { GatewayState } from './use-gateway.ts'
import { moneyError } from './money-form-errors.ts'
import { shownAgain } from './shown-again.ts'

export function AddMoneyPanel({ gateway }: { readonly gateway: GatewayState }) {
  const { t } = useLingui()
  const member = useMember()
  const { topupMinRupees, topupMaxRupees } = settings
  const rules = useMemo(
    () => addMoneyRules({ min: paiseFromRupees(topupMinRupees) ?? ZERO, max: paiseFromRupees(topupMaxRupees) ?? ZERO }),
    [topupMinRupees, topupMaxRupees],
  )
  const form = useRules<AddMoneyValues>(rules, { amount: '', phoneNumber: member.phone ?? '' })
  const { errors, isSubmitting } = form.formState
  const [amount, phone] = form.watch(['amount', 'phoneNumber'])
  const paise = typedPaise(amount)

  const add = whenValid(form, moneyError, async (values) => {
    if (gateway.is !== 'ready') return toast.error(t`Payment system not initialized.`)
    const body = { amount: rupeesFromPaise(typedPaise(values.amount) ?? ZERO), phoneNumber: values.phoneNumber }
    let session: string
    try {
      const order = await withTicketKey(member.id, (ticketKey) =>
        call('addMoney', { body: ticketKey === undefined ? body : { ...body, ticketKey } }),
      )
      session = order.payment_session_id
    } catch (error) {
      showRefusedFields(form, error)
      return toast.error(messageOf(error, t`Failed to add money`))
    }
    try {
      const checkout = gateway.gateway.checkout({ paymentSessionId: session, redirectTarget: '_self' })
      const result = await Promise.race([checkout, shownAgain()])
      if (result?.error === undefined) return
    } catch (error) {
      console.warn('The checkout did not open:', error)
    }
    toast.error(t`Payment failed. Please try again.`)
    await refreshMine()
  })

  return (
    <form className="panel" id="add-money" noValidate onSubmit={(event) => void add(event)} aria-labelledby="add-money-heading">
      <h2 id="add-money-heading">{t`Add money`}</h2>
      <div className="presets" role="group" aria-label={t`Presets`}>
        {topupPresets(topupMinRupees, topupMaxRupees).map((rupees) => (
          <button
            key={rupees}
            type="button"
            aria-pressed={paise === BigInt(rupees) * 100n}
            onClick={() => form.setValue('amount', String(rupees), { shouldDirty: true, shouldTouch: true, shouldValidate: true })}
          >
            <b>₹{formatCount(rupees)}</b>
            <small>
              <Plural value={rupees} one="# day" other="# days" />
            </small>
          </button>
        ))}
      </div>
      <div className="after-presets">
        <AmountField
          label={t`Amount`}
          hint={t`From ₹${topupMinRupees} to ₹${topupMaxRupees} per payment.`}
          error={moneyError(errors.amount?.message)}
          {...registerAmount(form, 'amount')}
        />
      </div>
      <PhoneField label={t`Phone number`} error={moneyError(errors.phoneNumber?.message)} {...registerTyped(form, 'phoneNumber', PHONE)} />
      <p className="small muted spaced">
        <Least topupMinRupees={topupMinRupees} modes={settings.modes} />
      </p>
      <Button type="submit" wide busy={isSubmitting} disabled={errors.phoneNumber !== undefined || readPhone(phone) === undefined}>
        {paise === undefined ? <Trans>Go to payment</Trans> : <Trans>Add {formatMoney(rupeesFromPaise(paise))}</Trans>}
      </Button>
      {gateway.is === 'initialising' ? (
        <div className="initialising">
          <Spinner />
          <p className="small muted">{t`Getting the payment page ready…`}</p>
        </div>
      ) : (
        <p className="small muted under-button">{t`You pay on our payment partner's page and come back here.`}</p>
      )}
    </form>
  )
}
