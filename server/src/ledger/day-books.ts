/**
 * The ledger's figures of a sealed day: its movements by kind, and each member's balance and hold at its end.
 * - An answer does not depend on when it is asked: the rows of a sealed day never change.
 * - A member's state is today's wallet less the movements since, both from one snapshot.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import { ACCOUNTS } from './accounts.ts'
import type { OutlayKind } from './evidence.ts'

type Flow = { readonly kind: string; readonly from: string; readonly to: string; readonly paise: Paise }

const nameOf = (account: Sql): Sql => sql`
  case when ${account} > 1000 then 'MEMBERS'
       when ${account} < 0 then 'POOL:' || to_char(to_date((-${account})::text, 'YYYYMMDD'), 'YYYY-MM-DD')
       else (select name from account a where a.id = ${account}) end`

/** The sum of each kind of movement between two accounts; all members count as one account. */
export const listFlows = (from: Queryable, day: IstDay): Promise<Flow[]> =>
  from.query<Flow>(sql`
    select kind, "from", "to", sum(amount)::bigint as paise from (
      select kind, ${nameOf(sql`debit`)} as "from", ${nameOf(sql`credit`)} as "to", amount from transfer where day = ${day}::date
      union all
      select 'join', 'MEMBERS', 'POOL:' || ${day}::text, amount from join_batch where day = ${day}::date) moved
     group by kind, "from", "to"`)

/** An outlay of a day; `parts` are the days that gave to it, or got back, with `corrects` a bill of the corrected disbursement. */
export type DayOutlay = {
  readonly kind: OutlayKind
  readonly amount: Paise
  readonly evidence: readonly Buffer[]
  readonly corrects: Buffer | null
  readonly days: readonly IstDay[]
  readonly parts: readonly Paise[]
}

export const listOutlays = (from: Queryable, day: IstDay): Promise<DayOutlay[]> =>
  from.query<DayOutlay>(sql`
    select t.kind, t.amount, r.evidence, c.corrects, coalesce(a.days, '{}') as days, coalesce(a.parts, '{}') as parts
      from transfer t
      cross join lateral (select coalesce(array_agg(e.hash order by e.hash), '{}') as evidence from evidence e where e.kind = t.kind and e.ref = t.ref) r
      cross join lateral (
        select array_agg(p.day order by p.day) as days, array_agg(abs(p.paise)::bigint order by p.day) as parts from help_allotment p where p.entry_id = t.ref
           and t.kind in ('disbursement', 'disbursement_back')) a
      left join lateral (
        select min(e.hash) as corrects from disbursement d join evidence e on e.kind = 'disbursement' and e.ref = d.corrects
         where d.id = t.ref and t.kind = 'disbursement_back') c on true
     where t.kind in ('disbursement', 'disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered') and t.day = ${day}::date
     order by r.evidence, t.amount`)

/** The days with an open share of help at a day's end, the oldest first. */
export const listOpenHelp = (from: Queryable, day: IstDay): Promise<{ readonly day: IstDay; readonly open: Paise }[]> =>
  from.query(sql`select day, open from help_days(${day}::date) where open <> 0 order by day`)

/** A member's balance and hold at a day's end. */
export type MemberState = { readonly memberId: bigint; readonly balance: Paise; readonly held: Paise }

/** The members with an id above `after` and up to `last`, including members who had nothing. */
export const listMemberStates = (from: Queryable, day: IstDay, after: bigint, last: bigint): Promise<MemberState[]> => {
  const inPage = (id: Sql): Sql => sql`${id} > ${after}::bigint and ${id} <= ${last}::bigint`
  // Only wallets have ids above 1,000: the indexes of their transfers leave all others out.
  const ofWallet = (side: Sql): Sql => sql`t.day > ${day}::date and ${side} > 1000 and ${inPage(side)}`
  return from.query<MemberState>(sql`
    with later as (
      select member_id, sum(moved) as moved, sum(held) as held from (
        select j.member_id, -entry_fee() as moved, 0::bigint as held from round_join j
         where j.day > ${day}::date and ${inPage(sql`j.member_id`)}
        union all
        select t.credit, t.amount, case when t.kind in ('wd_back', 'refund_failed') then -t.amount else 0 end from transfer t
         where ${ofWallet(sql`t.credit`)}
        union all
        select t.debit, -t.amount, case when t.kind in ('wd_hold', 'refund_hold') then t.amount else 0 end from transfer t
         where ${ofWallet(sql`t.debit`)}
        union all
        select w.member_id, 0, -t.amount from transfer t join withdrawal w on w.id = t.ref::uuid
         where t.day > ${day}::date and t.kind = 'wd_paid' and ${inPage(sql`w.member_id`)}
        union all
        select r.member_id, 0, -t.amount from transfer t join refund r on r.id = t.ref::uuid
         where t.day > ${day}::date and t.kind = 'refund_paid' and ${inPage(sql`r.member_id`)}) moves
       group by member_id)
    select w.member_id as "memberId", (w.balance - coalesce(later.moved, 0))::bigint as balance, (w.held - coalesce(later.held, 0))::bigint as held
      from wallet w left join later using (member_id) where ${inPage(sql`w.member_id`)} order by w.member_id`)
}

/** The amount of refunds pending at a day's end for payments that belong to no member. */
export async function readForeignRefunds(from: Queryable, day: IstDay): Promise<Paise> {
  const { REFUNDS_PENDING, SUSPENSE } = ACCOUNTS
  const { amount } = await from.one<{ amount: Paise }>(sql`
    select coalesce(sum(case when credit = ${REFUNDS_PENDING}::bigint then amount else -amount end), 0)::bigint as amount from transfer t
         where day <= ${day}::date and kind in ('suspense_refund', 'refund_paid', 'refund_failed') and (kind = 'suspense_refund' or kind = 'refund_failed' and credit = ${SUSPENSE}::bigint
            or kind = 'refund_paid' and exists (select from refund r where r.id::text = t.ref and r.suspense_id is not null))`)
  return amount
}
