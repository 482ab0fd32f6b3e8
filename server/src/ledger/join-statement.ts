/**
 * The statement that joins members to today's round: one member or a thousand, each with an outcome
 * of its own. Invariants: the statement finds the round by its own clock and shares its row until it
 * commits, so that a close waits for it; who may join is judged on the row that the update holds, its
 * newest version, and the new balance is computed from that row; nobody is refused but on a wallet
 * that the statement has locked; the pool is one row per batch and no one's lock.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { JOINS_PER_YEAR_MAX, type JoinRefusal } from '@roz/core/round.ts'
import { empty, one, type Queryable, type Sql, sql, sqlState } from '../db/sql.ts'

/** busy: another transaction holds the wallet, or has just changed it; the member is retried alone, where waiting hurts nobody else. */
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

/**
 * What becomes of a wallet that someone else holds. `wait_briefly`: it is waited for so long that a
 * payment can commit, then the whole statement ends and is sent again with `skip` (passingHeld): then it
 * is busy. Taking all wallets before, as `skip` must, logs and looks up each of them twice. `wait`: by
 * whoever has locked it in this very transaction.
 */
export type HeldWallets = 'wait_briefly' | 'skip' | 'wait'

/** Below the time after which the database looks for deadlocks: two that wait for each other part before. */
const BRIEFLY_MS = 50
const LOCK_NOT_AVAILABLE = '55P03'

/** Sends the quick form; where a wallet stays locked elsewhere, the form that passes it over. */
export async function passingHeld<T>(send: (held: HeldWallets) => Promise<T>): Promise<T> {
  try {
    return await send('wait_briefly')
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    return send('skip')
  }
}

/** Today's round, if it takes joins now. The bound on waits stands before any wallet is touched. */
export const openRound = (held: HeldWallets): Sql => sql`
  select day, extract(year from day)::smallint as year from round
   where day = ist_day(roz_now()) and status = 'open' and opens_at <= roz_now() and closes_at > roz_now()
     ${held === 'wait_briefly' ? sql`and (select set_config('lock_timeout', ${`${BRIEFLY_MS}ms`}::text, true)) is not null` : empty}
     for share`

/** The verdict on a wallet `w` in a round `r`. */
export const verdictOn = ({ key, mayMove = sql`w.may_move` }: { readonly key: Sql; readonly mayMove?: Sql }): Sql => sql`
         case when ${key} = w.last_key and w.last_round >= r.day - 1 then 'replayed'
              when w.last_round >= r.day then 'already_joined'
              when not (${mayMove}) then 'may_not_move'
              when w.join_year = r.year and w.year_joins >= ${JOINS_PER_YEAR_MAX}::int then 'yearly_maximum'
              when w.balance < entry_fee() then 'insufficient_balance'
              else 'joined' end`

/** Takes the fee from a wallet `w` for a round `r`. Append from where, and which wallets. */
export const takeFee = (key: Sql): Sql => sql`
  update wallet w
     set balance = w.balance - entry_fee(), seq = w.seq + 1, last_round = r.day, last_key = ${key}, joins = w.joins + 1,
         join_year = r.year, year_joins = case when w.join_year = r.year then w.year_joins else 0 end + 1`

/** What those who have `paid` are written down as: the pool's side, and the members'. */
export const entrySteps = (uuid: string, via: JoinVia): Sql => sql`
batch as (
  insert into join_batch (uuid, day, via, n, amount)
  select ${uuid}::uuid, min(day), ${via}::text, count(*), count(*) * entry_fee() from paid having count(*) > 0
  returning batch_id, created_at),
entry as (
  insert into round_join (batch_id, member_id, balance_after, wallet_seq, day, key_prefix)
  select batch.batch_id, paid.member_id, paid.balance, paid.seq, paid.day, paid.key_prefix
    from paid cross join batch order by paid.member_id)`

const KEY = sql`q.key_prefix`
const BY_MEMBER = verdictOn({ key: KEY })
/** Whom Auto Participate joins must want it on the row that pays: a switch turned off before it is obeyed, however long it waited. */
export const MAY_AUTO_JOIN = sql`w.may_move and w.auto_join`
const BY_ITSELF = verdictOn({ key: KEY, mayMove: MAY_AUTO_JOIN })

export type JoinsWanted = {
  readonly uuid: string
  readonly via: JoinVia
  readonly memberIds: readonly bigint[]
  readonly keyPrefixes: readonly (bigint | null)[]
  readonly held: HeldWallets
}
/** One row for all of them: a row for each would cost the server more to read than all else that it does for a join. */
type Answered = Pick<JoinRow, 'day' | 'batchId' | 'at'> & {
  /** One after the other, by commas: the driver would look at each letter of a list of texts. */
  readonly verdicts: string
  readonly balances: readonly (Paise | null)[]
}

/** Joins members; what became of each, in their order. */
export async function joinMembers(from: Queryable, wanted: JoinsWanted): Promise<JoinRow[]> {
  const { verdicts, balances, day, batchId, at } = await one<Answered>(from, joinStatement(wanted))
  const became = verdicts.split(',') as JoinVerdict[]
  // Paired by place: a list that is shorter would give somebody another one's outcome.
  if (became.length !== wanted.memberIds.length || balances.length !== became.length)
    throw new Error('the join statement left a member out')
  return wanted.memberIds.map((memberId, index) => {
    const [verdict, balance] = [became[index] as JoinVerdict, balances[index] as Paise | null]
    return verdict === 'joined'
      ? { memberId, verdict, balance, day, batchId, at }
      : { memberId, verdict, balance, day: null, batchId: null, at: null }
  })
}

function joinStatement(batch: JoinsWanted): Sql {
  const verdict = batch.via === 'member' ? BY_MEMBER : BY_ITSELF
  // In a select of its own: a plan that sees how short a list is looks so cheap that each statement would be planned anew.
  const asked = sql`unnest((select ${batch.memberIds}::bigint[]), (select ${batch.keyPrefixes}::bigint[])) with ordinality as u(member_id, key_prefix, place)`
  return sql`
with r as materialized (${openRound(batch.held)}),
req as materialized (select member_id, key_prefix, place from ${asked} order by member_id),
q as materialized (
  select req.member_id, req.key_prefix from req
   ${batch.held === 'skip' ? sql`join wallet w using (member_id) cross join r order by w.member_id for no key update of w skip locked` : empty}),
paid as (${takeFee(KEY)}
    from q cross join r where w.member_id = q.member_id and ${verdict} = 'joined'
  returning w.member_id, w.balance, w.seq, r.day, q.key_prefix),
refused as materialized (
  select w.member_id, ${verdict} as verdict
    from q join wallet w using (member_id) cross join r
   where q.member_id not in (select member_id from paid) and ${verdict} <> 'joined'
   order by w.member_id for no key update of w skip locked),
${entrySteps(batch.uuid, batch.via)},
became as (
  select req.place, paid.balance,
         coalesce(case when paid.day is not null then 'joined' end, refused.verdict,
           (select case when w.last_key = req.key_prefix and w.last_round >= ist_day(roz_now()) - 1 then 'replayed'
                        when not exists (select from r) then 'round_closed'
                        else 'busy' end
              from wallet w where w.member_id = req.member_id),
           'may_not_move') as verdict
    from req left join paid using (member_id) left join refused using (member_id))
select array_agg(balance order by place) as balances, string_agg(verdict, ',' order by place) as verdicts,
       (select day from r) as day, (select batch_id from batch) as "batchId", (select created_at from batch) as at
  from became`
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
