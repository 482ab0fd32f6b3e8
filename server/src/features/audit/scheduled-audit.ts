/**
 * The scheduled audit of the books.
 *
 * - Each hour a recent audit begins: the days since the newest sealed one. Each night at two a full audit begins: all days and members.
 * - A run goes in parts. A part and the progress behind it commit together, so an interrupted run continues where it was. One process
 *   works on a run at a time, and a recent run goes before a full one.
 * - No part starts around midnight: the draw and Auto Participate need the machine.
 * - Each process looks once a minute of real time at most for a run to begin, even if the product's clock jumps.
 * - The end of a run logs the open findings as errors. The owners get one mail for all that were not open at the end of the run before.
 */
import { lockInTransaction } from '../../db/advisory-locks.ts'
import { noteAudited } from '../../db/heartbeat.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { addChecked, auditPart, BEGIN, LAST_MEMBER, type AuditPages, type AuditPart, type Progress } from '../../ledger/audit.ts'
import { type Finding, listFindings, type StoredFinding } from '../../ledger/audit-findings.ts'
import { mailMember } from '../../mail/mails.ts'

export type AuditDeps = {
  readonly db: Db
  /** How often this process checks whether a run is due. */
  readonly everyMs?: number
  readonly pages?: AuditPages
  /** Alarms the operator that the books do not add up. */
  readonly alarm: (details: object, message: string) => void
}

/** The statement in `begin` keeps the runs apart. A process that checked only once an hour could come a moment early and lose an hour. */
const LOOK_MS = 60_000
const EVERY = sql`interval '1 hour'`
const NIGHT_BEGINS = sql`interval '2 hours'`
/** When the newest night began. */
const LAST_NIGHT = sql`(start_of_ist_day(ist_day(roz_now() - ${NIGHT_BEGINS})) + ${NIGHT_BEGINS})`
const KEPT = sql`interval '90 days'`
/** The limit keeps a stuck draw from blocking every part. */
const TURN = sql`interval '10 minutes'`
const TURNING = sql`(
  select from round r
   where status in ('open', 'closed', 'drawn') and (closes_at <= roz_now() and closes_at > roz_now() - ${TURN}
      or opens_at <= roz_now() and opens_at > roz_now() - ${TURN} and not exists (select from auto_join_told t where t.day = r.day)))`
/** The days of a demo community pass in seconds: an audit during them would be weeks old when the server is ready. */
const DEMO_IN_THE_MAKING = sql`(select from demo_community where finished_at is null)`
/** A part reads at most a day of all members, or all days of a page of members. */
const WAITS = { statementTimeoutMs: 300_000, transactionTimeoutMs: 600_000 }

type Run = Progress & { readonly id: bigint; readonly broken: readonly StoredFinding[] }
type Stepped = { readonly run?: Run; readonly open: readonly Finding[] }

export function createAudit({ db, alarm, pages, everyMs = LOOK_MS }: AuditDeps) {
  let lookedAt = Number.NEGATIVE_INFINITY
  let isUnderWay = false
  /** Audits one part; false when none is due. */
  async function due(): Promise<boolean> {
    const looks = performance.now() - lookedAt >= everyMs
    if (!looks && !isUnderWay) return false
    // A part that fails is tried again at the next look, not at once: it can take minutes.
    isUnderWay = false
    if (looks) {
      lookedAt = performance.now()
      await inTransaction(db, begin)
    }
    const { run, open } = await inTransaction(db, (tx) => step(tx, pages), WAITS)
    isUnderWay = run !== undefined
    if (open.length > 0) {
      const broken = open.map(({ invariant, rows, first }) => ({ invariant, rows, first }))
      alarm({ auditRun: String(run?.id), broken }, 'the books do not add up: invariants of money are broken')
    }
    return isUnderWay
  }
  return { due }
}

async function begin(tx: Tx): Promise<void> {
  await lockInTransaction(tx, 'auditRun')
  await tx.query(sql`
    delete from audit_run where started_at < roz_now() - ${KEPT}
       and id < (select max(id) from audit_run where scope = 'full' and finished_at is not null)`)
  await tx.query(sql`
    insert into audit_run (scope, since, last_file, last_day, last_member, broken)
    select scope, since, ${BEGIN.lastFile}::text, coalesce(since - 1, ${BEGIN.lastDay}::date), last_member, '[]'
      from (values ('recent', coalesce((select max(day) from ledger_day where sealed_at is not null), '-infinity'), roz_now() - ${EVERY}, ${LAST_MEMBER}::bigint),
                   ('full', null, ${LAST_NIGHT}, ${BEGIN.lastMember}::bigint)) as due (scope, since, after, last_member)
     where not exists (select from audit_run r where r.scope = due.scope and (r.started_at between due.after and roz_now() or r.finished_at is null and r.last_day is not null))
       and not exists ${TURNING} and not exists ${DEMO_IN_THE_MAKING}`)
}

/** Audits the next part of a run, or ends the run. Returns the run if there is one, and all open findings when it ended. */
async function step(tx: Tx, pages: AuditPages | undefined): Promise<Stepped> {
  const run = await tx.maybeOne<Run>(sql`
    select id, broken, last_file as "lastFile", last_day as "lastDay", last_member as "lastMember" from audit_run
     where finished_at is null and last_day is not null and not exists ${TURNING}
     order by scope = 'full', id limit 1 for update skip locked`)
  if (run === undefined) return { open: [] }
  const part = await auditPart(tx, run, pages)
  if (part === undefined) return { run, open: await finish(tx, run) }
  await store(tx, run, part)
  return { run, open: [] }
}

async function store(tx: Tx, run: Run, { progress, checked }: AuditPart): Promise<void> {
  const found = checked.filter(({ rows }) => rows.length > 0)
  const { newest } = await tx.one<{ newest: bigint }>(sql`select max(id) as newest from audit_run`)
  const isOfTables = progress.lastFile !== run.lastFile
  const broken: StoredFinding[] = addChecked(run.broken, found).map((each) => ({ newest: String(newest), isOfTables, ...each }))
  await tx.query(sql`
    update audit_run
       set last_file = ${progress.lastFile}::text, last_day = ${progress.lastDay}::date, last_member = ${progress.lastMember}::bigint,
           broken = ${JSON.stringify(broken)}::jsonb
     where id = ${run.id}::bigint`)
}

async function finish(tx: Tx, { id }: Run): Promise<readonly Finding[]> {
  await tx.query(sql`update audit_run set finished_at = roz_now() where id = ${id}::bigint`)
  await noteAudited(tx)
  const open = await listFindings(tx)
  const before = await tx.maybeOne<{ told: readonly string[] }>(
    sql`select told from audit_run where told is not null order by finished_at desc, id desc limit 1`,
  )
  await tx.query(sql`update audit_run set told = ${open.map(({ invariant }) => invariant)}::text[] where id = ${id}::bigint`)
  const fresh = open.filter(({ invariant }) => before?.told.includes(invariant) !== true)
  if (fresh.length > 0) await mailOwners(tx, id, fresh)
  return open
}

async function mailOwners(tx: Tx, runId: bigint, fresh: readonly Finding[]): Promise<void> {
  const owners = await tx.query<{ id: bigint }>(
    sql`select id from member where role = 'admin' and staff_role = 'owner' and deleted_at is null order by id`,
  )
  const { at } = await tx.one<{ at: string }>(sql`select to_char(roz_now() at time zone interval '05:30', 'FMDD Mon YYYY, HH24:MI') as at`)
  const data = { at, sentences: fresh.map(({ sentence, first }) => `${sentence} (${first})`).join('\n') }
  for (const { id } of owners) await mailMember(tx, { memberId: id, template: 'audit_alarm', key: `audit_alarm:${runId}:${id}`, data })
}
