/**
 * Work that waits for the team: one condition each, for the count of the to-do list and for the list that its line opens.
 * - Nobody is shown what another person must approve for them. A hold leaves nothing to decide.
 * - The rows are named `w` (withdrawal), `r` (refund), `s` (suspense item), `d` (dispute), `o` (payment by decision), `a` (mandate),
 *   `b` (bank transfer), `l` (line of a statement).
 */
import { CASE_OPEN } from '@roz/core/case-fields.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import { type Sql, sql } from '../db/sql.ts'
import { IS_LATE_CHARGE, IS_UNCANCELLED } from '../ledger/autopay.ts'
import { NEEDS_ANSWER } from '../ledger/disputes.ts'
import { IS_ON_HOLD, ON_HOLD, REFUND_OWNER } from '../ledger/holds.ts'
import { RETURN_VOICE } from '../ledger/withdrawals.ts'

export type Viewer = { readonly memberId: bigint; readonly staffRole: StaffRole }
/** `payoutsByHand`: no gateway pays withdrawals out. `byTransfer`: money is added by bank transfers, and no gateway sends refunds. */
export type WorkView = { readonly viewer: Pick<Viewer, 'memberId'>; readonly payoutsByHand: boolean; readonly byTransfer?: boolean }

/**
 * Stopped by a problem that a person must solve, or on its way through a gateway that nobody asks any more (`isUnasked`). A hold is none:
 * the row continues by itself when the hold ends.
 */
const isStopped = (row: Sql, isUnasked: boolean): Sql =>
  sql`(${row}.status in ('approved', 'sending') and ${row}.problem is not null and ${row}.problem <> ${ON_HOLD}::text
    or ${row}.status = 'sending' and ${isUnasked}::boolean)`
const undecided = (row: Sql): Sql => sql`(${row}.status = 'requested' and ${row}.first_approved_by is null)`

/** Whether the person is the viewer, with any of their accounts. */
const isSame = (person: Sql, { memberId }: WorkView['viewer']): Sql => sql`coalesce(is_same_person(${person}, ${memberId}::bigint), false)`
export const outlayWork = (viewer: WorkView['viewer']) => ({
  to_approve: sql`(o.status = 'requested' and not ${isSame(sql`o.asked_by`, viewer)})`,
})

/** Of mandates `a`: a debit without an end five days after its day, a status that we do not know, a stop that is not confirmed for a day. */
export const AUTOPAY_WORK = {
  late: sql`exists (select from autopay_charge c where c.mandate_id = a.id and ${IS_LATE_CHARGE})`,
  unknown: sql`(a.unknown_since is not null)`,
  uncancelled: IS_UNCANCELLED,
} as const
/** A finding `f` that neither ended nor was closed. */
export const IS_OPEN_FINDING: Sql = sql`(f.closed_at is null and f.ended_at is null)`
/** The line `l` has no entry, and is no transfer that was confirmed or waits. */
export const IS_UNBOOKED_LINE: Sql = sql`(l.subject is null
  and not exists (select from bank_transfer b where b.line_id = l.id and b.status <> 'rejected'))`
/** Somebody closed the finding of the line `l` with a reason. */
export const IS_CLOSED_LINE: Sql = sql`exists (
  select from money_finding f where f.kind = 'bank_line' and f.subject = 'bank_line:' || l.id and f.closed_at is not null and f.ended_at is null)`
export const IS_FREE_LINE: Sql = sql`(${IS_UNBOOKED_LINE} and not ${IS_CLOSED_LINE})`
/** Money came in by the line `l`, and finance confirms it, where money is added by bank transfers. */
export const IS_LINE_TO_CONFIRM: Sql = sql`(l.amount > 0 and ${IS_FREE_LINE})`
/** Before this day nobody paid the withdrawal `w`. */
export const FROM_DAY: Sql = sql`ist_day(coalesce(w.approved_at, w.created_at))`
/** The line `l` may be the payment `w` that came back, also where somebody closed it with a reason. A person reads the bank's words. */
export const MAY_BE_RETURN: Sql = sql`(l.amount = w.amount and l.day >= ${FROM_DAY} and ${IS_UNBOOKED_LINE})`
/** Requests for help `c` that are open, and for which nobody did anything for three days. */
export const UNTOUCHED_CASE = sql`(c.stage = any (${[...CASE_OPEN]}::text[]) and c.touched_at < (select roz_now()) - interval '3 days')`
/** Help and its corrections `o`, booked in the last 30 days, whose public words lack one of our languages. An older one no longer waits. */
export const PURPOSE_LACKS_LANGUAGE: Sql = sql`
  (o.status = 'booked' and o.kind in ('disbursement', 'disbursement_back') and o.decided_at > (select roz_now()) - interval '30 days'
    and exists (select from unnest(${LANGUAGES}::text[]) l where l <> o.written_in and o.translations ->> l is null))`

export const DISPUTE_WORK = { to_answer: NEEDS_ANSWER } as const

export function openWork({ viewer, payoutsByHand, byTransfer = false }: WorkView) {
  const awaitingSecond = (row: Sql): Sql =>
    sql`(${row}.status = 'requested' and ${row}.first_approved_by is not null and not ${isSame(sql`${row}.first_approved_by`, viewer)})`
  const unheldWithdrawal = (wait: Sql): Sql =>
    sql`(${wait} and not exists (select from member m where m.id = w.member_id and ${IS_ON_HOLD}))`
  const unheldRefund = (wait: Sql): Sql =>
    sql`(${wait} and not exists (select from member m where m.id = ${REFUND_OWNER} and ${IS_ON_HOLD}))`
  /** One person has said that a payment by hand was not paid, or came back. A hold keeps no money out. */
  const isReturnSaid = sql`w.return_first_by is not null and ${RETURN_VOICE} is not null and not ${isSame(RETURN_VOICE, viewer)}`
  // Each state has an index of its own.
  const awaitingReturn = sql`(w.status = 'paid' and ${isReturnSaid} or w.status = 'approved' and ${isReturnSaid})`
  /** Approved for a payment by hand: no gateway pays out, or somebody was shown the bank account. */
  const isByHand = sql`(w.status = 'approved' and (${payoutsByHand}::boolean or w.shown_to is not null))`
  return {
    withdrawals: {
      to_decide: unheldWithdrawal(undecided(sql`w`)),
      to_second: sql`(${unheldWithdrawal(awaitingSecond(sql`w`))} or ${awaitingReturn})`,
      by_hand: unheldWithdrawal(isByHand),
      not_sent: sql`(${isStopped(sql`w`, payoutsByHand)} and not ${isByHand})`,
    },
    refunds: {
      to_decide: unheldRefund(undecided(sql`r`)),
      to_second: unheldRefund(awaitingSecond(sql`r`)),
      not_sent: isStopped(sql`r`, byTransfer),
    },
    suspense: { to_decide: sql`(s.status = 'open' and not ${isSame(sql`s.first_by`, viewer)})` },
    disputes: DISPUTE_WORK,
    transfers: { to_second: sql`(b.status = 'asked' and not ${isSame(sql`b.asked_by`, viewer)})` },
    outlays: outlayWork(viewer),
  } as const
}

/** The condition of a list's filter, if the filter is open work and no state of the rows. */
export const workOf = (work: Readonly<Record<string, Sql>>, status: string | undefined): Sql | undefined =>
  status !== undefined && Object.hasOwn(work, status) ? work[status] : undefined

type Filter = { readonly status?: string | undefined; readonly q?: string | undefined; readonly order?: 'newest' | 'oldest' | undefined }
/** The filter of a list, of whose states some are open work. */
export const filterBy = (work: Readonly<Record<string, Sql>>, { status, q, order }: Filter) => ({
  status,
  work: workOf(work, status),
  q,
  order,
})
