/**
 * The scheduled audit of the books.
 *
 * - Recent days are audited hourly. All days are audited hourly if that takes at most a minute, daily while a finding is open, and weekly
 *   otherwise.
 * - One process audits at a time. A run starts at least one hour after the last one, and not around midnight.
 * - Each process checks once a minute of real time at most, even if the product's clock jumps.
 * - A run reads one snapshot and writes only its own report.
 * - Each run logs the open findings as errors. The owners get a mail when an invariant is newly broken.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { lockInTransaction } from '../../db/advisory-locks.ts'
import { noteAudited } from '../../db/heartbeat.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inSnapshot, inTransaction, type Tx } from '../../db/transaction.ts'
import { auditEach, type Checked } from '../../ledger/audit.ts'
import { FINDINGS, type Finding, listFindings } from '../../ledger/audit-findings.ts'
import { createNightly, DEMO_IN_THE_MAKING } from './nightly.ts'
import { mailOwners } from './owners.ts'

export type AuditDeps = {
  readonly db: Db
  /** How often this process checks whether a run is due. */
  readonly everyMs?: number
  /** Alarms the operator that the books do not add up. */
  readonly alarm: (details: object, message: string) => void
}

/** `claim` keeps the runs an hour apart. A process that checked only once an hour could come a moment early and lose an hour. */
const LOOK_MS = 60_000
const EVERY = sql`interval '1 hour'`
/** Only a full run can end most findings: an operator who mended one should not wait for a week. */
const FULL_EVERY = sql`case when exists (select from ${FINDINGS} standing) then interval '1 day' else interval '7 days' end`
/** A full audit that took no longer runs every hour. */
const QUICK = sql`interval '1 minute'`
const KEPT = sql`interval '90 days'`
/**
 * No run starts this soon after a round's close or opening while its draw or Auto Participate is under way: they need the machine.
 * The limit keeps a stuck draw from blocking every run.
 */
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
    const standing = await inTransaction(db, (tx) => finish(tx, run, broken))
    if (standing.length > 0) {
      const told = { auditRun: String(run.id), broken: broken.map(summaryOf), standing: standing.map(({ invariant }) => invariant) }
      alarm(told, 'the books do not add up: invariants of money are broken')
    }
    return true
  }
  return { due, nightly: createNightly({ db, alarm }) }
}

async function check(from: Parameters<typeof auditEach>[0], since: IstDay | undefined): Promise<Checked[]> {
  const broken: Checked[] = []
  for await (const checked of auditEach(from, since)) if (checked.rows.length > 0) broken.push(checked)
  return broken
}

/** The log names rows; persons appear only by their number. */
const summaryOf = ({ invariant, rows, hasMore }: Checked) => ({
  invariant,
  rows: rows.length,
  hasMore,
  first: rows.slice(0, 3).map(({ subject, found }) => `${subject}: ${found}`),
})

/** Claims the run for one process, and decides which days it audits. */
async function claim(tx: Tx): Promise<Run | undefined> {
  await lockInTransaction(tx, 'auditRun')
  await tx.query(sql`
    delete from audit_run where started_at < roz_now() - ${KEPT}
       and id < (select max(id) from audit_run where scope = 'full' and finished_at is not null)`)
  return maybeOne<Run>(
    tx,
    sql`
    with newest as (
      select started_at, finished_at from audit_run where scope = 'full' order by started_at desc limit 1),
    sealed as (select max(day) as day from ledger_day where sealed_at is not null),
    -- A run that never ended was not quick.
    whole as (
      select coalesce((select finished_at - started_at <= ${QUICK} or started_at <= roz_now() - ${FULL_EVERY} from newest), (select day is null from sealed),
                      not exists (select from newest)) or not exists (select from newest) as now)
    insert into audit_run (scope, since)
    select case when whole.now then 'full' else 'recent' end, case when not whole.now then coalesce(sealed.day, '-infinity'::date) end
      from whole, sealed
     where not exists (select from audit_run where started_at between roz_now() - ${EVERY} and roz_now()) and not exists (${TURNING})
       and not exists (${DEMO_IN_THE_MAKING})
    returning id, since`,
  )
}

/** Stores the run's findings; returns all open ones. */
async function finish(tx: Tx, run: Run, broken: readonly Checked[]): Promise<Finding[]> {
  const before = new Set((await listFindings(tx)).map(({ invariant }) => invariant))
  await tx.query(sql`
    update audit_run set finished_at = roz_now(), broken = ${JSON.stringify(broken)}::jsonb where id = ${run.id}::bigint`)
  await noteAudited(tx)
  if (broken.some(({ invariant }) => !before.has(invariant))) await mailOwners(tx, String(run.id), broken)
  return listFindings(tx)
}
