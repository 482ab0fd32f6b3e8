/**
 * Adds money by a transfer to our bank account: an order gets a reference, which the member writes into the transfer.
 * - Nothing is credited before a person of ours has confirmed the transfer, and the panel says so.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { topupProblem } from '@roz/core/money-fields.ts'
import { paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import * as z from 'zod/mini'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { useMember } from '../../app/session.tsx'
import { settings } from '../../app/settings.ts'
import { withTicketKey } from '../../verify/ticket-key.ts'
import { Button } from '../../ui/Button.tsx'
import { NotLoaded } from '../../ui/Feedback.tsx'
import { AmountField } from '../../ui/Field.tsx'
import { formatDay } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { showRefusedFields, useRules, whenValid } from '../forms.ts'
import { Least } from '../Least.tsx'
import { registerAmount } from './money-inputs.ts'
import { typedPaise } from './amounts.ts'
import { moneyError } from './money-form-errors.ts'
import { amount } from './rules.ts'

type Told = Output<Api['bankTransfers']>
const transfersQuery = queryOptions({ queryKey: ['mine', 'bank-transfers'], queryFn: ({ signal }) => call('bankTransfers', { signal }) })

export function TransferPanel() {
  const { t } = useLingui()
  const told = useQuery(transfersQuery)
  return (
    <section className="panel" id="add-money" aria-labelledby="add-money-heading">
      <h2 id="add-money-heading">{t`Add money`}</h2>
      <p className="spaced">{t`You pay by a bank transfer. Choose an amount, and we give you a reference to write into the transfer.`}</p>
      <AmountForm onMade={() => void told.refetch()} />
      {told.isError || told.data === undefined ? (
        <NotLoaded query={told} failed={t`The bank details could not be loaded.`} lines={4} />
      ) : (
        <Waiting told={told.data} />
      )}
    </section>
  )
}

function AmountForm({ onMade }: { readonly onMade: () => void }) {
  const { t } = useLingui()
  const member = useMember()
  const { topupMinRupees, topupMaxRupees } = settings
  const rules = useMemo(() => {
    const limits = { min: paiseFromRupees(topupMinRupees) ?? ZERO, max: paiseFromRupees(topupMaxRupees) ?? ZERO }
    return z.object({ amount: amount((typed) => topupProblem(typed, limits)) })
  }, [topupMinRupees, topupMaxRupees])
  const form = useRules<{ amount: string }>(rules, { amount: '' })
  const { errors, isSubmitting } = form.formState
  const add = whenValid(form, moneyError, async (values) => {
    const body = { amount: rupeesFromPaise(typedPaise(values.amount) ?? ZERO) }
    try {
      await withTicketKey(member.id, (ticketKey) => call('askTransfer', { body: ticketKey === undefined ? body : { ...body, ticketKey } }))
    } catch (error) {
      showRefusedFields(form, error)
      return toast.error(messageOf(error, t`Failed to add money`))
    }
    // Left now, before it is empty: leaving it later would show an error line, and move the button that is pressed.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    form.reset({ amount: '' })
    onMade()
  })
  return (
    <form noValidate onSubmit={(event) => void add(event)}>
      <AmountField
        label={t`Amount`}
        hint={t`From ₹${topupMinRupees} to ₹${topupMaxRupees} per payment.`}
        error={moneyError(errors.amount?.message)}
        {...registerAmount(form, 'amount')}
      />
      <p className="small muted spaced">
        <Least topupMinRupees={topupMinRupees} modes={settings.modes} />
      </p>
      <Button type="submit" wide busy={isSubmitting}>{t`Get a reference`}</Button>
    </form>
  )
}

/** The orders that wait for their transfer, newest first. */
function Waiting({ told: { account, transfers } }: { readonly told: Told }) {
  const { t } = useLingui()
  const waiting = transfers.filter(({ status }) => status === 'PENDING')
  if (account === null) return null
  if (waiting.length === 0) return <p className="small muted spaced">{t`No transfer of yours is waiting.`}</p>
  return (
    <>
      <h3 className="spaced">{t`Pay to this account`}</h3>
      <Facts
        facts={[
          { name: t`Account holder`, value: account.holder, copied: t`Copy the account holder` },
          { name: t`Account number`, value: account.number, copied: t`Copy the account number` },
          { name: t`IFSC`, value: account.ifsc, copied: t`Copy the IFSC` },
          { name: t`Bank`, value: account.bank },
          ...(account.upi === null ? [] : [{ name: t`UPI ID`, value: account.upi, copied: t`Copy the UPI ID` }]),
        ]}
      />
      {waiting.map(({ order_id: id, reference, amount: rupees, expiresAt }) => {
        const sum = formatMoney(rupees)
        return (
          <section key={id} aria-label={t`Transfer of ${sum}`}>
            <Facts
              facts={[
                { name: t`Amount`, value: sum },
                { name: t`Reference: write it into the transfer`, value: reference, copied: t`Copy the reference` },
                { name: t`Pay by`, value: formatDay(expiresAt, currentLanguage()) },
              ]}
            />
          </section>
        )
      })}
      <p className="spaced">
        <Trans>
          The money is in your wallet when a person of our team has found the transfer at our bank: usually within two bank days. We tell
          you then.
        </Trans>
      </p>
      <p className="small muted">{t`Pay exactly this amount, once. Another amount, or a transfer without the reference, takes longer.`}</p>
    </>
  )
}

type Fact = {
  readonly name: string
  readonly value: string
  /** The name of its button to copy. */
  readonly copied?: string
}
function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts-list">
      {facts.map(({ name, value, copied }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="head-row">
            <span>{value}</span>
            {copied === undefined || !window.isSecureContext ? null : <Copy name={copied} value={value} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Copy({ name, value }: { readonly name: string; readonly value: string }) {
  const { t } = useLingui()
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value)
      toast.success(t`Copied`)
    } catch {
      toast.error(t`Your browser did not copy it. Please select it yourself.`)
    }
  }
  return <Button kind="quiet" aria-label={name} onClick={() => void copy()}>{t`Copy`}</Button>
}
