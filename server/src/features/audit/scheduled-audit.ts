/**
 * The check of the books, by schedule: hourly over what is recent, weekly over everything; everything
 * hourly for as long as that takes no more than a minute. Invariants: one process at a time, and each
 * looks once an hour of real time, however fast a clock is set forward, and not while the day turns; it reads
 * one snapshot and changes nothing but its own report; broken books are an error in the log at every run,
 * and a mail to the owners when they are news.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { lockInTransaction } from '../../db/advisory-locks.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inSnapshot, inTransaction, type Tx } from '../../db/transaction.ts'
import { auditEach, type Checked } from '../../ledger/audit.ts'
import { createNightly } from './nightly.ts'
import { mailOwners } from './owners.ts'

export type AuditDeps = {
  readonly db: Db
  /** How often this process looks whether a run is due. */
  readonly everyMs?: number
  /** Tells the operator that the books do not add up. */
  readonly alarm: (details: object, message: string) => void
}

/** The claim keeps it hourly: who looks by the hour too may come a moment early, and again an hour later. */
const LOOK_MS = 60_000
const EVERY = sql`interval '1 hour'`
const FULL_EVERY = sql`interval '7 days'`
/** A full run this quick is made every hour. */
const QUICK = sql`interval '1 minute'`
const KEPT = sql`interval '90 days'`
/** While a round ends and the next one takes its members in, the machine is theirs: at most so long, or a draw that is stuck would keep every look away. */
const TURN = sql`interval '10 minutes'`
const TURNING = sql`
  select from round r
   where status in ('open', 'closed', 'drawn') and (closes_at <= roz_now() and closes_at > roz_now() - ${TURN}
      or opens_at <= roz_now() and opens_at > roz_now() - ${TURN} and not exists (select from auto_join_told t where t.day = r.day))`
const STATEMENT_MS = 600_000

type Run = { readonly id: bigint; readonly since: IstDay | null }

export function createAudit({ db, alarm, everyMs = LOOK_MS }: AuditDeps) {
  let lookedAt = Number.NEGATIVE_INFINITY
  async function due(): Promise<boolean> {
    if (performance.now() - lookedAt < everyMs) return false
    lookedAt = performance.now()
    const run = await inTransaction(db, claim)
    if (run === undefined) return false
    const broken = await inSnapshot(db, (from) => check(from, run.since ?? undefined), STATEMENT_MS)
    await inTransaction(db, (tx) => finish(tx, run, broken))
    if (broken.length > 0)
      alarm({ auditRun: String(run.id), broken: broken.map(summaryOf) }, 'the books do not add up: invariants of money are broken')
    return true
  }
  return { due, nightly: createNightly({ db, alarm }) }
}

async function check(from: Parameters<typeof auditEach>[0], since: IstDay | undefined): Promise<Checked[]> {
  const broken: Checked[] = []
  for await (const checked of auditEach(from, since)) if (checked.rows.length > 0) broken.push(checked)
  return broken
}

/** The log names rows, and persons by their number alone. */
const summaryOf = ({ invariant, rows, hasMore }: Checked) => ({
  invariant,
  rows: rows.length,
  hasMore,
  first: rows.slice(0, 3).map(({ subject, found }) => `${subject}: ${found}`),
})

/** Takes the run for one process, and says how far it looks. */
async function claim(tx: Tx): Promise<Run | undefined> {
  await lockInTransaction(tx, 'auditRun')
  await tx.query(sql`delete from audit_run where started_at < roz_now() - ${KEPT}`)
  return maybeOne<Run>(
    tx,
    sql`
    with newest as (
      select started_at, finished_at from audit_run where scope = 'full' order by started_at desc limit 1),
    sealed as (select max(day) as day from ledger_day where sealed_at is not null),
    -- One that never ended was not quick.
    whole as (
      select coalesce((select finished_at - started_at <= ${QUICK} or started_at <= roz_now() - ${FULL_EVERY} from newest), (select day is null from sealed),
                      not exists (select from newest)) or not exists (select from newest) as now)
    insert into audit_run (scope, since)
    select case when whole.now then 'full' else 'recent' end, case when not whole.now then coalesce(sealed.day, '-infinity'::date) end
      from whole, sealed
     where not exists (select from audit_run where started_at between roz_now() - ${EVERY} and roz_now()) and not exists (${TURNING})
    returning id, since`,
  )
}

async function finish(tx: Tx, run: Run, broken: readonly Checked[]): Promise<void> {
  const before = await maybeOne<{ names: string[] }>(
    tx,
    sql`select array(select b ->> 'invariant' from jsonb_array_elements(broken) b) as names
          from audit_run where finished_at is not null order by started_at desc limit 1`,
  )
  await tx.query(sql`
    update audit_run set finished_at = roz_now(), broken = ${JSON.stringify(broken)}::jsonb where id = ${run.id}::bigint`)
  const isNews = broken.some(({ invariant }) => before?.names.includes(invariant) !== true)
  if (isNews) await mailOwners(tx, String(run.id), broken)
}
