/** Withdrawals as administrators see them: states, members and problems. A whole account number is never shown. */
import { nameAt } from '../../staff/staff-log.ts'
import type { adminWithdrawal } from '@roz/contract/payouts.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { seenStatus } from '../../ledger/approvals.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { IS_ON_HOLD } from '../../ledger/holds.ts'
import { RETURN_VOICE, type WithdrawalStatus } from '../../ledger/withdrawals.ts'
import { instantOf, instantOrNull, type Search } from '../../lists/listing.ts'
import { microsOf, orderOf } from '../../lists/newest-first.ts'
import { isNameUnasked, nameMatchOf, type ShownAccount, shownAccount } from '../../members/bank-accounts.ts'
import { withSeen } from '../../staff/decision.ts'
import {
  approvalColumns,
  approvalJoins,
  approvalOf,
  type ApprovalRow,
  payeeColumns,
  suspectColumns,
  suspectOf,
  type SuspectRow,
} from '../../staff/money-rows.ts'
import { findIds, WITHDRAWALS } from './money-search.ts'

export type AdminWithdrawal = z.infer<typeof adminWithdrawal>

type Row = SuspectRow &
  ApprovalRow &
  ShownAccount & {
    readonly id: string
    readonly amount: Paise
    readonly status: WithdrawalStatus | 'awaiting_second'
    readonly createdAt: Date
    readonly endedAt: Date | null
    readonly reference: string | null
    readonly reason: string | null
    readonly problem: string | null
    readonly flags: string[]
    readonly isNameUnasked: boolean
    readonly isOnHold: boolean
    readonly approvedAt: Date | null
    readonly shownToId: string | null
    readonly shownToName: string | null
    readonly shownAt: Date | null
    readonly returnFirstId: string | null
    readonly returnFirstName: string | null
    readonly memberPublicId: string
    readonly memberName: string
    readonly memberEmail: string | null
    readonly sortedAt: string
  }

const KEY = { at: sql`w.created_at`, id: sql`w.id` }
const rows = sql`
  select w.id, w.amount, ${seenStatus(sql`w`)} as status, w.created_at as "createdAt", w.ended_at as "endedAt", b.bank_name as "bankName", b.last_four as "lastFour",
    ${nameMatchOf(sql`b`)} as "nameMatch", ${isNameUnasked(sql`b`)} as "isNameUnasked", w.reference, w.reason, w.problem, w.flags, ${IS_ON_HOLD} as "isOnHold", w.approved_at as "approvedAt",
    a.public_id as "shownToId", ${nameAt(sql`a`, sql`w.shown_at`)} as "shownToName", w.shown_at as "shownAt", ra.public_id as "returnFirstId", ra.name as "returnFirstName", ${payeeColumns}, ${suspectColumns}, ${approvalColumns(sql`w`)},
    ${microsOf(sql`w.created_at`)} as "sortedAt"
  from withdrawal w join bank_account b on b.id = w.bank_account_id join member m on m.id = w.member_id
    left join member a on a.id = w.shown_to
    left join member ra on ra.id = ${RETURN_VOICE} ${approvalJoins(sql`w`)}`

const nameFlags = (row: Row): string[] => [
  ...(row.nameMatch === 'no_match' || row.nameMatch === 'no_such_id' ? ['name_mismatch'] : []),
  ...(row.isNameUnasked ? ['name_not_asked'] : []),
]

const viewOf = (row: Row): AdminWithdrawal =>
  withSeen({
    id: row.id,
    amount: rupeesFromPaise(row.amount),
    status: row.status,
    createdAt: instantOf(row.createdAt),
    bank: shownAccount(row),
    reference: row.reference,
    reason: row.reason,
    member: { id: row.memberPublicId, name: row.memberName, email: row.memberEmail },
    transferId: gatewayIdOf(row.id),
    flags: [...row.flags, ...nameFlags(row)],
    problem: row.problem,
    onHold: row.isOnHold,
    approvedAt: instantOrNull(row.approvedAt),
    shownTo:
      row.shownToId === null || row.shownAt === null
        ? null
        : { id: row.shownToId, name: row.shownToName ?? '', at: instantOf(row.shownAt) },
    returnFirst: row.returnFirstId === null ? null : { id: row.returnFirstId, name: row.returnFirstName ?? '' },
    ...suspectOf(row),
    ...approvalOf(row),
    endedAt: instantOrNull(row.endedAt),
  })

export const viewWithdrawal = async (from: Queryable, id: string): Promise<AdminWithdrawal> =>
  viewOf(await from.one<Row>(sql`${rows} where w.id = ${id}::uuid`))

/** Newest first, or oldest first; one row more than `limit` when there is a next page. */
export async function searchWithdrawals(db: Db, search: Search): Promise<{ readonly shown: AdminWithdrawal; readonly key: Cursor }[]> {
  const ids = await findIds(db, WITHDRAWALS, search)
  const found = await db.query<Row>(sql`${rows} where w.id = any (${ids}::uuid[]) order by ${orderOf(KEY, search)}`)
  return found.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, row.id] }))
}
