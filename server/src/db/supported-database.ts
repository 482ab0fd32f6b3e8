/**
 * Refuses a PostgreSQL that must not keep money.
 * - The tests run on its major version.
 * - Its texts are of every script.
 * - A commit must be on disk before it is acknowledged (fsync, synchronous_commit).
 * - The settings are read as the server's own role, because a role's settings may differ from the database's.
 */
import { type Queryable, sql } from './sql.ts'

/** The major version that npm installs and every test runs on. */
export const PG_MAJOR = '18'

/** `version` is PostgreSQL's server_version_num: 180004 is 18.4. */
export function expectVersion(version: number): void {
  const major = String(Math.floor(version / 10_000))
  if (major !== PG_MAJOR) throw new Error(`PostgreSQL ${PG_MAJOR} is needed, and this is ${major}`)
}

/** Throws an error with one sentence that says what is wrong. */
export async function expectSupported(from: Queryable): Promise<void> {
  const { version, encoding, fsync, commit } = await from.one<{ version: number; encoding: string; fsync: string; commit: string }>(sql`
    select current_setting('server_version_num')::int as version, current_setting('fsync') as fsync,
               current_setting('synchronous_commit') as commit, current_setting('server_encoding') as encoding`)
  expectVersion(version)
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}, which has not every script; make a database with encoding UTF8`)
  if (fsync === 'off') throw new Error('it runs with fsync=off, so a power cut can destroy the books; set fsync=on')
  if (commit === 'off')
    throw new Error('it runs with synchronous_commit=off, so a crash can lose money that was acknowledged; set synchronous_commit=on')
}
