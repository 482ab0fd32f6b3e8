/**
 * Auto Participate: joins every opted-in member who has a rupee to the day's round, page by page over member ids.
 * - A page and its cursor move in one statement: a crash resumes, and a second run charges nobody.
 * - A round that is not open answers `closed`.
 * - A member without a rupee, at the yearly maximum or with a locked wallet is recorded in `auto_skip`.
 * - A member whose wallet was locked is tried again before the day is done.
 * - Smaller pages isolate a member on whom a page fails. That member is skipped and tried alone; no other member fails.
 */
import { randomUUID } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, empty, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { type Attempt, isResting } from '../jobs/parking.ts'
import { joinAlone } from './join-alone.ts'
import type { JoinOutcome } from './join-outcome.ts'
import { entrySteps, type HeldWallets, MAY_AUTO_JOIN, openRound, passingHeld, takeFee, verdictOn } from './join-statement.ts'

type AutoJoinPage =
  | { readonly state: 'page'; readonly scanned: number; readonly joined: number }
  /** This lane is finished. */
  | { readonly state: 'done' }
  /** The day's round takes no joins. */
  | { readonly state: 'closed' }

const LANES = 2
const PAGE = 5_000
const HIGHEST_ID = 9_223_372_036_854_775_807n

/** Splits the members into ranges of ids, one lane each; once a day. */
export async function startAutoJoin(db: Db, day: IstDay, lanes: number = LANES): Promise<void> {
  await db.query(sql`with ids as (select coalesce(min(member_id), 1001) - 1 as low, coalesce(max(member_id), 1001) as high from wallet),
          cut as (select lane, low + (high - low) * lane / ${lanes}::int as low,
                         case when lane = ${lanes}::int - 1 then ${HIGHEST_ID}::bigint else low + (high - low) * (lane + 1) / ${lanes}::int end as high
                    from ids cross join generate_series(0, ${lanes}::int - 1) lane)
        insert into auto_cursor (day, lane, low, high, last_id)
        select ${day}::date, lane, low, high, low from cut
        on conflict (day, lane) do nothing`)
}

export async function autoJoinPage(db: Db, day: IstDay, lane: number, pageSize: number = PAGE): Promise<AutoJoinPage> {
  const page = { uuid: randomUUID(), day, lane, pageSize }
  const row = await passingHeld((held) => db.maybeOne<PageRow>(pageStatement(page, held)))
  if (row === undefined || !row.live) return { state: 'done' }
  return row.open ? { state: 'page', scanned: row.scanned, joined: row.joined } : { state: 'closed' }
}

type PageRow = { readonly open: boolean; readonly live: boolean; readonly scanned: number; readonly joined: number }
type PageWanted = { readonly uuid: string; readonly day: IstDay; readonly lane: number; readonly pageSize: number }

const NO_KEY = sql`null::bigint`
const VERDICT = verdictOn({ key: NO_KEY, mayMove: MAY_AUTO_JOIN })

/** One index range finds the page's members. Members of the page who did not pay are judged in `refused`. */
const pageStatement = ({ uuid, day, lane, pageSize }: PageWanted, held: HeldWallets): Sql => sql`
with c as materialized (
  select day, lane, last_id, high from auto_cursor where day = ${day}::date and lane = ${lane}::smallint and not done for update),
r as materialized (select r.day, r.year from (${openRound(held)}) r where r.day = ${day}::date),
page as materialized (
  select w.member_id from c cross join r cross join lateral (
    select member_id from wallet where auto_join and member_id > c.last_id and member_id <= c.high
     order by member_id limit ${pageSize}::int) w),
${
  held === 'skip'
    ? sql`mine as materialized (
  select w.member_id from page join wallet w using (member_id) order by w.member_id for no key update of w skip locked),`
    : empty
}
paid as (${takeFee(NO_KEY)}
    from c cross join r
   where w.auto_join and w.member_id > c.last_id and w.member_id <= (select max(member_id) from page)
     ${held === 'skip' ? sql`and w.member_id in (select member_id from mine)` : empty} and ${VERDICT} = 'joined'
  returning w.member_id, w.balance, w.seq, r.day, w.last_key as key_prefix),
refused as materialized (
  select w.member_id, ${VERDICT} as verdict
    from page join wallet w using (member_id) cross join r
   where page.member_id not in (select member_id from paid) and ${VERDICT} <> 'joined'
   order by w.member_id for no key update of w skip locked),
${entrySteps(uuid, 'auto')},
skipped as (
  insert into auto_skip (day, member_id, reason)
  select ${day}::date, member_id, verdict from refused where verdict in ('insufficient_balance', 'yearly_maximum')
  union all
  select ${day}::date, member_id, 'busy' from page where member_id not in (select member_id from paid union all select member_id from refused)
  on conflict do nothing),
moved as (
  update auto_cursor a
     set last_id = coalesce((select max(member_id) from page), a.last_id), done = (select count(*) from page) < ${pageSize}::int
    from c, r where a.day = c.day and a.lane = c.lane)
select exists (select from r) as open, exists (select from c) as live,
       (select count(*) from page)::int as scanned, (select count(*) from paid)::int as joined`

type AutoJoinRun = { readonly state: 'done' | 'closed' | 'busy'; readonly joined: number }

/**
 * Runs the whole day's auto-join; a second run resumes.
 * - `closed`: the round stopped taking joins before all members were processed.
 * - `busy`: only members whose wallet stayed locked are left.
 */
export async function runAutoJoin(
  db: Db,
  day: IstDay,
  options: { readonly lanes?: number; readonly pageSize?: number; readonly attempt?: Attempt } = {},
): Promise<AutoJoinRun> {
  const { lanes = LANES, pageSize = PAGE, attempt = atOnce } = options
  await startAutoJoin(db, day, lanes)
  const runs = await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(db, day, lane, pageSize)))
  const busy = await joinBusy(db, day, attempt)
  return {
    state: runs.some((run) => run.state === 'closed') ? 'closed' : busy.state,
    joined: runs.reduce((sum, run) => sum + run.joined, busy.joined),
  }
}

/** Runs the work without counting failures. */
const atOnce: Attempt = async (_work, _item, run) => ({ ok: true, value: await run() })

const STEP = 8

async function runLane(db: Db, day: IstDay, lane: number, pageSize: number): Promise<AutoJoinRun> {
  let joined = 0
  for (let size = pageSize; ; ) {
    let page: AutoJoinPage
    try {
      page = await autoJoinPage(db, day, lane, size)
    } catch (error) {
      if (size === 1 && !(await passOver(db, day, lane))) throw error
      size = Math.max(1, Math.floor(size / STEP))
      continue
    }
    if (page.state !== 'page') return { state: page.state, joined }
    joined += page.joined
    size = Math.min(pageSize, size * STEP)
  }
}

/** Moves the cursor past a member whose own page fails; `joinBusy` tries again. False: the lane is at its end. */
async function passOver(db: Db, day: IstDay, lane: number): Promise<boolean> {
  const passed = await db.query(sql`
    with c as materialized (
      select day, lane, last_id, high from auto_cursor where day = ${day}::date and lane = ${lane}::smallint and not done for update),
    failing as materialized (
      select w.member_id from c join wallet w on w.auto_join and w.member_id > c.last_id and w.member_id <= c.high order by w.member_id limit 1),
    skipped as (
      insert into auto_skip (day, member_id, reason) select ${day}::date, member_id, 'busy' from failing on conflict do nothing)
    update auto_cursor a set last_id = failing.member_id from c, failing where a.day = c.day and a.lane = c.lane returning a.lane`)
  return passed.length === 1
}

/** Joins the members whom the pages left out (locked wallet, failed page): one by one, waiting for each wallet. */
async function joinBusy(db: Db, day: IstDay, attempt: Attempt): Promise<AutoJoinRun> {
  const busy = await db.query<{ memberId: bigint }>(sql`
    select member_id as "memberId" from auto_skip where day = ${day}::date and reason = 'busy'
           and not ${isResting('auto_join', sql`day::text || ' member ' || member_id`)} order by member_id`)
  let joined = 0
  let isLeft = false
  for (const { memberId } of busy) {
    // A member on whom the join fails is retried later, and does not stop the others.
    const tried = await attempt('auto_join', `${day} member ${memberId}`, () =>
      joinAlone(db, { memberId, keyPrefix: null, sentIn: [] }, 'auto'),
    )
    if (!tried.ok) continue
    const outcome = tried.value
    if (!outcome.ok && outcome.code === 'round_closed') return { state: 'closed', joined }
    if (outcome.ok && outcome.value.day === day) joined++
    if (!outcome.ok && outcome.code === 'overloaded') isLeft = true
    else await keepReason(db, day, memberId, outcome)
  }
  return { state: isLeft ? 'busy' : 'done', joined }
}

async function keepReason(db: Db, day: IstDay, memberId: bigint, outcome: JoinOutcome): Promise<void> {
  const reason = !outcome.ok && (outcome.code === 'insufficient_balance' || outcome.code === 'yearly_maximum') ? outcome.code : undefined
  await db.query(
    reason === undefined
      ? sql`delete from auto_skip where day = ${day}::date and member_id = ${memberId}::bigint`
      : sql`update auto_skip set reason = ${reason}::text where day = ${day}::date and member_id = ${memberId}::bigint`,
  )
}

/** Joins a member with Auto Participate who was skipped at midnight and has topped up since. */
export const joinAfterTopup = (db: Db, memberId: bigint): Promise<JoinOutcome> =>
  joinAlone(db, { memberId, keyPrefix: null, sentIn: [] }, 'topup')

/** Whether today's auto-join skipped this member for lack of a rupee. */
export async function missedAutoJoin(tx: Tx, memberId: bigint): Promise<boolean> {
  const row = await tx.maybeOne(sql`select 1 from auto_skip s join wallet w using (member_id)
         where s.day = ist_day(roz_now()) and s.member_id = ${memberId}::bigint and s.reason = 'insufficient_balance'
           and w.auto_join and w.may_move and w.last_round < s.day`)
  return row !== undefined
}
