/**
 * The portal's refunds. An administrator approves one (it is sent to the original payment method) or rejects it.
 * - A decision carries the state that the row showed, so the server refuses it if the state has changed.
 */
import { useLingui } from '@lingui/react/macro'
import { TREASURY } from '@roz/contract/roles.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { settings } from '../../../app/settings.ts'
import { formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { BatchApproval, type Picked, usePicked } from './BatchApproval.tsx'
import { BeforeApproval } from './BeforeApproval.tsx'
import { Decision } from '../Decision.tsx'
import { MoneyRow, type MoneyRowProps, RowActions, useApprovals, useNarrowing } from './MoneyRows.tsx'
import { type AdminRefund, type RefundState, adminRefundsQuery, sorted } from '../queries.ts'
import { REFUND_FILTERS, REFUND_STATES, warningsOf } from '../states.ts'
import { useMay, useViewerId } from '../use-may.ts'

type Open = { readonly action: 'approve' | 'reject'; readonly refund: AdminRefund }

export function Refunds() {
  const { t } = useLingui()
  const { narrowing, fields } = useNarrowing(REFUND_FILTERS, t`Search refunds`, t`Name, email or order`, true)
  const list = useInfiniteQuery(adminRefundsQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const approvalAbove = list.data?.pages[0]?.approvalAbove ?? 0
  const mayDecide = useMay(TREASURY)
  const viewerId = useViewerId()
  const batch = usePicked<RefundState>()
  const mayApprove = ({ status, onHold, firstApproval }: AdminRefund): boolean =>
    mayDecide && !onHold && (status === 'requested' || (status === 'awaiting_second' && firstApproval?.id !== viewerId))
  const nameOf = (refund: AdminRefund): string => refund.member?.name ?? t`Payment in suspense`
  const pickable = (refund: AdminRefund): Picked<RefundState> | undefined =>
    mayApprove(refund)
      ? {
          id: refund.id,
          status: refund.status,
          seen: refund.seen,
          amount: refund.amount,
          who: nameOf(refund),
          warnings: warningsOf(refund),
        }
      : undefined
  return (
    <>
      <ListHead title={t`Refunds`} csv={{ of: 'adminRefundsCsv', name: 'refunds', filters: sorted(narrowing) }} />
      {fields}
      {/* Not inside the list: its answer is shown also when the last row has left the list. */}
      <BatchApproval
        title={t`Approve these refunds?`}
        batch={batch}
        all={(list.data?.pages ?? []).flatMap((page) => page.refunds.flatMap((one) => pickable(one) ?? []))}
        states={REFUND_STATES}
        approvalAbove={approvalAbove}
        send={(rows, idempotencyKey) => call('approveRefunds', { body: { rows }, idempotencyKey })}
      />
      <RowList list={list} itemsOf={(page) => page.refunds} failed={t`The refunds could not be loaded.`} empty={t`No refunds found`}>
        {(refund) => (
          <RefundRow
            key={refund.id}
            refund={refund}
            actions={
              mayDecide
                ? [
                    ...(mayApprove(refund) || isStuck(refund) ? (['approve'] as const) : []),
                    ...(isOpen(refund) ? (['reject'] as const) : []),
                  ]
                : []
            }
            pick={batch.pickOf(pickable(refund), t`Select ${formatMoney(refund.amount)}, ${nameOf(refund)}`)}
            onChoose={(action) => setOpen({ action, refund })}
          />
        )}
      </RowList>
      {open === undefined ? null : (
        <Deciding key={`${open.action} ${open.refund.id}`} {...open} approvalAbove={approvalAbove} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

const isOpen = ({ status }: AdminRefund): boolean => status === 'requested' || status === 'awaiting_second' || status === 'approved'
/** Approved, and not on its way: it can be sent again. */
const isStuck = ({ status, onHold }: AdminRefund): boolean => status === 'approved' && !onHold

type RowProps = {
  readonly refund: AdminRefund
  readonly actions: readonly Open['action'][]
  readonly pick: MoneyRowProps['pick']
  readonly onChoose: (action: Open['action']) => void
}

function RefundRow({ refund, actions, pick, onChoose }: RowProps) {
  const { t } = useLingui()
  const { amount, status, order_id: order, reason, decision, reference, approvedAt, owed } = refund
  const debt = formatMoney(owed)
  const who = refund.member?.name ?? t`Payment in suspense`
  const labels = { approve: status === 'approved' ? t`Send again` : t`Approve`, reject: t`Reject` }
  const approvals = useApprovals(refund)
  return (
    <MoneyRow
      amount={amount}
      who={who}
      member={refund.member}
      at={refund.createdAt}
      state={REFUND_STATES[status]}
      waitingHours={refund.waitingHours}
      pick={pick}
      facts={[
        t`Order ${order}`,
        t`Reason: ${reason}`,
        refund.member?.email ?? null,
        approvals,
        decision === null ? null : t`Decision: ${decision}`,
        reference === null ? null : t`Bank reference: ${reference}`,
        status === 'rejected' && approvedAt !== null
          ? t`It was approved on ${formatInstant(approvedAt, currentLanguage())}; the approval was undone later.`
          : null,
        owed === 0 ? null : t`The member owes: ${debt}`,
      ]}
      warnings={warningsOf(refund, settings.modes.byTransfer)}
    >
      <RowActions actions={actions} labels={labels} main={['approve']} about={`${formatMoney(amount)}, ${who}`} onChoose={onChoose} />
    </MoneyRow>
  )
}

function Deciding({ action, refund, approvalAbove, onClose }: Open & { readonly approvalAbove: number; readonly onClose: () => void }) {
  const { t } = useLingui()
  const params = { id: refund.id }
  const { status, seen } = refund
  const summary = (
    <>
      <p className="lead spaced">
        <b>{formatMoney(refund.amount)}</b>, {refund.member?.name ?? t`Payment in suspense`}
      </p>
      <p className="muted">{refund.order_id}</p>
    </>
  )
  return action === 'approve' ? (
    <Decision
      title={status === 'approved' ? t`Send it once more?` : t`Approve this refund?`}
      confirm={status === 'approved' ? t`Send again` : t`Approve`}
      send={(_, idempotencyKey) => call('approveRefund', { params, body: { status, seen }, idempotencyKey })}
      onDone={(answer) =>
        toast.success(
          answer.refund.status === 'awaiting_second'
            ? t`Your approval is recorded. Another person must approve too.`
            : t`The refund is approved and goes to the gateway.`,
        )
      }
      onClose={onClose}
    >
      {summary}
      <BeforeApproval subject={refund} approvalAbove={approvalAbove} />
    </Decision>
  ) : (
    <Decision
      title={status === 'approved' ? t`Undo the approval and reject?` : t`Reject this refund?`}
      confirm={t`Reject`}
      danger
      reason={t`The member sees it.`}
      send={(reason, idempotencyKey) => call('rejectRefund', { params, body: { status, seen, reason }, idempotencyKey })}
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
