/**
 * Payments in the suspense account. An administrator credits one to a member, refunds it, or marks it as paid by hand.
 * - Money is paid by hand only to the owner of a closed account.
 * - Each item is decided once. A decision carries the state and the facts that the row showed.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { bankReference } from '@roz/core/reference-fields.ts'
import { TREASURY } from '@roz/contract/roles.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatForeign, formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { Decision } from '../Decision.tsx'
import { MemberPicker } from '../members/MemberPicker.tsx'
import { MoneyRow, useNarrowing } from './MoneyRows.tsx'
import { useMay } from '../use-may.ts'
import { type Payee, type SuspenseItem, suspenseQuery, sorted } from '../queries.ts'
import { MEMBER_FLAGS, ON_HOLD, SUSPENSE_FILTERS, SUSPENSE_REASONS, SUSPENSE_SOURCES, SUSPENSE_STATES } from '../states.ts'

type Action = 'pay' | 'credit' | 'refund'
type Open = { readonly action: Action; readonly item: SuspenseItem }
/**
 * The decisions that an open item allows.
 * - Only money of a closed account may be paid by hand.
 * - A returned payout and a bank transfer have no payment to refund.
 * - A payment that is not in rupees may only be refunded.
 * - Nothing is refunded while the member is on hold.
 * - Other roles only read.
 */
const actionsOf = ({ status, reason, source, currency, onHold }: SuspenseItem, mayDecide: boolean): readonly Action[] => {
  if ((status !== 'open' && status !== 'awaiting_second') || !mayDecide) return []
  if (currency !== 'INR') return onHold ? [] : ['refund']
  if (source === 'transfer') return reason === 'closed_account' ? ['pay', 'credit'] : ['credit']
  if (reason !== 'closed_account') return onHold ? ['credit'] : ['credit', 'refund']
  return source === 'payout' ? ['pay', 'credit'] : ['refund', 'pay', 'credit']
}
const DIALOGS = { pay: Paying, credit: Crediting, refund: SendingBack } as const

export function Suspense() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(SUSPENSE_FILTERS, t`Search payments`, t`Order or payment ID`, true)
  const list = useInfiniteQuery(suspenseQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  return (
    <>
      <ListHead title={t`Payments in suspense`} csv={{ of: 'suspenseCsv', name: 'suspense', filters: sorted(narrowing) }} />
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.suspense}
        failed={t`The payments could not be loaded.`}
        empty={t`No payments found`}
        hint={t`Payments that match no order of ours wait here for a decision.`}
      >
        {(item) => <ItemRow key={item.id} item={item} onChoose={(action) => setOpen({ action, item })} />}
      </RowList>
      {open === undefined ? null : (
        <Deciding
          key={`${open.action} ${open.item.id}`}
          {...open}
          approvalAbove={list.data?.pages[0]?.approvalAbove ?? 0}
          onClose={close}
        />
      )}
    </>
  )
}

function Deciding({ action, ...rest }: Pick<Open, 'action'> & DecidingProps) {
  const Dialog = DIALOGS[action]
  return <Dialog {...rest} />
}

function ItemRow({ item, onChoose }: { readonly item: SuspenseItem; readonly onChoose: (action: Action) => void }) {
  const { t, i18n } = useLingui()
  const mayDecide = useMay(TREASURY)
  const { order_id: order, paymentId, amount, currency, source, status, bank, reference, memberFlags, owed } = item
  const debt = formatMoney(owed)
  const name = item.member?.name
  const first = item.first ?? null
  const firstName = first?.by.name
  const firstPayee = first?.payee?.name
  // The row has the flags of its own member already.
  const payeeFlags = first?.payee?.id === item.member?.id ? [] : (first?.payee?.memberFlags ?? [])
  const firstReference = first?.reference
  const bankName = bank?.name
  const lastFour = bank?.lastFour
  const labels = {
    pay: [t`Paid by hand`, t`Paid by hand: payment ${paymentId}`],
    credit: [t`Credit to a member`, t`Credit to a member: payment ${paymentId}`],
    refund: [t`Send back`, t`Send back: payment ${paymentId}`],
  } as const satisfies Record<Action, readonly [string, string]>
  return (
    <MoneyRow
      amount={amount}
      currency={currency}
      who={name ?? t`payer unknown`}
      member={item.member}
      at={item.createdAt}
      waitingHours={item.waitingHours}
      isPromised={false}
      state={SUSPENSE_STATES[item.status]}
      facts={[
        ...(source === 'payment' ? [] : [i18n._(SUSPENSE_SOURCES[source])]),
        source === 'payout' ? null : t`Order ${order}`,
        t`Payment ${paymentId}`,
        bank === null ? null : bank.upi === null ? t`${bankName}, account ending in ${lastFour}` : t`UPI ID ${lastFour}`,
        reference === null ? null : status === 'taken' ? t`Taken by dispute ${reference}` : t`Bank reference: ${reference}`,
        owed === 0 ? null : t`The member owes: ${debt}`,
        first === null
          ? null
          : first.payee === null
            ? t`${firstName} says that it was paid with the bank reference ${firstReference}. Another person enters the same.`
            : t`${firstName} wants to credit it to ${firstPayee}. Another person chooses the same member.`,
      ]}
      warnings={
        status === 'open' || status === 'awaiting_second'
          ? [
              SUSPENSE_REASONS[item.reason],
              ...memberFlags.map((flag) => MEMBER_FLAGS[flag] ?? flag),
              ...(item.onHold ? [ON_HOLD] : []),
              ...payeeFlags.map((flag) => {
                const known = MEMBER_FLAGS[flag]
                return `${firstPayee}: ${known === undefined ? flag : i18n._(known)}`
              }),
            ]
          : []
      }
    >
      {actionsOf(item, mayDecide).map((action, index) => (
        <Button key={action} kind={index === 0 ? 'secondary' : 'quiet'} aria-label={labels[action][1]} onClick={() => onChoose(action)}>
          {labels[action][0]}
        </Button>
      ))}
    </MoneyRow>
  )
}

type DecidingProps = { readonly item: SuspenseItem; readonly approvalAbove: number; readonly onClose: () => void }

function Crediting({ item, onClose }: DecidingProps) {
  const { t } = useLingui()
  const { id, status, seen } = item
  // A closed account cannot be credited.
  const owner = item.first?.payee ?? (item.reason === 'closed_account' ? undefined : (item.member ?? undefined))
  const [payee, setPayee] = useState<Payee | undefined>(owner)
  const name = payee?.name
  return (
    <Decision
      title={t`Credit this payment to a member?`}
      confirm={name === undefined ? t`Choose a member first` : t`Credit to ${name}`}
      unready={payee === undefined}
      send={(_, idempotencyKey) =>
        call('creditSuspense', { params: { id }, body: { status, seen, memberId: payee?.id ?? '' }, idempotencyKey })
      }
      onDone={(answer) =>
        toast.success(
          answer.item.status === 'awaiting_second'
            ? t`Your decision is recorded. Another person must choose the same member.`
            : t`The payment is in the member's wallet.`,
        )
      }
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatMoney(item.amount)}</b>
      </p>
      <p className="muted">{t`To another member than the one of its order, a second person must choose the same member.`}</p>
      <MemberPicker chosen={payee} onChoose={setPayee} />
    </Decision>
  )
}

function SendingBack({ item, approvalAbove, onClose }: DecidingProps) {
  const { t } = useLingui()
  const { id, status, seen } = item
  return (
    <Decision
      title={t`Send this payment back?`}
      confirm={t`Send back`}
      danger
      send={(_, idempotencyKey) => call('refundSuspense', { params: { id }, body: { status, seen }, idempotencyKey })}
      onDone={() =>
        toast.success(
          item.amount > approvalAbove
            ? t`Your approval is recorded. Another person must approve the refund in Refunds.`
            : t`The payment goes back to the original payment method.`,
        )
      }
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatForeign(item.amount, item.currency)}</b>
      </p>
      <p className="muted">{item.order_id}</p>
    </Decision>
  )
}

function Paying({ item, onClose }: DecidingProps) {
  const { t } = useLingui()
  const { id, status, seen } = item
  return (
    <Decision
      title={t`Was this money paid by hand?`}
      confirm={t`Mark as paid`}
      question={{ label: t`Bank reference`, hint: t`The number the bank gave this payment.`, rule: bankReference }}
      send={(reference, idempotencyKey) =>
        call('paySuspense', { params: { id }, body: { status, seen, bankReference: reference }, idempotencyKey })
      }
      onDone={(answer) =>
        toast.success(
          answer.item.status === 'awaiting_second'
            ? t`Your entry is recorded. Another person must enter the same bank reference.`
            : t`The money is marked as paid to its owner.`,
        )
      }
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatMoney(item.amount)}</b>
      </p>
      <p className="muted">
        <Trans>
          The account is closed and its bank details are erased. Once somebody has shown that the money is theirs, pay them, then note the
          bank's reference here.
        </Trans>
      </p>
    </Decision>
  )
}
