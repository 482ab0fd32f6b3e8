/**
 * Migrates a database to the newest schema.
 * - Files run in order, each in its own transaction, and are recorded with their hash.
 * - A file that changed or disappeared after it ran stops the start.
 * - Two simultaneous starts wait for each other.
 * - Migrations state the app role's privileges (`app_may`, `app_may_call`). Each start grants them again. The app role owns nothing.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import { openConnection } from './hosts.ts'
import { expectVersion } from './supported-database.ts'

export type MigrateOptions = {
  /** The role of the server. Without it, or with the owner's role, only triggers protect append-only tables. */
  readonly appRole?: string
  /** In production the clock cannot be set. */
  readonly production: boolean
  /** The folder of the migrations; by default the product's own. */
  readonly folder?: URL
}

export const MIGRATIONS = new URL('../../migrations/', import.meta.url)

/** Returns the names of the files that this call applied. */
export async function migrate(ownerUrl: string, options: MigrateOptions): Promise<string[]> {
  const client = await openConnection(ownerUrl, 'roz-migrate')
  try {
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
    expectVersion(Number(rows[0]?.server_version_num))
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations])
    const applied = await applyFiles(client, options.folder ?? MIGRATIONS)
    await client.query('select set_clock_production($1)', [options.production])
    await client.query('select make_join_months()')
    await grant(client, options.appRole)
    return applied
  } finally {
    await client.end()
  }
}

async function applyFiles(client: pg.Client, folder: URL): Promise<string[]> {
  await client.query(`create table if not exists schema_migration (
    name text primary key, hash text not null, applied_at timestamptz not null default clock_timestamp())`)
  const { rows } = await client.query<{ name: string; hash: string }>('select name, hash from schema_migration order by name')
  const done = new Map(rows.map((row) => [row.name, row.hash]))
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
  for (const name of done.keys()) {
    if (!names.includes(name))
      throw new Error(`the database has migration ${name}, which this version does not know: start the newer version`)
  }
  const applied: string[] = []
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8')
    const hash = createHash('sha256').update(text).digest('hex')
    const known = done.get(name)
    if (known !== undefined && known !== hash) throw new Error(`migration ${name} was changed after it ran: restore it and write a new one`)
    if (known !== undefined) continue
    await applyFile(client, name, text, hash)
    applied.push(name)
  }
  return applied
}

async function applyFile(client: pg.Client, name: string, text: string, hash: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query('insert into schema_migration (name, hash) values ($1, $2)', [name, hash])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
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
