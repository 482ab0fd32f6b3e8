/**
 * Whether an existing PostgreSQL can be trusted with money: of the version that the tests run on, and
 * with a commit that is on the disk before it is acknowledged. Read as the server's own role, whose
 * settings may differ from the database's.
 */
import { one, type Queryable, sql } from './sql.ts'

/** The version that npm brings and every test runs on. */
export const PG_MAJOR = '18'

/** PostgreSQL's own count: 180004 is 18.4. */
export function expectVersion(version: number): void {
  const major = String(Math.floor(version / 10_000))
  if (major !== PG_MAJOR) throw new Error(`PostgreSQL ${PG_MAJOR} is needed, and this is ${major}`)
}

/** Throws one sentence that says what is wrong. */
export async function expectSupported(from: Queryable): Promise<void> {
  const { version, fsync, commit } = await one<{ version: number; fsync: string; commit: string }>(
    from,
    sql`select current_setting('server_version_num')::int as version, current_setting('fsync') as fsync,
               current_setting('synchronous_commit') as commit`,
  )
  expectVersion(version)
  if (fsync === 'off') throw new Error('it runs with fsync=off, so a power cut can destroy the books; set fsync=on')
  if (commit === 'off')
    throw new Error('it runs with synchronous_commit=off, so a crash can lose money that was acknowledged; set synchronous_commit=on')
}
