/** Approves or rejects a requested payment, and says who did. A decision sends the status and the fingerprint of the row, so that the server refuses a decision on an outdated row. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { call } from '../../../app/api.ts'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import type { Disbursement } from '../queries.ts'

export type OutlayAction = 'approve' | 'reject'
type OutlayDecisionProps = {
  readonly action: OutlayAction
  /** Of the help fund, of the platform's own accounts, or a settlement of the gateway, whose report stays private. */
  readonly of: 'help' | 'house' | 'settlement'
  readonly entry: { readonly id: string; readonly status: 'requested' | 'booked' | 'rejected'; readonly seen: string }
  readonly onClose: () => void
  readonly children: ReactNode
}

type Decided = Pick<Disbursement, 'askedBy' | 'decidedBy' | 'status'>
/** The people who requested and decided it, as text. */
export function useDeciders({ askedBy, decidedBy, status }: Decided): string {
  const { t } = useLingui()
  const asker = askedBy.name
  if (decidedBy === null) return t`Requested by ${asker}`
  const decider = decidedBy.name
  if (status === 'rejected')
    return askedBy.id === decidedBy.id ? t`Requested and rejected by ${asker}` : t`Requested by ${asker}, rejected by ${decider}`
  return askedBy.id === decidedBy.id ? t`Requested and approved by ${asker}` : t`Requested by ${asker}, approved by ${decider}`
}

export function OutlayDecision({ action, of, entry: { id, status, seen }, onClose, children }: OutlayDecisionProps) {
  const { t } = useLingui()
  const params = { id }
  if (action === 'approve')
    return (
      <Decision
        title={<Trans>Approve this payment?</Trans>}
        confirm={t`Approve and record`}
        send={async (_, idempotencyKey) => {
          const given = { params, body: { status, seen }, idempotencyKey }
          await (of === 'help' ? call('approveDisbursement', given) : call('approveHouseEntry', given))
        }}
        onDone={() => toast.success(t`Recorded.`)}
        onClose={onClose}
      >
        {children}
        <p className="muted spaced">
          {of === 'settlement'
            ? t`Look at the gateway's report first. The settlement enters today's accounts, and this cannot be undone.`
            : t`Look at the bills first. The payment enters today's accounts, its bills become public, and this cannot be undone.`}
        </p>
      </Decision>
    )
  return (
    <Decision
      title={<Trans>Reject this payment?</Trans>}
      confirm={t`Reject`}
      danger
      reason={t`The person who requested the payment will read this.`}
      send={async (reason, idempotencyKey) => {
        const given = { params, body: { status, seen, reason }, idempotencyKey }
        await (of === 'help' ? call('rejectDisbursement', given) : call('rejectHouseEntry', given))
      }}
      onDone={() => toast.success(t`It is rejected.`)}
      onClose={onClose}
    >
      {children}
    </Decision>
  )
}
