/**
 * The statement that joins one to a thousand members to today's round, each with an outcome of its own.
 * - The statement finds the round by its own clock and shares the round's row until it commits: a close waits for it.
 * - A member is judged, and the new balance computed, on the row version that the update locks.
 * - A member is refused only on a wallet that the statement has locked.
 * - The pool is one row per batch, and no lock is shared by all joins.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { JOINS_PER_YEAR_MAX, type JoinRefusal } from '@roz/core/round.ts'
import { empty, type Queryable, type Sql, sql, sqlState } from '../db/sql.ts'

/**
 * `busy`: another transaction has the wallet's lock, or has just changed the wallet. The member is retried alone, where waiting delays
 * nobody else.
 */
type JoinVerdict = 'joined' | 'replayed' | 'busy' | 'may_not_move' | JoinRefusal
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
 * How the statement treats a wallet that another transaction has locked.
 * - `wait_briefly`: waits up to 50 ms for the lock, so that a payment can commit. Then the statement fails and is sent again with `skip`
 *   (passingHeld).
 * - `skip`: the member is `busy`. Slower: it locks all wallets first, so that each is looked up and written to the WAL twice.
 * - `wait`: for a caller whose own transaction has the lock.
 */
export type HeldWallets = 'wait_briefly' | 'skip' | 'wait'

/** Below PostgreSQL's deadlock timeout: two statements that wait for each other give up before it looks for a deadlock. */
const BRIEFLY_MS = 50
const LOCK_NOT_AVAILABLE = '55P03'

/** Sends the fast form; if a wallet stays locked elsewhere, sends the form that skips it. */
export async function passingHeld<T>(send: (held: HeldWallets) => Promise<T>): Promise<T> {
  try {
    return await send('wait_briefly')
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    return send('skip')
  }
}

/** Today's round, if it takes joins now. Sets the lock timeout before any wallet is touched. */
export const openRound = (held: HeldWallets): Sql => sql`
  select day, extract(year from day)::smallint as year from round
   where day = ist_day(roz_now()) and status = 'open' and opens_at <= roz_now() and closes_at > roz_now()
     ${held === 'wait_briefly' ? sql`and (select set_config('lock_timeout', ${`${BRIEFLY_MS}ms`}::text, true)) is not null` : empty}
     for share`

/**
 * The verdict on a wallet `w` in a round `r`. An entry of a member whose ticket key cannot be read would have no ticket: the statement
 * reads these few members once.
 */
export const verdictOn = ({ key, mayMove = sql`w.may_move` }: { readonly key: Sql; readonly mayMove?: Sql }): Sql => sql`
         case when ${key} = w.last_key and w.last_round >= r.day - 1 then 'replayed'
              when w.last_round >= r.day then 'already_joined'
              when not (${mayMove}) or w.member_id = any(array(select member_id from unreadable_key)) then 'may_not_move'
              when w.join_year = r.year and w.year_joins >= ${JOINS_PER_YEAR_MAX}::int then 'yearly_maximum'
              when w.balance < entry_fee() then 'insufficient_balance'
              else 'joined' end`

/** Whether a wallet `w` could join the open round of this day by a press. It locks nothing: a join decides for itself. */
export const mayJoinToday = (day: string): Sql => sql`
  exists (select from (select day, extract(year from day)::smallint as year from round
                        where day = ${day}::date and day = ist_day(roz_now()) and status = 'open' and opens_at <= roz_now() and closes_at > roz_now()) r
           where ${verdictOn({ key: sql`null::bigint` })} = 'joined')`

/** Takes the fee from a wallet `w` for a round `r`. Append `from` and the condition that selects the wallets. */
export const takeFee = (key: Sql): Sql => sql`
  update wallet w
     set balance = w.balance - entry_fee(), seq = w.seq + 1, last_round = r.day, last_key = ${key}, joins = w.joins + 1,
         join_year = r.year, year_joins = case when w.join_year = r.year then w.year_joins else 0 end + 1`

/** Writes the joins of the members who `paid`: one batch for the pool, and one entry per member. */
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
/** Auto Participate must be on in the row that pays: a switch turned off during the wait is obeyed. */
export const MAY_AUTO_JOIN = sql`w.may_move and w.auto_join`
const BY_ITSELF = verdictOn({ key: KEY, mayMove: MAY_AUTO_JOIN })

type JoinsWanted = {
  readonly uuid: string
  readonly via: JoinVia
  readonly memberIds: readonly bigint[]
  readonly keyPrefixes: readonly (bigint | null)[]
  readonly held: HeldWallets
}
/** One row for all members: parsing a row for each would cost the server more than everything else in a join. */
type Answered = Pick<JoinRow, 'day' | 'batchId' | 'at'> & {
  /** Joined by commas: the driver would scan each letter of a list of texts. */
  readonly verdicts: string
  readonly balances: readonly (Paise | null)[]
}

/** Joins members, and returns their verdicts in the given order. */
export async function joinMembers(from: Queryable, wanted: JoinsWanted): Promise<JoinRow[]> {
  const { verdicts, balances, day, batchId, at } = await from.one<Answered>(joinStatement(wanted))
  const became = verdicts.split(',') as JoinVerdict[]
  // Verdicts are matched by position: a shorter list would give a member another member's outcome.
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
  // Sub-selects hide the lengths of the lists from the planner. A plan for a known short list looks so cheap that
  // PostgreSQL would plan every statement again.
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

/** The joins of these members by earlier sendings, whose answers may have been lost. */
export const joinsOfBatches = (uuids: readonly string[], memberIds: readonly bigint[]): Sql => sql`
  select j.member_id as "memberId", j.balance_after as balance, j.day, j.batch_id as "batchId", b.created_at as at
    from join_batch b join round_join j on j.day = b.day and j.batch_id = b.batch_id
   where b.uuid = any(${uuids}::uuid[]) and j.member_id = any(${memberIds}::bigint[])`

/** Each member's newest join: the first answer to a repeated key. */
export const newestJoins = (memberIds: readonly bigint[]): Sql => sql`
  select j.member_id as "memberId", j.balance_after as balance, j.day, j.batch_id as "batchId", b.created_at as at
    from wallet w join round_join j on j.day = w.last_round and j.member_id = w.member_id join join_batch b using (batch_id)
   where w.member_id = any(${memberIds}::bigint[])`
