/** Reads the database of a running program as its superuser: rows, checksums, the audit of the ledger. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { connect, type Db, sql } from '@roz/server/db/sql.ts'
import { describeViolations, runAudit } from '@roz/server/ledger/audit.ts'
import { expect } from 'vitest'

/** The postmaster's own file: pid, folder, start time, port. */
const PORT_LINE = 3

export function urlOf(dataDir: string): string {
  const folder = path.join(dataDir, 'postgres')
  const passwords = JSON.parse(readFileSync(path.join(folder, 'passwords.json'), 'utf8')) as { postgres: string }
  const port = readFileSync(path.join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[PORT_LINE]
  return `postgres://postgres:${passwords.postgres}@127.0.0.1:${port}/roz`
}

export async function inDatabase<T>(dataDir: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = connect({ url: urlOf(dataDir), max: 2, applicationName: 'roz-e2e' })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** The audit's findings in words; empty when the audit passes, and when no local database runs. */
export async function brokenBooks(dataDir: string): Promise<string> {
  if (!existsSync(path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid'))) return ''
  return describeViolations(await inDatabase(dataDir, runAudit))
}

/** Expects every invariant of money. */
export async function expectCleanAudit(dataDir: string): Promise<void> {
  const violations = await inDatabase(dataDir, runAudit)
  expect(describeViolations(violations)).toBe('')
}

/** Columns that a read may change: when a session or a browser was last seen. */
const ASIDE: Readonly<Record<string, readonly string[]>> = { session: ['last_used_at', 'expires_at'], known_browser: ['seen_at'] }
/** An accepted read of a list or page about persons leaves a line in the staff log: these lines have a checksum of their own. */
export const READS = 'audit_log of reads'
const IS_READ = "action in ('list.read', 'member.view')"
/** A refused call counts as an attempt. The next gateway query, the audits, the servers' heartbeat and the newest time seen follow a schedule. */
const LEFT_OUT = new Set(['member_sort', 'member_sort_pass', 'throttle', 'order_check', 'audit_run', 'heartbeat', 'clock_offset'])

/** Row count and checksum of every table. */
export function fingerprint(dataDir: string): Promise<Record<string, string>> {
  return inDatabase(dataDir, async (db) => {
    const tables = await db.query<{ name: string }>(sql`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind = 'r' order by 1`)
    const parts = tables
      .filter(({ name }) => !LEFT_OUT.has(name))
      .flatMap(({ name: table }) =>
        table === 'audit_log'
          ? [
              { name: table, table, only: `where not (${IS_READ})` },
              { name: READS, table, only: `where ${IS_READ}` },
            ]
          : [{ name: table, table, only: '' }],
      )
    const ofEach = parts.map(({ name, table, only }) => {
      const columns = (ASIDE[table] ?? []).map((column) => ` - '${column}'`).join('')
      return `select '${name}' as name, count(*)::text || ' ' || coalesce(md5(string_agg(row_text, E'\\n' order by row_text)), '') as sum
                  from (select (to_jsonb(t)${columns})::text as row_text from "${table}" t ${only}) rows`
    })
    // One statement, so that all tables are read at one moment.
    const sums = await db.query<{ name: string; sum: string }>(sql([ofEach.join(' union all ')] as unknown as TemplateStringsArray))
    return Object.fromEntries(sums.map(({ name, sum }) => [name, sum]))
  })
}
