/** The booked payment of a request, unless it came back whole, as whoever takes care of the request sees it, and who may record what came of it. */
import type { Output } from '@roz/contract/api.ts'
import type { caseCalls } from '@roz/contract/cases.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { IS_GIVEN } from '../../ledger/arrivals.ts'
import { DUE_FOLLOW_UP } from '../../ledger/follow-ups.ts'

type Help = Output<(typeof caseCalls)['helpCase']>['case']['help']
type Of = { readonly number: string; readonly outlayId: string | null }
type Viewer = { readonly memberId: bigint; readonly staffRole: string }

/** Whether this person checked the request. */
export const hasChecked = (number: string, person: bigint): Sql => sql`
  exists (select from help_case_step s where s.number = ${number}::text and s.step = 'checked' and is_same_person(s.done_by, ${person}::bigint))`

export const helpOf = async (from: Queryable, { number, outlayId }: Of, { memberId, staffRole }: Viewer): Promise<Help> => {
  const help = await from.maybeOne<Omit<NonNullable<Help>, 'paid'> & { readonly paid: Paise }>(sql`
    select o.amount_paise as paid, (select a.received from arrival a where a.outlay_id = o.id order by a.id desc limit 1) as received, ${DUE_FOLLOW_UP} as "followUpDue",
          may_confirm_arrival(${memberId}::bigint, o.id) and not (${staffRole === 'volunteer'}::boolean and ${hasChecked(number, memberId)}) as "mayRecord"
          from outlay o where o.id = ${outlayId}::uuid and ${IS_GIVEN}`)
  return help === undefined ? null : { ...help, paid: rupeesFromPaise(help.paid) }
}

/** Whether enough people checked the request for this amount: above the limit two different ones. */
export async function isCheckedFor(
  tx: Tx,
  number: string,
  { amount, approvalAbove }: { readonly amount: Paise; readonly approvalAbove: Paise },
): Promise<boolean> {
  if (amount <= approvalAbove) return true
  const { people } = await tx.one<{ people: number }>(sql`
    select count(*)::int as people from (select distinct done_by from help_case_step where number = ${number}::text and step = 'checked') c
         where not exists (select from help_case_step o where o.number = ${number}::text and o.step = 'checked' and o.done_by < c.done_by
                              and coalesce(is_same_person(o.done_by, c.done_by), false))`)
  return people >= 2
}
