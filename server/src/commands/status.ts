/**
 * `npm run status`: lists waiting work with its age and its runbook. It only reads, also while no server runs.
 * - Its figures and limits are those of /metrics and of the alerts (ops/observability/alerts.yml); its alarms are those of /readyz.
 * - Exit code: 0 if nothing needs a person, 1 if something does, 2 if the database could not be read.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { witnessSettings } from '../config/beacon-settings.ts'
import { auditSettings, type Environment } from '../config/config.ts'
import { Settings } from '../config/settings.ts'
import { connect, type Db, one, sql } from '../db/sql.ts'
import { listAlarms } from '../http/alarms.ts'
import { readFigures, type Sources } from '../http/figures.ts'
import { onDatabase } from './command-database.ts'

type Limit = { readonly name: string; readonly above: number; readonly words: string; readonly runbook: string }
/** A figure above its limit needs a person. `…_seconds` are printed as a duration, `…_ratio` as percent. */
export const LIMITS: readonly Limit[] = [
  { name: 'roz_clock_doubted', above: 0, words: 'the clock of the database has jumped, and the product waits', runbook: 'clock' },
  { name: 'roz_round_missing', above: 0, words: 'no round is open today', runbook: 'clock' },
  { name: 'roz_round_late_seconds', above: 120, words: 'a round is open after its end', runbook: 'queue-behind' },
  { name: 'roz_job_queue_age_seconds', above: 300, words: 'a due job waits', runbook: 'queue-behind' },
  { name: 'roz_mail_queue_age_seconds', above: 900, words: 'a due mail waits', runbook: 'queue-behind' },
  { name: 'roz_mass_mail_queue_age_seconds', above: 43_200, words: 'a due mail to many members waits', runbook: 'queue-behind' },
  { name: 'roz_work_parked', above: 0, words: 'items of work failed again and again', runbook: 'parked-work' },
  { name: 'roz_audit_broken_invariants', above: 0, words: 'invariants of money are broken', runbook: 'books-broken' },
  { name: 'roz_audit_age_seconds', above: 10_800, words: 'no audit has ended', runbook: 'books-broken' },
  { name: 'roz_full_audit_age_seconds', above: 691_200, words: 'no audit of all days has ended', runbook: 'books-broken' },
  { name: 'roz_wallet_check_age_seconds', above: 259_200, words: 'not all wallets were compared', runbook: 'books-broken' },
  { name: 'roz_books_waiting', above: 0, words: 'days have no books', runbook: 'books-held' },
  { name: 'roz_withdrawals_contradicted', above: 0, words: 'withdrawals differ at the gateway', runbook: 'gateway-contradicts' },
  { name: 'roz_refunds_contradicted', above: 0, words: 'refunds differ at the gateway', runbook: 'gateway-contradicts' },
  { name: 'roz_disputes_unbooked', above: 0, words: 'disputes could not be booked', runbook: 'gateway-contradicts' },
  { name: 'roz_disputes_open', above: 0, words: 'disputes await an answer', runbook: 'gateway-contradicts' },
  { name: 'roz_gateway_silence_seconds', above: 900, words: 'the gateway has answered nothing', runbook: 'gateway-away' },
  { name: 'roz_gateway_foreign_answers', above: 0, words: 'kinds of calls got answers in the gateway’s place', runbook: 'gateway-away' },
  { name: 'roz_order_question_age_seconds', above: 900, words: 'a due question about an order waits', runbook: 'gateway-away' },
  { name: 'roz_payout_question_age_seconds', above: 900, words: 'a due question about a payout waits', runbook: 'gateway-away' },
  { name: 'roz_beacon_wait_seconds', above: 3600, words: 'a draw waits for the public beacon', runbook: 'beacon-away' },
  { name: 'roz_witness_wait_seconds', above: 600, words: 'the log has no quorum of witnesses', runbook: 'witnesses-away' },
  { name: 'roz_backup_age_seconds', above: 93_600, words: 'no backup was taken', runbook: 'backup-away' },
  { name: 'roz_backup_log_age_seconds', above: 5400, words: 'the log of commits has not reached its backup', runbook: 'backup-away' },
  { name: 'roz_disk_used_ratio', above: 0.9, words: 'of the disk of DATA_DIR is used', runbook: 'disk-full' },
  { name: 'roz_replication_lag_seconds', above: 30, words: 'a standby is behind', runbook: 'replication-behind' },
]

export async function statusNow(env: Environment, say: (line: string) => void): Promise<0 | 1 | 2> {
  try {
    const target = { ...auditSettings(env), say }
    const done = await onDatabase(target, async (url) => {
      const db = connect({ url, max: 1, named: target.namedStatements, applicationName: 'roz-status' })
      try {
        const witnesses = witnessSettings(new Settings(env))
        return await tell({ db, witnesses, dataDir: target.dataDir }, say)
      } finally {
        await db.close()
      }
    })
    return done ?? 2
  } catch (error) {
    say(`The database could not be read: ${error instanceof Error ? error.message : String(error)} (docs/runbooks/server-away.md)`)
    return 2
  }
}

async function tell(from: Sources, say: (line: string) => void): Promise<0 | 1> {
  const { db } = from
  const values = await readFigures(from)
  const over = linesOver(values)
  for (const line of over) say(line)
  const alarms = await listAlarms(db)
  for (const { code, ...rest } of alarms) say(`✗ alarm ${code} ${JSON.stringify(rest)}`)
  await tellOfOthers(db, say)
  if (values.get('roz_backup_age_seconds') === -1) say('  no backup is known (docs/runbooks/backup-away.md)')
  const isWell = over.length + alarms.length === 0
  if (isWell) say('Nothing needs a person.')
  return isWell ? 0 : 1
}

/** A line for each figure above its limit. */
export const linesOver = (values: ReadonlyMap<string, number>): string[] =>
  LIMITS.flatMap(({ name, above, words, runbook }) => {
    const value = values.get(name) ?? 0
    return value > above ? [`✗ ${inWords(name, value)} ${words} (docs/runbooks/${runbook}.md)`] : []
  })

/** Work that waits for the gateway or the beacon. Waiting is normal here; a high age is not. */
async function tellOfOthers(db: Db, say: (line: string) => void): Promise<void> {
  const { rows } = await one<{ rows: readonly { what: string; count: number; sinceMs: number | null }[] }>(
    db,
    sql`select json_agg(w) as rows from (
      select 'orders that the gateway has not called final' as what, count(*)::int as count, extract(epoch from min(created_at)) * 1000 as "sinceMs"
        from topup where status in ('created', 'pending')
      union all select 'payouts sent and not confirmed', count(*)::int, extract(epoch from min(coalesce(approved_at, created_at))) * 1000
        from withdrawal where status = 'sending'
      union all select 'draws to come', count(*)::int, extract(epoch from min(closes_at)) * 1000 from round where status = 'closed') w`,
  )
  const [stale] = await db.query<{ at: Date }>(
    sql`select trusted_at as at from clock_offset where doubted_at is null and trusted_at < machine_clock() - interval '5 minutes'`,
  )
  if (stale !== undefined) say(`  no server has run since ${isoIst(stale.at.getTime())}: ages on this page are those of that time`)
  for (const { what, count, sinceMs } of rows) if (count > 0) say(`  ${count} ${what}, the oldest since ${isoIst(sinceMs ?? 0)}`)
}

function inWords(name: string, value: number): string {
  if (name.endsWith('_seconds')) return `for ${duration(value)}`
  return name.endsWith('_ratio') ? `${Math.floor(value * 100)} %` : String(value)
}

function duration(seconds: number): string {
  const [minutes, hours] = [Math.round(seconds / 60), Math.round(seconds / 3600)]
  return hours >= 3 ? `${hours} hours` : `${minutes} minutes`
}
