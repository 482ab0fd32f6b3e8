/** The form that begins AutoPay: what it does, the phone number, and the member's consent. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { phone } from '@roz/core/person-fields.ts'
import { readPhone } from '@roz/core/typed.ts'
import { useState } from 'react'
import * as z from 'zod/mini'
import { call, messageOf } from '../../app/api.ts'
import { useMember } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { PhoneField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { withTicketKey } from '../../verify/ticket-key.ts'
import { personError, registerTyped, showRefusedFields, useRules, whenValid } from '../forms.ts'
import { refreshMine } from '../queries.ts'
import { PHONE } from '../typing.ts'
import './autopay.css'
import { shownAgain } from '../wallet/shown-again.ts'
import type { GatewayState } from '../wallet/use-gateway.ts'

const rules = z.object({ phoneNumber: phone })
type Autopay = Output<Api['autopay']>['autopay']

export function AutopaySetup({ autopay, gateway }: { readonly autopay: Autopay; readonly gateway: GatewayState }) {
  const { t } = useLingui()
  const member = useMember()
  const form = useRules<z.infer<typeof rules>>(rules, { phoneNumber: member.phone ?? '' })
  const [consents, setConsents] = useState(false)
  const { errors, isSubmitting } = form.formState
  // Whole rupees: both are settings.
  const [amount, below] = [`₹${formatCount(autopay.amount)}`, `₹${formatCount(autopay.below)}`]

  const begin = whenValid(form, personError, async ({ phoneNumber }) => {
    if (gateway.is !== 'ready') return toast.error(t`Payment system not initialized.`)
    try {
      const { sessionId } = await withTicketKey(member.id, (ticketKey) =>
        call('setUpAutopay', { body: { phoneNumber, consent: true, ...(ticketKey === undefined ? {} : { ticketKey }) } }),
      )
      const checkout = gateway.gateway.subscriptionsCheckout({ subsSessionId: sessionId, redirectTarget: '_self' })
      const result = await Promise.race([checkout, shownAgain()])
      if (result?.error === undefined) return
      toast.error(t`AutoPay could not be set up. Please try again.`)
    } catch (error) {
      showRefusedFields(form, error)
      toast.error(messageOf(error, t`AutoPay could not be set up. Please try again.`))
    }
    await refreshMine()
  })

  return (
    <form className="panel" noValidate onSubmit={(event) => void begin(event)} aria-labelledby="autopay">
      <p className="spaced">
        <Trans>
          {amount} now, and again when your wallet falls below {below}, at most once in 27 days. Your bank tells you a day before. Stop any
          time here or in your UPI app.
        </Trans>
      </p>
      <p className="small muted spaced">{t`No fee is taken. Setting it up turns Auto Participate on.`}</p>
      <PhoneField label={t`Phone number`} error={personError(errors.phoneNumber?.message)} {...registerTyped(form, 'phoneNumber', PHONE)} />
      <label className="own-account">
        <input type="checkbox" checked={consents} onChange={(event) => setConsents(event.target.checked)} />
        {t`I am 18 or older and this bank account is mine`}
      </label>
      <Button
        type="submit"
        wide
        busy={isSubmitting}
        disabled={!consents || errors.phoneNumber !== undefined || readPhone(form.watch('phoneNumber')) === undefined}
      >
        <Trans>Set up</Trans>
      </Button>
    </form>
  )
}
