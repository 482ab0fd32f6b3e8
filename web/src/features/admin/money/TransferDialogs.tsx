/** The dialogs that confirm or reject a bank transfer. Nothing here can be undone, so each says what happens. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { bankNumber, transferReference } from '@roz/core/reference-fields.ts'
import { readAmount } from '@roz/core/typed-money.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { TextField } from '../../../ui/Field.tsx'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { Rupees } from '../outlays/OutlayForm.tsx'
import { portalError, typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'

export type Transfer = Output<Api['transfers']>['transfers'][number]
export type TransferLine = Output<Api['transferLines']>['lines'][number]

function useTold(): (answer: { readonly transfer: Transfer }) => void {
  const { t } = useLingui()
  return ({ transfer: { status, order, amount } }) =>
    toast.success(
      status === 'asked'
        ? t`Your entry is recorded. Another person must confirm it too.`
        : order?.amount === amount
          ? t`Confirmed. The money is in the member's wallet.`
          : t`Confirmed. The money is in suspense, for a decision.`,
    )
}

export function LineDialog({ line, onClose }: { readonly line: TransferLine; readonly onClose: () => void }) {
  const { t } = useLingui()
  const told = useTold()
  const { id, order, amount, isClosed, seen } = line
  return (
    <Decision
      title={<Trans>Confirm this transfer?</Trans>}
      confirm={order?.amount === amount ? t`Confirm` : t`Put it in suspense`}
      send={() => call('confirmTransferLine', { params: { id }, body: { reference: order?.reference ?? null, seen } })}
      onDone={told}
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatMoney(amount)}</b>
      </p>
      <OrderOf order={order} amount={amount} />
      {order === null ? (
        <p className="muted">{t`The line has no known reference. The money waits in suspense until a person finds its member.`}</p>
      ) : null}
      {isClosed ? <ClosedLine /> : null}
      <Irrevocable />
    </Decision>
  )
}

export const ClosedLine = () => (
  <p className="small warning-line">
    <Trans>This line was closed with a reason. Read the reason first: Reconciliation, Past findings.</Trans>
  </p>
)

type Values = { readonly reference: string; readonly bankNumber: string; readonly day: string; readonly amount: string }

/** Where there is no statement: what the bank's own page or message says. */
export function TypedDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const told = useTold()
  const [values, setValues] = useState<Values>({ reference: '', bankNumber: '', day: '', amount: '' })
  const { problems, judge } = useProblems()
  const amount = readAmount(values.amount)
  const set = (changed: Partial<Values>): void => setValues({ ...values, ...changed })
  const check = (): boolean =>
    judge({
      reference: problemOf(transferReference, values.reference),
      bankNumber: problemOf(bankNumber, values.bankNumber),
      day: values.day === '' ? t`Please choose the day` : undefined,
      amount: amount === undefined || amount <= 0n ? 'amount_invalid' : undefined,
    })
  return (
    <Decision
      title={<Trans>Confirm a transfer by the bank's number</Trans>}
      confirm={t`Confirm`}
      check={check}
      send={() =>
        call('confirmTransfer', {
          body: {
            reference: values.reference.trim(),
            bankReference: values.bankNumber.trim(),
            day: values.day,
            amount: rupeesFromPaise(amount ?? ZERO),
          },
        })
      }
      onDone={told}
      onClose={onClose}
    >
      <TextField
        label={t`Reference of the order`}
        autoComplete="off"
        maxLength={20}
        {...typed(values.reference, problems.reference, (reference) => set({ reference }))}
      />
      <TextField
        label={t`The bank's number (UTR)`}
        hint={t`The statement is matched by it later. Each number counts once.`}
        autoComplete="off"
        maxLength={50}
        {...typed(values.bankNumber, problems.bankNumber, (bankNumber) => set({ bankNumber }))}
      />
      <TextField label={t`Day of the transfer`} type="date" {...typed(values.day, problems.day, (day) => set({ day }))} />
      <Rupees
        label={t`Amount that came in`}
        value={values.amount}
        error={portalError(problems.amount)}
        onType={(amount) => set({ amount })}
      />
      <Irrevocable />
    </Decision>
  )
}

type DecideProps = { readonly act: 'approve' | 'reject'; readonly transfer: Transfer; readonly onClose: () => void }

export function DecideTransfer({ act, transfer, onClose }: DecideProps) {
  const { t } = useLingui()
  const told = useTold()
  const params = { id: transfer.id }
  const isReject = act === 'reject'
  return (
    <Decision
      title={isReject ? t`Reject this transfer?` : t`Confirm this transfer?`}
      confirm={isReject ? t`Reject` : t`Confirm`}
      danger={isReject}
      reason={isReject || undefined}
      send={(reason) => (isReject ? call('rejectTransfer', { params, body: { reason } }) : call('approveTransfer', { params }))}
      onDone={(answer) => (isReject ? toast.success(t`Rejected. Nothing was credited.`) : told(answer))}
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatMoney(transfer.amount)}</b>
      </p>
      <OrderOf order={transfer.order} amount={transfer.amount} />
      {isReject ? null : <Irrevocable />}
    </Decision>
  )
}

/** The order of a transfer: its member, and a warning if the amounts differ. */
export function OrderOf({ order, amount }: { readonly order: Transfer['order']; readonly amount: number }) {
  const { t } = useLingui()
  if (order === null) return <p className="small muted">{t`No known reference`}</p>
  const { reference, member } = order
  const { name } = member
  const sum = formatMoney(order.amount)
  return (
    <>
      <p className="small muted">{t`Reference ${reference} of ${name}`}</p>
      {order.amount === amount ? null : <p className="warning-line">{t`The order is for ${sum}: this amount goes to suspense.`}</p>}
    </>
  )
}

function Irrevocable() {
  return (
    <p className="muted spaced">
      <Trans>Compare reference and amount with the bank. The credit cannot be undone.</Trans>
    </p>
  )
}
