/** Refunds as members and as administrators see them. */
import type { adminRefund, refund } from '@roz/contract/payouts.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { seenStatus } from '../../ledger/approvals.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { IS_ON_HOLD, REFUND_OWNER } from '../../ledger/holds.ts'
import type { RefundStatus } from '../../ledger/refunds.ts'
import { instantOf, instantOrNull, type Search } from '../../lists/listing.ts'
import { microsOf, olderThan, orderOf } from '../../lists/newest-first.ts'
import { withSeen } from '../../staff/decision.ts'
import {
  approvalColumns,
  approvalJoins,
  approvalOf,
  type ApprovalRow,
  payeeColumns,
  payeeOf,
  type PayeeRow,
  suspectColumns,
  suspectOf,
  type SuspectRow,
} from '../../staff/money-rows.ts'
import { findIds, REFUNDS } from './money-search.ts'

type MemberRefund = z.infer<typeof refund>
export type AdminRefund = z.infer<typeof adminRefund>

const SHOWN = {
  requested: 'pending',
  awaiting_second: 'pending',
  approved: 'processing',
  sending: 'processing',
  paid: 'completed',
  rejected: 'rejected',
  failed: 'failed',
} as const satisfies Record<Row['status'], MemberRefund['status']>

type Row = PayeeRow &
  SuspectRow &
  ApprovalRow & {
    readonly id: string
    readonly orderId: string
    readonly amount: Paise
    readonly status: RefundStatus | 'awaiting_second'
    readonly reason: string
    readonly decision: string | null
    readonly problem: string | null
    readonly reference: string | null
    readonly suspenseId: bigint | null
    readonly isOnHold: boolean
    readonly approvedAt: Date | null
    readonly createdAt: Date
    readonly endedAt: Date | null
    readonly sortedAt: string
  }

const KEY = { at: sql`r.created_at`, id: sql`r.id` }
const rows = sql`
  select r.id, r.order_id as "orderId", r.amount, ${seenStatus(sql`r`)} as status, r.reason, r.decision, r.problem, r.reference, r.suspense_id as "suspenseId",
    r.created_at as "createdAt", r.ended_at as "endedAt", r.approved_at as "approvedAt", ${payeeColumns}, ${suspectColumns}, ${approvalColumns(sql`r`)},
    exists (select from member m where m.id = ${REFUND_OWNER} and ${IS_ON_HOLD}) as "isOnHold",
    ${microsOf(sql`r.created_at`)} as "sortedAt"
  from refund r left join member m on m.id = r.member_id ${approvalJoins(sql`r`)}`

const viewOf = (row: Row): MemberRefund => ({
  id: row.id,
  order_id: row.orderId,
  amount: rupeesFromPaise(row.amount),
  status: SHOWN[row.status],
  reason: row.reason,
  decision: row.decision,
  reference: row.reference,
  createdAt: instantOf(row.createdAt),
})

const adminViewOf = (row: Row): AdminRefund =>
  withSeen({
    ...viewOf(row),
    status: row.status,
    member: payeeOf(row),
    suspenseId: row.suspenseId === null ? null : String(row.suspenseId),
    refundId: gatewayIdOf(row.id),
    problem: row.problem,
    onHold: row.isOnHold,
    approvedAt: instantOrNull(row.approvedAt),
    ...suspectOf(row),
    ...approvalOf(row),
    endedAt: instantOrNull(row.endedAt),
  })

const find = (from: Queryable, id: string): Promise<Row> => from.one<Row>(sql`${rows} where r.id = ${id}::uuid`)
export const viewRefund = async (from: Queryable, id: string): Promise<MemberRefund> => viewOf(await find(from, id))
export const viewAdminRefund = async (from: Queryable, id: string): Promise<AdminRefund> => adminViewOf(await find(from, id))

type Paged<T> = readonly { readonly shown: T; readonly key: Cursor }[]

/** A member's own refunds, newest first; one row more than `limit` when there is a next page. */
export async function listRefunds(
  db: Db,
  memberId: bigint,
  page: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<Paged<MemberRefund>> {
  const found = await db.query<Row>(sql`
    ${rows} where r.member_id = ${memberId}::bigint and ${olderThan(KEY, page.after)}
    order by r.created_at desc, r.id desc limit ${page.limit + 1}::int`)
  return found.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, row.id] }))
}

export async function searchRefunds(db: Db, search: Search): Promise<Paged<AdminRefund>> {
  const ids = await findIds(db, REFUNDS, search)
  const found = await db.query<Row>(sql`${rows} where r.id = any (${ids}::uuid[]) order by ${orderOf(KEY, search)}`)
  return found.map((row) => ({ shown: adminViewOf(row), key: [row.sortedAt, row.id] }))
}
