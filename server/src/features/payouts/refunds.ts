/**
 * Refunds: requested by members, decided by administrators.
 *
 * - The requested amount is held in the transaction that answers.
 * - A decision is one transaction with its line in the staff log.
 * - Money is sent only after the commit.
 */
import { randomUUID } from 'node:crypto'
import { isoIst } from '@roz/core/ist-day.ts'
import { formatPaise, type Paise, paiseFromRupees, rupeesFromPaise } from '@roz/core/money.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Idempotency, KeyedCall } from '../../http/idempotency.ts'
import { type Answer, type Handlers, invalid } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import type { payoutCalls } from '@roz/contract/payouts.ts'
import { seenStatus } from '../../ledger/approvals.ts'
import { approveRefund, rejectRefund, requestRefund } from '../../ledger/refunds.ts'
import { listUnusedTopups } from '../../ledger/unused-topups.ts'
import { mailMember } from '../../mail/mails.ts'
import { type Deciding, decideAbout } from '../../staff/decision.ts'
import { approveMany } from './approve-many.ts'
import { filterBy } from '../../staff/open-work.ts'
import { allowanceOf, type PayoutsDeps, workFor } from './deps.ts'
import { pageOf } from '../../lists/listing.ts'
import { listRefunds, searchRefunds, viewAdminRefund, viewRefund } from './refund-view.ts'
import { tellRefund } from './send-refund.ts'

type Names = 'requestRefund' | 'refunds' | 'adminRefunds' | 'approveRefund' | 'approveRefunds' | 'rejectRefund'
type Requested = Answer<typeof payoutCalls.requestRefund>

export function refundHandlers(deps: PayoutsDeps, idempotency: Idempotency): Handlers<Names> {
  const { db } = deps

  const decide = decideAbout(idempotency, { name: 'refund', notFound: 'refund_not_found', lock: lockSeen, show: viewAdminRefund })

  const approve = (call: Deciding) =>
    decide<'refund_final' | 'payment_taken_back' | 'member_on_hold' | 'member_in_debt' | ApprovalRefusal>(
      'approve',
      call,
      async (tx, id) => {
        const approved = await approveRefund(tx, id, { by: call.session.memberId, limit: deps.approvalAbove })
        if (!approved.ok) return approved
        if (approved.value.approval === 'final')
          await enqueue(tx, { kind: 'send_refund', key: `approved:${randomUUID()}`, payload: { refundId: id } })
        return { ok: true }
      },
    )

  return {
    requestRefund: async ({ session, body, idempotencyKey }) => {
      const amount = paiseFromRupees(body.amount) as Paise
      if (amount <= 0n) return invalid({ amount: 'amount_invalid' })
      const { memberId } = session
      const keyed: KeyedCall = { memberId, key: idempotencyKey, route: 'requestRefund', body }
      const id = randomUUID()
      return idempotency.once<Requested>(keyed, id, async (tx) => {
        const asked = await requestRefund(tx, { id, memberId, orderId: body.order_id, amount, reason: body.reason })
        // The member was suspended after the request was admitted.
        if (!asked.ok) return { ok: false, code: asked.code === 'may_not_move' ? 'on_hold' : asked.code }
        await mailMember(tx, {
          memberId,
          template: 'refund_requested',
          key: `refund_requested:${id}`,
          data: { amount: formatPaise(amount) },
        })
        return { ok: true, value: { balance: rupeesFromPaise(asked.value.balance), refund: await viewRefund(tx, id) } }
      })
    },
    refunds: async ({ session, query }) => {
      const page = await pageOf(query, (part) => listRefunds(db, session.memberId, part))
      if (!page.ok) return page
      const topups = (await listUnusedTopups(db, session.memberId)).filter((topup) => topup.isRefundable)
      const refundable = topups.map((topup) => ({
        order_id: topup.orderId,
        amount: rupeesFromPaise(topup.amount),
        unused: rupeesFromPaise(topup.unused),
        createdAt: isoIst(topup.capturedAt.getTime()),
      }))
      return { ok: true, value: { refunds: [...page.rows], refundable, nextCursor: page.nextCursor } }
    },
    adminRefunds: async ({ query, session }) => {
      const { refunds } = workFor(deps, session)
      const page = await pageOf(query, (part) => searchRefunds(db, { ...filterBy(refunds, query), ...part }))
      if (!page.ok) return page
      const approvalAbove = await allowanceOf(deps, session)
      return { ok: true, value: { refunds: [...page.rows], approvalAbove, nextCursor: page.nextCursor } }
    },
    approveRefund: approve,
    approveRefunds: (call) =>
      approveMany(deps, idempotency, call, {
        route: 'approveRefunds',
        decide: async (row) => {
          const decided = await approve(row)
          return decided.ok ? { ok: true, status: decided.value.refund.status } : decided
        },
      }),
    rejectRefund: (call) =>
      decide<'refund_final'>('reject', call, async (tx, id) => {
        const rejected = await rejectRefund(tx, { id, reason: call.body.reason })
        if (!rejected.ok) return rejected
        await tellRefund(tx, id, { memberId: rejected.value.memberId, amount: rejected.value.amount, end: 'rejected' })
        return { ok: true, after: { decision: call.body.reason } }
      }),
  }
}

/** Locks the refund, so that its state cannot change before the end of the transaction. */
const lockSeen = (tx: Tx, id: string): Promise<{ readonly status: string } | undefined> =>
  tx.maybeOne<{ status: string }>(sql`select ${seenStatus(sql`r`)} as status from refund r where r.id = ${id}::uuid for update`)
