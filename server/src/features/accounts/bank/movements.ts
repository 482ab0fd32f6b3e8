/**
 * The bank's movements according to the books: the transfers of the account BANK, each as the bank has it.
 * - A settlement that came back after it was recorded was taken off later ones, or is covered by one (proposals.ts). The bank has a line
 *   of each and of the return: so the later ones are whole here, and what came back is a movement of its own. Their sum is the books'.
 * - `amount`: above zero came in. `refs`: the numbers under which the bank may know it.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, type Sql, sql } from '../../../db/sql.ts'
import { ACCOUNTS } from '../../../ledger/accounts.ts'
import { IS_RECORDED, isEntryOf, SETTLEMENT_DAY } from '../../../ledger/gateway-settlements.ts'
import { wholeOf } from '../proposals.ts'

const { BANK } = ACCOUNTS

/** Transfers of BANK, in and out. The number is written out, as in the index `transfer_of_bank`. */
export const OF_BANK: Sql = sql`(t.debit = 2 or t.credit = 2)`
/** By how much a transfer raises what the bank has. */
export const RAISED: Sql = sql`case when t.debit = ${BANK}::bigint then t.amount else -t.amount end`

/** The booked settlement `o` is of `s`; a returned one `r` was recorded as `ro`. */
const RETURNED: Sql = sql`gateway_settlement_seen r join outlay ro on ${isEntryOf(sql`ro`, sql`r`)} and ro.status = 'booked'`

const WHOLE: Sql = wholeOf(sql`r.settlement_id`, 'amount')

/** The settlement that went back before `s` took its place: `r` itself, or the last one that had covered it. */
const BEFORE: Sql = sql`
  select b.settlement_id, b.utr from gateway_settlement_seen b
   where (b.covers = r.settlement_id or b.settlement_id = r.settlement_id) and (b.seen_at, b.settlement_id) < (s.seen_at, s.settlement_id)
   order by b.covers is null, b.seen_at desc, b.settlement_id desc limit 1`

/** Movements that the books have on `since` or later. */
const movementsSince = (since: IstDay): Sql => sql`
  select t.kind || ':' || t.ref as subject, t.kind, t.day, ${RAISED} + coalesce(
           (select sum(c.amount)::bigint from gateway_settlement_correction c where t.kind = 'gateway_settled' and c.by_id = s.settlement_id), 0) as amount,
         array_remove(case
           when t.kind = 'gateway_settled' then array[coalesce(o.purpose, (select g.reference from gateway_settlement g where g.entry_id = t.ref)), s.settlement_id, s.utr]
           when t.kind in ('wd_paid', 'wd_reversed', 'wd_conflict', 'wd_conflict_back')
             then array[(select w.reference from withdrawal w where w.id = subject_of(t.ref)::uuid)]
           when t.kind = 'suspense_paid' then array[(select i.reference from suspense_item i where i.id = t.ref::bigint)]
           else '{}' end, null) as refs
    from transfer t
    left join outlay o on t.kind = 'gateway_settled' and o.id::text = t.ref
    left join lateral (select s.settlement_id, s.utr from gateway_settlement_seen s where ${IS_RECORDED} limit 1) s on o.id is not null
   where ${OF_BANK} and t.day >= ${since}::date
  union all
  select 'settlement_back:' || p.settlement_id, 'settlement_back', max(t.day), -sum(c.amount)::bigint, array_remove(array[p.settlement_id, p.utr], null)
    from gateway_settlement_correction c join gateway_settlement_seen r on r.settlement_id = c.returned_id
    join gateway_settlement_seen s on s.settlement_id = c.by_id join outlay o on ${IS_RECORDED}
    join transfer t on t.kind = 'gateway_settled' and t.ref = o.id::text and ${OF_BANK} cross join lateral (${BEFORE}) p
   group by p.settlement_id, p.utr having max(t.day) >= ${since}::date
  union all
  select v.subject, v.kind, ${SETTLEMENT_DAY}, v.amount, array_remove(v.refs, null)
    from gateway_settlement_seen s join ${RETURNED} on r.settlement_id = s.covers cross join lateral (${BEFORE}) p
   cross join lateral (values
     ('settlement_back:' || p.settlement_id, 'settlement_back', -${WHOLE}, array[p.settlement_id, p.utr]),
     ('settlement_again:' || s.settlement_id, 'settlement_again', s.amount, array[s.settlement_id, s.utr])) v (subject, kind, amount, refs)
   where ${SETTLEMENT_DAY} >= ${since}::date`

export type BankMovement = {
  readonly subject: string
  readonly kind: string
  readonly day: IstDay
  readonly amount: bigint
  readonly refs: readonly string[]
}

/** Movements that no line has yet. */
export const listUnmatched = (from: Queryable, since: IstDay, where: Sql = sql`true`): Promise<BankMovement[]> =>
  from.query<BankMovement>(sql`
    select m.subject, m.kind, m.day::text as day, m.amount, m.refs from (${movementsSince(since)}) m
     where not exists (select from bank_line l where l.subject = m.subject) and ${where}
     order by m.day, m.subject`)
