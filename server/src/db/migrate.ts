/**
 * Migrates a database to the newest schema, also while servers of the previous release keep using it.
 * - Files run in order, each in its own transaction, and are recorded with their hash.
 * - A file that changed or disappeared after it ran stops the start.
 * - Two simultaneous starts wait for each other.
 * - A newer release may have migrated the database. A server then starts, unless a newer file says `contracts after` a release newer
 *   than this server.
 * - A statement waits 2 s for a lock and is retried later, so requests never queue behind it for longer.
 * - Migrations state the app role's privileges (`app_may`, `app_may_call`). Each start grants them again. The app role owns nothing.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { VERSION } from '@roz/core/version.ts'
import pg from 'pg'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { openConnection } from './hosts.ts'
import { contractsAfter, isOutsideTransaction, isOlder, statementsOf } from './migration-file.ts'
import { expectVersion } from './supported-database.ts'

export type MigrateOptions = {
  /** The role of the server. Without it, or with the owner's role, only triggers protect append-only tables. */
  readonly appRole?: string
  /** In production the clock cannot be set. */
  readonly production: boolean
  /** The folder of the migrations; by default the product's own. */
  readonly folder?: URL
  /** The version of this server; by default the product's own. */
  readonly version?: string
  /** Gets a line if the database is of a newer release. */
  readonly warn?: (line: string) => void
}

export const MIGRATIONS = new URL('../../migrations/', import.meta.url)
const LOCK_TIMEOUT_MS = 2000
const AGAIN_MS = 500
const TRIES_MAX = 120
/** SQLSTATE of a lock timeout and of a deadlock. */
const BUSY = new Set(['55P03', '40P01'])

/** Returns the names of the files that this call applied. */
export async function migrate(ownerUrl: string, options: MigrateOptions): Promise<string[]> {
  const client = await openConnection(ownerUrl, 'roz-migrate')
  try {
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
    expectVersion(Number(rows[0]?.server_version_num))
    await lockMigrations(client)
    const applied = await applyFiles(client, options)
    await client.query('select set_clock_production($1)', [options.production])
    await client.query('select make_join_months()')
    await grant(client, options.appRole)
    return applied
  } finally {
    await client.end()
  }
}

/** Polls for the lock. A waiting statement would be an open transaction, for which a concurrent index build in another start waits. */
async function lockMigrations(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [ADVISORY_LOCKS.migrations])
    if (rows[0]?.taken === true) return
    await sleep(AGAIN_MS / 5)
  }
}

async function applyFiles(client: pg.Client, { folder = MIGRATIONS, version = VERSION, warn }: MigrateOptions): Promise<string[]> {
  await client.query(`create table if not exists schema_migration (
    name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp(), needs text)`)
  await client.query('alter table schema_migration add column if not exists needs text')
  const { rows } = await client.query<Applied>('select name, hash, needs from schema_migration order by name')
  const done = new Map(rows.map((row) => [row.name, row.hash]))
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
  const isNewer = refuseUnknown(rows, names, version)
  if (isNewer) warn?.(`The database is of a newer release than ${version}. This version goes on working with it.`)
  const applied: string[] = []
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8')
    const hash = createHash('sha256').update(text).digest('hex')
    const known = done.get(name)
    if (known !== undefined && known !== hash) throw new Error(`migration ${name} was changed after it ran: restore it and write a new one`)
    if (known !== undefined) continue
    if (isNewer) throw new Error(`the database lacks migration ${name}, and has newer ones: start the newer version`)
    await applyFile(client, name, text, hash)
    applied.push(name)
  }
  return applied
}

type Applied = { readonly name: string; readonly hash: string; readonly needs: string | null }

/** Throws if this version cannot use the schema. Returns true if the schema is newer, but usable. */
function refuseUnknown(done: readonly Applied[], names: readonly string[], version: string): boolean {
  const unknown = done.filter(({ name }) => !names.includes(name))
  const last = names.at(-1) ?? '9999'
  for (const { name, needs } of unknown) {
    if (name < last) throw new Error(`the database has migration ${name}, which this version does not know: start the newer version`)
    if (needs !== null && isOlder(version, needs))
      throw new Error(
        `the database has migration ${name}, which needs at least version ${needs}, and this is ${version}: start a newer version`,
      )
  }
  return unknown.length > 0
}

async function applyFile(client: pg.Client, name: string, text: string, hash: string): Promise<void> {
  const record = (): Promise<unknown> =>
    client.query('insert into schema_migration (name, hash, needs) values ($1, $2, $3)', [name, hash, contractsAfter(text) ?? null])
  for (let tries = 1; ; tries++) {
    try {
      if (isOutsideTransaction(text)) {
        for (const statement of statementsOf(text)) await client.query(statement)
        return void (await record())
      }
      await client.query('begin')
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await client.query(text)
      await record()
      return void (await client.query('commit'))
    } catch (error) {
      await client.query('rollback')
      if (BUSY.has((error as { code?: string }).code ?? '') && tries < TRIES_MAX) {
        await sleep(AGAIN_MS)
        continue
      }
      throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
}

async function grant(client: pg.Client, appRole: string | undefined): Promise<void> {
  const { rows } = await client.query<{ me: string }>('select current_user as me')
  if (appRole === undefined || appRole === rows[0]?.me) return
  const role = pg.escapeIdentifier(appRole)
  const { rows: grants } = await client.query<{ object: string; privileges: string }>(
    'select object, privileges from app_grant order by object',
  )
  const statements = grants.map(({ object, privileges }) => `grant ${privileges} on ${object} to ${role}`)
  await client.query(
    [
      'begin',
      `revoke all on all tables in schema public from ${role}`,
      `grant usage on schema public to ${role}`,
      ...statements,
      'commit',
    ].join(';\n'),
  )
}
