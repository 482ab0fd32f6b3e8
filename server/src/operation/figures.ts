/**
 * The gauge of the disk, and the gauges of /metrics that are read from the database: a restart forgets nothing, and every process shows
 * the same.
 * - One statement reads all of the database.
 * - A scrape is cheap however old the books are. Each figure reads an index from its end, a partial index of open rows, or a
 *   table with a row per failure. Counts of queues stop at MOST.
 */
import { Gauge, type Registry } from '@prometheus-io/client'
import { UNAUDITED_SECONDS } from '../db/heartbeat.ts'
import { type Db, joinSql, type Sql, sql } from '../db/sql.ts'
import { NO_ROUND_TODAY } from '../ledger/rounds.ts'
import { DISK_USED, diskUsed } from './disk-use.ts'
import { FINDINGS } from '../ledger/audit-findings.ts'

/** Counting further would tell an operator nothing more. */
const MOST = 10_000

export type Witnesses = { readonly keys: readonly string[]; readonly quorum: number }
/** `read` gives one number, never null. */
type Figure = { readonly name: string; readonly help: string; readonly read: Sql }

/** Seconds since `since`; 0 if there is nothing to wait for or the moment is still to come. */
const secondsSince = (since: Sql): Sql => sql`coalesce(greatest(extract(epoch from roz_now() - (${since})), 0), 0)`
const countUpTo = (rows: Sql): Sql => sql`(select count(*) from (${rows} limit ${MOST}::int) as counted)`

/** A value above zero needs a person. */
const MONEY_TO_LOOK_AT: readonly Figure[] = [
  {
    name: 'roz_work_parked',
    help: 'Due work that failed again and again and is tried rarely: shown by roz work list',
    read: countUpTo(sql`select 1 from parked_work`),
  },
  {
    name: 'roz_withdrawals_contradicted',
    help: 'Withdrawals whose status or amount at the gateway contradicts our books',
    read: countUpTo(sql`select 1 from withdrawal where flags && array['gateway_conflict', 'other_amount']`),
  },
  {
    name: 'roz_refunds_contradicted',
    help: 'Refunds whose status or amount at the gateway contradicts our books',
    read: countUpTo(sql`select 1 from refund where problem in ('gateway_conflict', 'other_amount')`),
  },
  {
    name: 'roz_disputes_unbooked',
    help: 'Disputes whose money could not be booked',
    read: countUpTo(sql`select 1 from dispute where problem is not null`),
  },
  {
    name: 'roz_disputes_open',
    help: 'Disputes that await our answer or a decision',
    read: countUpTo(sql`select 1 from dispute where state = 'open'`),
  },
  {
    name: 'roz_audit_broken_invariants',
    help: 'Invariants of money that audits found broken and no later audit found whole again',
    read: sql`(select count(*) from ${FINDINGS} standing)`,
  },
  {
    name: 'roz_audit_age_seconds',
    help: 'Seconds that servers have run since an audit ended',
    read: UNAUDITED_SECONDS,
  },
  {
    name: 'roz_full_audit_age_seconds',
    help: 'Seconds since an audit of all days and members ended, or since the first audit',
    read: secondsSince(sql`select coalesce(max(finished_at) filter (where scope = 'full'), min(started_at)) from audit_run`),
  },
  {
    name: 'roz_books_waiting',
    help: 'Ended days without books because the books of a day are held, that day included',
    read: sql`coalesce((select ist_day(roz_now()) - h.day from books_hold h
      where not exists (select from books_day b where b.day = h.day) order by h.day limit 1), 0)`,
  },
]

/** 0 or 1. */
const CLOCK: readonly Figure[] = [
  {
    name: 'roz_clock_doubted',
    help: "1 while the database's clock is doubted and the product's clock stands still, else 0",
    read: sql`(select (doubted_at is not null)::int from clock_offset)`,
  },
  {
    name: 'roz_round_missing',
    help: '1 while nobody can join today because there is no open round of today, else 0. A round that was closed before its time counts as open',
    read: sql`(select (${NO_ROUND_TODAY})::int)`,
  },
]

/** Work whose time has come. A few seconds are normal. */
const WAITING: readonly Figure[] = [
  {
    name: 'roz_mail_queue_age_seconds',
    help: 'How long the oldest due mail to a single member waits to be sent',
    read: secondsSince(sql`select min(due_at) from job where done_at is null and kind = 'mail'`),
  },
  {
    name: 'roz_mass_mail_queue_age_seconds',
    help: 'How long the oldest due mail to many members waits to be sent',
    read: secondsSince(sql`select min(due_at) from job where done_at is null and kind = 'mass_mail'`),
  },
  {
    name: 'roz_job_queue_age_seconds',
    help: 'How long the oldest due job waits to be run, mails excepted',
    read: secondsSince(sql`select min(due_at) from job where done_at is null and kind not in ('mail', 'mass_mail')`),
  },
  {
    name: 'roz_orders_unsettled',
    help: `Orders whose question to the gateway is overdue, at most ${MOST}`,
    read: countUpTo(sql`select 1 from order_check where ask_at <= roz_now()`),
  },
  {
    name: 'roz_order_question_age_seconds',
    help: 'How long the oldest due question about an order waits',
    read: secondsSince(sql`select min(ask_at) from order_check where ask_at is not null`),
  },
  {
    name: 'roz_payout_question_age_seconds',
    help: 'How long the oldest due question about a withdrawal or a refund waits',
    read: secondsSince(sql`select min(ask_at) from payout_check where ask_at is not null`),
  },
  {
    name: 'roz_gateway_silence_seconds',
    help: 'How long a gateway has answered no call, from the first call without an answer; of payments and payouts the longer',
    read: secondsSince(sql`select min(since) from gateway_silence`),
  },
  {
    name: 'roz_gateway_foreign_answers',
    help: 'Kinds of calls to a gateway that in the last 24 hours got an old answer, or one about another id; none was believed',
    read: sql`(select count(*) from foreign_answer where last_at > roz_now() - interval '1 day')`,
  },
  {
    name: 'roz_round_late_seconds',
    help: 'How long a round is open after its end',
    read: secondsSince(sql`select min(closes_at) from round where status = 'open'`),
  },
  {
    name: 'roz_beacon_wait_seconds',
    help: 'How long the oldest draw waits for the number of its public beacon, from the time for which the number was announced',
    read: secondsSince(sql`
      select min(draw_at) from round where status = 'closed' and mode = 'drand' and return_day is null
         and not exists (select from beacon_signature s where s.chain_hash = round.chain_hash and s.round = round.beacon_round)`),
  },
]

const witnessWait = ({ keys, quorum }: Witnesses): Figure => ({
  name: 'roz_witness_wait_seconds',
  help: 'Age of the oldest signed state of the log without a quorum of witnesses, among those since the newest one with a quorum; 0 without WITNESS_KEYS',
  read:
    keys.length === 0
      ? sql`0`
      : sql`(with newest as (
          select c.created_at, c.size, (select count(*) from cosignature s where s.size = c.size and s.key = any(${keys}::text[])) >= ${quorum}::int as is_sealed
            from (select size, created_at from checkpoint order by size desc limit 50) c)
        select ${secondsSince(sql`select min(created_at) from newest where size > coalesce((select max(size) from newest where is_sealed), 0)`)})`,
})

/**
 * The lag is visible only to members of pg_read_all_stats; the number of standbys and their names are to everybody.
 * A copy of the database that is being made (by Patroni, by hand) is no standby: at its end it would look like a lost one.
 */
const STANDBY = sql`pg_stat_replication where application_name is distinct from 'pg_basebackup'`
const STANDBYS: readonly Figure[] = [
  { name: 'roz_standbys', help: 'Standbys that receive the log of the database', read: sql`(select count(*) from ${STANDBY})` },
  {
    name: 'roz_replication_lag_seconds',
    help: "The slowest standby's delay until it shows a commit; -1 if the role of DATABASE_URL may not see it",
    read: sql`(select case when count(*) > 0 and not pg_has_role('pg_read_all_stats', 'usage') then -1
      else coalesce(max(extract(epoch from replay_lag)), 0) end from ${STANDBY})`,
  },
]

/** Notes of the cluster that this one was copied from do not count. */
const BACKUP_AGE = sql`(select greatest(extract(epoch from roz_now() - at), 0) from backup_note
  where what = 'backup' and cluster = (select system_identifier::text from pg_control_system()))`
/** With a limit on the age of a segment, or after a failure, the age of the last archived one says how much is missing. */
const ARCHIVED_AT = sql`(select coalesce(last_archived_time, stats_reset) from pg_stat_archiver
  where current_setting('archive_mode') <> 'off'
    and (current_setting('archive_timeout') <> '0' or last_failed_time > coalesce(last_archived_time, '-infinity')))`

const BACKUPS: readonly Figure[] = [
  {
    name: 'roz_backup_age_seconds',
    help: 'Seconds since the newest whole backup was complete; -1 if none is known',
    read: sql`coalesce(${BACKUP_AGE}, -1)`,
  },
  {
    name: 'roz_backup_log_age_seconds',
    help: 'Seconds since the log of commits last reached its backup; 0 where it is not archived',
    // PostgreSQL stamps by the machine's clock, which the clock of the product follows in production.
    read: sql`coalesce(extract(epoch from now() - ${ARCHIVED_AT}), 0)`,
  },
]

export const figuresFor = (witnesses: Witnesses): readonly Figure[] => [
  ...CLOCK,
  ...MONEY_TO_LOOK_AT,
  ...WAITING,
  witnessWait(witnesses),
  ...STANDBYS,
  ...BACKUPS,
]

export type Sources = { readonly db: Db; readonly witnesses: Witnesses; readonly dataDir: string }

/** All figures by name. */
export async function readFigures({ db, witnesses, dataDir }: Sources): Promise<ReadonlyMap<string, number>> {
  const figures = figuresFor(witnesses)
  const all = sql`select array[${joinSql(figures.map(({ read }) => sql`(${read})::float8`))}] as values`
  const { values } = await db.one<{ values: readonly number[] }>(all)
  return new Map([...figures.map(({ name }, place) => [name, values[place] as number] as const), [DISK_USED.name, await diskUsed(dataDir)]])
}

/** Registers the gauges; the answer reads all of them. */
export function registerFigures(registry: Registry, from: Sources): () => Promise<void> {
  const all = [...figuresFor(from.witnesses), DISK_USED]
  const gauges = new Map(all.map(({ name, help }) => [name, new Gauge({ name, help, registers: [registry] })]))
  return async () => {
    for (const [name, value] of await readFigures(from)) gauges.get(name)?.set(value)
  }
}
