/**
 * The portal's refunds. An administrator approves one (it is sent to the original payment method) or rejects it.
 * - A decision carries the state that the row showed, so the server refuses it if the state has changed.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { decisionReason } from '@roz/core/money-fields.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/Feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { Listing } from '../Listing.tsx'
import { Decision } from './Decision.tsx'
import { MoneyRow, useNarrowing } from './MoneyRows.tsx'
import { type Refund, refundsQuery } from './queries.ts'
import { MEMBER_FLAGS, obstaclesOf, REFUND_STATES } from './states.ts'

type Open = { readonly deed: 'approve' | 'reject'; readonly refund: Refund }

export function Refunds() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(REFUND_STATES, t`Search refunds`, t`Name, email, order, ID or reference`)
  const list = useInfiniteQuery(refundsQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  return (
    <>
      <h2 className="spaced">
        <Trans>Refunds</Trans>
      </h2>
      {fields}
      <Listing
        list={list}
        itemsOf={(page) => page.refunds}
        failed={t`The refunds could not be loaded.`}
        empty={<EmptyState art="slip" title={t`No refunds found`} />}
      >
        {(refunds) => (
          <ul className="story-rows">
            {refunds.map((refund) => (
              <RefundRow key={refund.id} refund={refund} onChoose={(deed) => setOpen({ deed, refund })} />
            ))}
          </ul>
        )}
      </Listing>
      {open === undefined ? null : <Deciding key={`${open.deed} ${open.refund.id}`} {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function RefundRow({ refund, onChoose }: { readonly refund: Refund; readonly onChoose: (deed: Open['deed']) => void }) {
  const { t } = useLingui()
  const { amount, status, order_id: order, reason, decision, reference, approvedAt, onHold, memberFlags, owed } = refund
  const debt = formatMoney(owed)
  const who = refund.member?.name ?? t`Payment in suspense`
  const labels = { approve: status === 'approved' ? t`Send again` : t`Approve`, reject: t`Reject` }
  const isOpen = status === 'requested' || status === 'approved'
  return (
    <MoneyRow
      amount={amount}
      who={who}
      at={refund.createdAt}
      state={REFUND_STATES[status]}
      facts={[
        t`Order ${order}`,
        t`Reason: ${reason}`,
        refund.member?.email ?? null,
        decision === null ? null : t`Decision: ${decision}`,
        reference === null ? null : t`Bank reference: ${reference}`,
        status === 'rejected' && approvedAt !== null
          ? t`It was approved on ${formatInstant(approvedAt, currentLanguage())}; that was undone.`
          : null,
        owed === 0 ? null : t`The member owes: ${debt}`,
      ]}
      warnings={[...memberFlags.map((flag) => MEMBER_FLAGS[flag] ?? flag), ...obstaclesOf(refund)]}
    >
      {isOpen ? (
        <>
          {onHold ? null : (
            <Button kind="secondary" aria-label={`${labels.approve}: ${formatMoney(amount)}, ${who}`} onClick={() => onChoose('approve')}>
              {labels.approve}
            </Button>
          )}
          <Button kind="quiet" aria-label={`${labels.reject}: ${formatMoney(amount)}, ${who}`} onClick={() => onChoose('reject')}>
            {labels.reject}
          </Button>
        </>
      ) : null}
    </MoneyRow>
  )
}

function Deciding({ deed, refund, onClose }: Open & { readonly onClose: () => void }) {
  const { t } = useLingui()
  const params = { id: refund.id }
  const { status } = refund
  const summary = (
    <>
      <p className="lead spaced">
        <b>{formatMoney(refund.amount)}</b>, {refund.member?.name ?? t`Payment in suspense`}
      </p>
      <p className="muted">{refund.order_id}</p>
    </>
  )
  return deed === 'approve' ? (
    <Decision
      title={t`Approve this refund?`}
      confirm={t`Approve`}
      send={(_, idempotencyKey) => call('approveRefund', { params, body: { status }, idempotencyKey })}
      onDone={() => toast.success(t`The refund is approved and goes to the gateway.`)}
      onClose={onClose}
    >
      {summary}
    </Decision>
  ) : (
    <Decision
      title={status === 'approved' ? t`Undo the approval and reject?` : t`Reject this refund?`}
      confirm={t`Reject`}
      danger
      question={{ label: t`Reason`, hint: t`The member sees it.`, rule: decisionReason, long: true }}
      send={(reason, idempotencyKey) => call('rejectRefund', { params, body: { status, reason }, idempotencyKey })}
      onDone={() =>
        toast.success(
          status === 'approved'
            ? t`The approval is undone and the refund rejected; the money that was set aside is free again.`
            : t`The refund is rejected; the money that was set aside is free again.`,
        )
      }
      onClose={onClose}
    >
      {summary}
    </Decision>
  )
}
