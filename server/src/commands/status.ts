/**
 * `roz status`: lists waiting work with its age and its runbook. It only reads, also while no server runs.
 * - Figures come from /metrics, limits from the alerts (ops/observability/alerts.yml), alarms from /readyz.
 * - Exit code: 0 if nothing needs a person, 1 if something does, 2 if the database could not be read.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { witnessSettings } from '../config/beacon-settings.ts'
import { auditSettings, type Environment } from '../config/config.ts'
import { Settings } from '../config/settings.ts'
import { type Db, sql } from '../db/sql.ts'
import { listAlarms } from '../operation/alarms.ts'
import { readFigures, type Sources } from '../operation/figures.ts'
import { LIMITS } from '../operation/limits-of-figures.ts'
import { exitCodeOnDatabase } from './command-database.ts'

export async function statusNow(env: Environment, say: (line: string) => void): Promise<0 | 1 | 2> {
  const target = { ...auditSettings(env), say }
  const witnesses = witnessSettings(new Settings(env))
  const run = (db: Db) => tell({ db, witnesses, dataDir: target.dataDir }, say)
  return exitCodeOnDatabase(
    target,
    { name: 'status' },
    run,
    (why) => `The database could not be read: ${why} (docs/runbooks/server-away.md)`,
  )
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
  const { rows } = await db.one<{ rows: readonly { what: string; count: number; sinceMs: number | null }[] }>(sql`
    select json_agg(w) as rows from (
      select 'orders that the gateway has not called final' as what, count(*)::int as count, extract(epoch from min(created_at)) * 1000 as "sinceMs"
        from topup where status in ('created', 'pending')
      union all select 'payouts sent and not confirmed', count(*)::int, extract(epoch from min(coalesce(approved_at, created_at))) * 1000
        from withdrawal where status = 'sending'
      union all select 'draws to come', count(*)::int, extract(epoch from min(closes_at)) * 1000 from round where status = 'closed') w`)
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
