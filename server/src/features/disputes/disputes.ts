/**
 * Disputes of payments, from the gateway's word to the portal's list.
 * - The webhook of payments names a dispute (features/wallet/webhook.ts), or a settlement's event its payment (features/accounts/judge.ts).
 * - The jobs and the sweep ask the gateway about it.
 */
import type { Db } from '../../db/sql.ts'
import type { Handlers } from '../../http/route.ts'
import { orKeepJob } from '../../jobs/questions.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { pageOf } from '../../lists/listing.ts'
import { exportList } from '../../staff/exported-list.ts'
import { DISPUTE_WORK, filterBy } from '../../staff/open-work.ts'
import { DISPUTE_CURSOR, searchDisputes } from './dispute-view.ts'
import { type DisputeDeps, findDispute, settleDispute, sweepDisputes } from './settle-dispute.ts'

export const createDisputes = (deps: DisputeDeps) => ({
  handlers: handlersOf(deps.db),
  jobs: {
    check_dispute: ({ disputeId }: JobPayloads['check_dispute']): Promise<void> => orKeepJob(settleDispute(deps, disputeId)),
    find_dispute: (event: JobPayloads['find_dispute']): Promise<void> => orKeepJob(findDispute(deps, event)),
  },
  due: (): Promise<boolean> => sweepDisputes(deps),
})

const handlersOf = (db: Db): Handlers<'disputes' | 'disputesCsv'> => ({
  disputes: async ({ query }) => {
    const page = await pageOf(query, (part) => searchDisputes(db, { ...filterBy(DISPUTE_WORK, query), ...part }), DISPUTE_CURSOR)
    return page.ok ? { ok: true, value: { disputes: [...page.rows], nextCursor: page.nextCursor } } : page
  },
  disputesCsv: (call) =>
    exportList(db, call, {
      name: 'disputes',
      read: (page) => searchDisputes(db, { ...filterBy(DISPUTE_WORK, call.query), ...page }),
      columns: {
        id: (row) => row.id,
        created: (row) => row.createdAt,
        amount: (row) => row.amount,
        state: (row) => row.state,
        type: (row) => row.type,
        gateway_status: (row) => row.status,
        updated: (row) => row.updatedAt,
        respond_by: (row) => row.respondBy,
        order_id: (row) => row.order_id,
        payment_id: (row) => row.paymentId,
        member_id: (row) => row.member?.id,
        member: (row) => row.member?.name,
        email: (row) => row.member?.email,
        taken: (row) => (row.isTaken ? 'yes' : 'no'),
        loss: (row) => row.loss,
        problem: (row) => row.problem,
      },
    }),
})
