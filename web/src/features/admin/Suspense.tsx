/** Payments without a place to go: given to a member, or sent back to where they came from. Each is decided once. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/Feedback.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { Listing } from '../Listing.tsx'
import { Decision } from './Decision.tsx'
import { MemberPicker } from './MemberPicker.tsx'
import { MoneyRow, useNarrowing } from './MoneyRows.tsx'
import { type Payee, type SuspenseItem, suspenseQuery } from './queries.ts'
import { SUSPENSE_REASONS, SUSPENSE_STATES } from './states.ts'

type Open = { readonly deed: 'credit' | 'refund'; readonly item: SuspenseItem }

export function Suspense() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(SUSPENSE_STATES, t`Search payments`, t`Order or payment ID`)
  const list = useInfiniteQuery(suspenseQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  return (
    <>
      <h2 className="spaced">
        <Trans>Payments in suspense</Trans>
      </h2>
      {fields}
      <Listing
        list={list}
        itemsOf={(page) => page.suspense}
        failed={t`The payments could not be loaded.`}
        empty={
          <EmptyState art="slip" title={t`No payments found`}>
            <Trans>A payment that fits no order of ours waits here for a decision.</Trans>
          </EmptyState>
        }
      >
        {(items) => (
          <ul className="story-rows">
            {items.map((item) => (
              <ItemRow key={item.id} item={item} onChoose={(deed) => setOpen({ deed, item })} />
            ))}
          </ul>
        )}
      </Listing>
      {open === undefined ? null : open.deed === 'credit' ? (
        <Crediting key={open.item.id} item={open.item} onClose={close} />
      ) : (
        <SendingBack key={open.item.id} item={open.item} onClose={close} />
      )}
    </>
  )
}

function ItemRow({ item, onChoose }: { readonly item: SuspenseItem; readonly onChoose: (deed: Open['deed']) => void }) {
  const { t } = useLingui()
  const { order_id: order, paymentId, amount } = item
  const name = item.member?.name
  return (
    <MoneyRow
      amount={amount}
      who={name ?? t`nobody known`}
      at={item.createdAt}
      state={SUSPENSE_STATES[item.status]}
      facts={[t`Order ${order}`, t`Payment ${paymentId}`]}
      warnings={item.status === 'open' ? [SUSPENSE_REASONS[item.reason]] : []}
    >
      {item.status === 'open' ? (
        <>
          <Button kind="secondary" aria-label={t`Give to a member: payment ${paymentId}`} onClick={() => onChoose('credit')}>
            <Trans>Give to a member</Trans>
          </Button>
          <Button kind="quiet" aria-label={t`Send back: payment ${paymentId}`} onClick={() => onChoose('refund')}>
            <Trans>Send back</Trans>
          </Button>
        </>
      ) : null}
    </MoneyRow>
  )
}

type DecidingProps = { readonly item: SuspenseItem; readonly onClose: () => void }

function Crediting({ item, onClose }: DecidingProps) {
  const { t } = useLingui()
  const [payee, setPayee] = useState<Payee | undefined>(item.member ?? undefined)
  const name = payee?.name
  return (
    <Decision
      title={t`Give this payment to a member?`}
      confirm={name === undefined ? t`Choose a member first` : t`Give to ${name}`}
      unready={payee === undefined}
      send={(_, idempotencyKey) => call('creditSuspense', { params: { id: item.id }, body: { memberId: payee?.id ?? '' }, idempotencyKey })}
      onDone={() => toast.success(t`The payment is in the member's wallet.`)}
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatMoney(item.amount)}</b>
      </p>
      <MemberPicker chosen={payee} onChoose={setPayee} />
    </Decision>
  )
}

function SendingBack({ item, onClose }: DecidingProps) {
  const { t } = useLingui()
  return (
    <Decision
      title={t`Send this payment back?`}
      confirm={t`Send back`}
      danger
      send={(_, idempotencyKey) => call('refundSuspense', { params: { id: item.id }, idempotencyKey })}
      onDone={() => toast.success(t`The payment goes back to where it came from.`)}
      onClose={onClose}
    >
      <p className="lead spaced">
        <b>{formatMoney(item.amount)}</b>
      </p>
      <p className="muted">{item.order_id}</p>
    </Decision>
  )
}
