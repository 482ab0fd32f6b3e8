/**
 * The payment of an agreed request, and the end of what is kept of a request.
 * - A request has one payment that was not rejected. It counts as helped once that payment is booked, until the whole amount comes back.
 * - 90 days after a refusal, a withdrawal or a person that could not be reached, and 180 days after the help or its last follow-up, words, contact
 *   and notes are deleted. Kind, place, stage, days and amounts stay.
 */
import { CASE_ENDS, caseNumberOf, type CaseStage } from '@roz/core/case-fields.ts'
import type { Paise } from '@roz/core/money.ts'
import { accepted, type Outcome, refused } from '@roz/core/outcome.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { IS_GIVEN } from '../../ledger/arrivals.ts'
import { isCheckedFor } from './case-help.ts'
import { IS_UNPAID } from './case-order.ts'
import { forgetCases, moveCase, recordStep } from './cases.ts'

type Judging = { readonly helpCase: string; readonly beneficiaryId: string; readonly amount: Paise; readonly approvalAbove: Paise }

/**
 * Whether this request may have this payment to this person now. The lock makes a second payment wait.
 * The checks are counted again: the payment may be larger than the amount that was agreed.
 */
export async function judgeCase(
  tx: Tx,
  { helpCase: typed, beneficiaryId, ...limits }: Judging,
): Promise<Outcome<{ readonly number: string }, 'case_not_found' | 'case_not_agreed' | 'case_checks'>> {
  const number = caseNumberOf(typed)
  const found = await tx.maybeOne<{ number: string }>(sql`select number from help_case where number = ${number ?? null}::text for update`)
  if (found === undefined) return refused('case_not_found')
  // A statement of its own: it sees the payment that the lock waited for.
  const { isAgreed } = await tx.one<{ isAgreed: boolean }>(
    sql`select ${IS_UNPAID} and c.beneficiary_id = ${beneficiaryId}::uuid as "isAgreed" from help_case c where c.number = ${found.number}::text`,
  )
  if (!isAgreed) return refused('case_not_agreed')
  return (await isCheckedFor(tx, found.number, limits)) ? accepted(found) : refused('case_checks')
}

type Paying = { readonly number: string; readonly outlayId: string; readonly by: bigint }

/** Links the payment that was asked for, or booked at once. */
export async function linkPayment(tx: Tx, secrets: Secrets, { number, outlayId, by }: Paying): Promise<void> {
  const { stage } = await tx.one<{ stage: CaseStage }>(sql`
    update help_case set outlay_id = ${outlayId}::uuid, version = version + 1, touched_at = roz_now(), stage_at = roz_now(),
          stage = (select case status when 'booked' then 'helped' else 'waiting' end from outlay where id = ${outlayId}::uuid)
         where number = ${number}::text returning stage`)
  await recordStep(tx, secrets, { number, step: stage, by })
}

/** The request whose payment was booked by a second person. */
export const noteHelped = (tx: Tx, secrets: Secrets, { outlayId, by }: Omit<Paying, 'number'>): Promise<void> =>
  moveCase(tx, secrets, { stage: 'helped', by, where: sql`c.outlay_id = ${outlayId}::uuid and c.stage = 'waiting'` })

/** The whole payment of a request came back, by this correction: the request waits for the money again. */
export const noteCameBack = (tx: Tx, secrets: Secrets, { outlayId, by }: Omit<Paying, 'number'>): Promise<void> =>
  moveCase(tx, secrets, {
    stage: 'waiting',
    by,
    where: sql`c.outlay_id = (select corrects from outlay where id = ${outlayId}::uuid and status = 'booked')
           and c.stage in ('helped', 'followed_up') and exists (select from outlay o where o.id = c.outlay_id and not ${IS_GIVEN})`,
  })

const AT_ONCE = 200

/** Deletes words, contact and notes of requests that are over long enough. True: there may be more. */
export const forgetOldCases = (db: Db): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const old = await tx.query<{ number: string }>(sql`
      select number from help_case
       where sealed is not null and stage_at < (select roz_now()) - interval '90 days'
         and (stage = any (${[...CASE_ENDS]}::text[]) or stage in ('helped', 'followed_up') and stage_at < (select roz_now()) - interval '180 days')
       order by stage_at limit ${AT_ONCE}::int for update skip locked`)
    const numbers = old.map(({ number }) => number)
    if (numbers.length === 0) return false
    await forgetCases(tx, numbers)
    return numbers.length === AT_ONCE
  })
