/**
 * The statement that joins members to today's round: one member or a thousand, each with an outcome
 * of its own. Invariants: the statement finds the round by its own clock and shares its row until it
 * commits, so that a close waits for it; every judgement reads the locked, newest wallet; the new
 * balance is computed from that locked row; the pool is one row per batch and no one's lock.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { JOINS_PER_YEAR_MAX, type JoinRefusal } from '@roz/core/round.ts'
import { empty, type Sql, sql } from '../db/sql.ts'

/** busy: another transaction holds the wallet; the member is retried alone, where waiting hurts nobody else. */
export type JoinVerdict = 'joined' | 'replayed' | 'busy' | 'may_not_move' | JoinRefusal
export type JoinRow = {
  readonly memberId: bigint
  readonly verdict: JoinVerdict
  readonly balance: Paise | null
  readonly day: IstDay | null
  readonly batchId: bigint | null
  readonly at: Date | null
}
export type JoinVia = 'member' | 'auto' | 'topup'

/** Today's round, if it takes joins now. */
export const OPEN_ROUND = sql`
  select day, extract(year from day)::smallint as year from round
   where day = ist_day(roz_now()) and status = 'open' and opens_at <= roz_now() and closes_at > roz_now()
     for share`

/**
 * From locked wallets `l` to what is written: `judged` gives each its verdict, `paid` takes the fee,
 * `batch` and `entry` write the pool's side and the members'. `l` carries the wallet's columns, the
 * round's day and year, and `key_prefix`.
 */
export const joinSteps = (uuid: string, via: JoinVia): Sql => sql`
judged as materialized (
  select l.member_id, l.balance, l.seq, l.joins, l.day, l.year, l.key_prefix,
         case when l.join_year = l.year then l.year_joins else 0 end as year_joins,
         case when l.key_prefix = l.last_key and l.last_round >= l.day - 1 then 'replayed'
              when l.last_round >= l.day then 'already_joined'
              when not l.may_move then 'may_not_move'
              when l.join_year = l.year and l.year_joins >= ${JOINS_PER_YEAR_MAX}::int then 'yearly_maximum'
              when l.balance < entry_fee() then 'insufficient_balance'
              else 'joined' end as verdict
    from l),
paid as (
  update wallet w
     set balance = j.balance - entry_fee(), seq = j.seq + 1, last_round = j.day, last_key = j.key_prefix, joins = j.joins + 1,
         join_year = j.year, year_joins = j.year_joins + 1
    from judged j where w.member_id = j.member_id and j.verdict = 'joined'
  returning w.member_id, w.balance, w.seq, j.day, j.key_prefix),
batch as (
  insert into join_batch (uuid, day, via, n, amount)
  select ${uuid}::uuid, min(day), ${via}::text, count(*), count(*) * entry_fee() from paid having count(*) > 0
  returning batch_id, created_at),
entry as (
  insert into round_join (batch_id, member_id, balance_after, wallet_seq, day, key_prefix)
  select batch.batch_id, paid.member_id, paid.balance, paid.seq, paid.day, paid.key_prefix
    from paid cross join batch order by paid.member_id)`

/** `skipLocked`: a wallet that someone else holds is busy; without it the statement waits. */
export function joinStatement(batch: {
  readonly uuid: string
  readonly via: JoinVia
  readonly memberIds: readonly bigint[]
  readonly keyPrefixes: readonly (bigint | null)[]
  readonly skipLocked: boolean
}): Sql {
  return sql`
with r as materialized (${OPEN_ROUND}),
req as materialized (
  select member_id, key_prefix from unnest(${batch.memberIds}::bigint[], ${batch.keyPrefixes}::bigint[]) as u(member_id, key_prefix)),
l as materialized (
  select w.member_id, w.balance, w.seq, w.last_round, w.last_key, w.joins, w.join_year, w.year_joins, w.may_move, r.day, r.year, req.key_prefix
    from req join wallet w using (member_id) cross join r
   order by w.member_id for no key update of w ${batch.skipLocked ? sql`skip locked` : empty}),
${joinSteps(batch.uuid, batch.via)}
select req.member_id as "memberId", paid.balance, paid.day, batch.batch_id as "batchId", batch.created_at as at,
       coalesce(judged.verdict,
         (select case when w.last_key = req.key_prefix and w.last_round >= ist_day(roz_now()) - 1 then 'replayed'
                      when not exists (select from r) then 'round_closed'
                      else 'busy' end
            from wallet w where w.member_id = req.member_id),
         'may_not_move') as verdict
  from req left join judged using (member_id) left join paid using (member_id) left join batch on true`
}

/** Which of these members an earlier sending of theirs has joined: its answer may have been lost. */
export const joinsOfBatches = (uuids: readonly string[], memberIds: readonly bigint[]): Sql => sql`
  select j.member_id as "memberId", j.balance_after as balance, j.day, j.batch_id as "batchId", b.created_at as at
    from join_batch b join round_join j on j.day = b.day and j.batch_id = b.batch_id
   where b.uuid = any(${uuids}::uuid[]) and j.member_id = any(${memberIds}::bigint[])`

/** The newest join of each member: the first answer to a key that came again. */
export const newestJoins = (memberIds: readonly bigint[]): Sql => sql`
  select j.member_id as "memberId", j.balance_after as balance, j.day, j.batch_id as "batchId", b.created_at as at
    from wallet w join round_join j on j.day = w.last_round and j.member_id = w.member_id join join_batch b using (batch_id)
   where w.member_id = any(${memberIds}::bigint[])`
