/**
 * A payment by hand came back, or was recorded as paid by mistake: the amount goes back to the member.
 * - If the money stayed with the payee, the member would have it twice. So where statements are imported they must show it: by a line of
 *   the amount that no entry has, or, of a payment that never left, by having no such line until the day after it.
 * - A line by which somebody added money proves no return. Nor does one that the same person took from another entry, and a debit that they
 *   matched may be this payment: one line is one return.
 * - The line becomes the return's. Above the limit two persons decide, and the second one's line counts.
 */
import type { Outcome } from '@roz/core/outcome.ts'
import { squeezed } from '@roz/core/reference-fields.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { type PayoutBooked, sayCameBack } from '../../ledger/withdrawals.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import { FROM_DAY, IS_FREE_LINE, IS_UNBOOKED_LINE, MAY_BE_RETURN } from '../../staff/open-work.ts'
import type { PayoutsDeps } from './deps.ts'

type Said = { readonly id: string; readonly by: bigint; readonly reason: string; readonly line: string | null }
type Unproven = 'bank_line_needed' | 'bank_match_refused'
type Refused = 'withdrawal_not_found' | 'withdrawal_final' | 'payouts_by_gateway' | Unproven | ApprovalRefusal

/** The caller has locked the withdrawal. `first`: another person must say so too. */
export async function bookCameBack(
  tx: Tx,
  deps: Pick<PayoutsDeps, 'secrets' | 'approvalAbove'>,
  { id, by, reason, line }: Said,
): Promise<Outcome<PayoutBooked | 'first', Refused>> {
  // The lock of the bank's statements (features/accounts/bank/lock.ts).
  await tx.query(sql`select from bank_comparison for update`)
  const isShown = line === null ? await hasNeverLeft(tx, id, by) : await isReturnOf(tx, deps, { id, line, by })
  if (!isShown) return { ok: false, code: line === null ? 'bank_line_needed' : 'bank_match_refused' }
  const said = await sayCameBack(tx, { id, reason, approver: { by, limit: deps.approvalAbove } })
  if (said.ok && said.value !== 'first' && line !== null) await match(tx, id, line, by)
  return said
}

/** The person matched the line `l`, or took it from an entry. */
const isDecidedBy = (by: bigint): Sql => sql`coalesce(is_same_person(l.decided_by, ${by}::bigint), false)`

/**
 * Whether the statements, if there are any, have the days of the payment and not the payment.
 * - Each account must have these days: any of them may have paid.
 * - The debit of the amount, also one that was closed with a reason, may be this payment; a larger open one may hold it with others.
 */
async function hasNeverLeft(tx: Tx, id: string, by: bigint): Promise<boolean> {
  const { isShown } = await tx.one<{ isShown: boolean }>(sql`select not exists (select from statement_account where lines > 0) or (
                 (select min(complete_until) from statement_account where lines > 0) > ist_day(w.ended_at)
                 and (select max(first_day) from statement_account where lines > 0) <= ${FROM_DAY}
                 and not exists (select from bank_line l where l.subject = 'wd_paid:' || w.id)
                 and not exists (select from bank_line l where l.day >= ${FROM_DAY} and l.amount = -w.amount and (${IS_UNBOOKED_LINE} or ${isDecidedBy(by)}))
                 and not exists (select from bank_line l where l.day >= ${FROM_DAY} and l.amount < -w.amount and ${IS_FREE_LINE})) as "isShown"
          from withdrawal w where w.id = ${id}::uuid`)
  return isShown
}

type Proof = { readonly id: string; readonly line: string; readonly by: bigint }

/** Whether the line may be the money of this withdrawal that came back. */
async function isReturnOf(tx: Tx, { secrets }: Pick<PayoutsDeps, 'secrets'>, { id, line, by }: Proof): Promise<boolean> {
  if (!CURSOR_PARTS.uuid(line)) return false
  const found = await tx.maybeOne<{ words: Buffer }>(sql`
    select l.sealed_words as words from bank_line l join withdrawal w on w.id = ${id}::uuid
         where l.id = ${line}::uuid and ${MAY_BE_RETURN} and not ${isDecidedBy(by)}`)
  if (found === undefined) return false
  const words = squeezed(secrets.decrypt(found.words, `bank_line:${line}`).toString())
  const { isAdded } = await tx.one<{ isAdded: boolean }>(sql`
    select exists (select from bank_transfer_order where position(reference in ${words}::text) > 0)
            or exists (select from bank_transfer where status <> 'rejected' and position(bank_number in ${words}::text) > 0) as "isAdded"`)
  return !isAdded
}

/** The comparison of bank and books runs again at the next second, and ends the line's finding. */
async function match(tx: Tx, id: string, line: string, by: bigint): Promise<void> {
  await tx.query(sql`
    update bank_line set subject = ${`wd_reversed:${id}`}::text, matched_at = roz_now(), decided_by = ${by}::bigint,
           matched_day = (select day from transfer where kind = 'wd_reversed' and ref = ${id}::text)
     where id = ${line}::uuid`)
  await tx.query(sql`update bank_comparison set ran_at = null`)
}
