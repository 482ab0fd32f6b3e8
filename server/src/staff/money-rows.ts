/** The member of a row in the administrator's lists of money, with the flags and debt that inform a decision. */
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Sql, sql } from '../db/sql.ts'
import { instantOf } from '../lists/listing.ts'
import { owedOf } from '../ledger/debts.ts'
import { signalKinds } from '../members/signals.ts'
import { nameAt } from './staff-log.ts'

/** The member of a row, if it has one, joined as `m`. */
export const payeeColumns = sql`m.public_id as "memberPublicId", m.name as "memberName", m.email as "memberEmail"`
export type PayeeRow = {
  readonly memberPublicId: string | null
  readonly memberName: string | null
  readonly memberEmail: string | null
}
export const payeeOf = ({ memberPublicId, memberName, memberEmail }: PayeeRow) =>
  memberPublicId === null ? null : { id: memberPublicId, name: memberName ?? '', email: memberEmail }
/** The flags and debt of the member joined as `m`, to inform a decision. */
export const suspectColumns = sql`
  array(select f.kind from member_flag f where f.member_id = m.id union ${signalKinds} order by kind) as "memberFlags", ${owedOf(sql`m.id`)} as owed`
export type SuspectRow = { readonly memberFlags: readonly string[]; readonly owed: Paise }
export const suspectOf = ({ memberFlags, owed }: SuspectRow) => ({
  memberFlags: owed > 0n ? ['debt', ...memberFlags] : [...memberFlags],
  owed: rupeesFromPaise(owed),
})

/** Whole hours since an instant, while the row waits. */
export const waitingHours = (isWaiting: Sql, since: Sql): Sql =>
  sql`case when ${isWaiting} then floor(extract(epoch from roz_now() - ${since}) / 3600)::int end as "waitingHours"`

/** The approvers, joined as `f` and `y`, and the hours since the request of an open row. `row` is the withdrawal or refund. */
export const approvalColumns = (row: Sql): Sql => sql`
  f.public_id as "firstId", ${nameAt(sql`f`, sql`${row}.first_approved_at`)} as "firstName", ${row}.first_approved_at as "firstAt",
  y.public_id as "approvedById", ${nameAt(sql`y`, sql`${row}.approved_at`)} as "approvedByName",
  ${waitingHours(sql`${row}.ended_at is null`, sql`${row}.created_at`)}`
export const approvalJoins = (row: Sql): Sql => sql`
  left join member f on f.id = ${row}.first_approved_by left join member y on y.id = ${row}.approved_by`
export type ApprovalRow = {
  readonly firstId: string | null
  readonly firstName: string | null
  readonly firstAt: Date | null
  readonly approvedById: string | null
  readonly approvedByName: string | null
  readonly waitingHours: number | null
}
export const approvalOf = (row: ApprovalRow) => ({
  firstApproval:
    row.firstId === null || row.firstAt === null ? null : { id: row.firstId, name: row.firstName ?? '', at: instantOf(row.firstAt) },
  approvedBy: row.approvedById === null ? null : { id: row.approvedById, name: row.approvedByName ?? '' },
  waitingHours: row.waitingHours,
})
