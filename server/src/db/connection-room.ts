/**
 * Checks at the start that the database has room for this server's connections.
 * - A start is refused only if a limit of the server, role or database is too low. Waiting does not change a limit.
 * - Connections in use by others only cause a warning: a replaced or lost instance will release them.
 * - Behind a pooler the pooler's own limits count, and nothing is checked here.
 */
import type pg from 'pg'
import { openConnection } from './hosts.ts'

type RoomCheck = {
  readonly url: string
  /** DATABASE_CONNECTIONS: what this server opens at most. */
  readonly wanted: number
  /** The way to raise the limit, as the end of “…, or ”. */
  readonly remedy: string
  readonly warn: (line: string) => void
}

/** The name of connections that only a start uses: they are not counted. */
export const START_CONNECTION = 'roz-start'

type Limits = { readonly pid: number; readonly server: number; readonly role: number | null; readonly database: number | null }
const LIMITS = `
  select pg_backend_pid() as pid,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - current_setting('reserved_connections')::int as server,
    (select rolconnlimit from pg_roles where rolname = current_user and rolconnlimit >= 0) as role,
    (select datconnlimit from pg_database where datname = current_database() and datconnlimit >= 0) as database`

/** PostgreSQL may hide the type of another role's backend. PostgreSQL's own workers have no user. */
const IN_USE = `
  select count(*)::int as server,
    count(*) filter (where usename = current_user)::int as role,
    count(*) filter (where datname = current_database())::int as database
  from pg_stat_activity
  where usename is not null and datname is not null and coalesce(backend_type, 'client backend') = 'client backend'
    and application_name is distinct from '${START_CONNECTION}'`
type InUse = { readonly server: number; readonly role: number; readonly database: number }
const NOTHING: InUse = { server: 0, role: 0, database: 0 }

/** Throws an error with one sentence that names the settings. */
export async function expectRoom({ url, wanted, remedy, warn }: RoomCheck): Promise<void> {
  const client = await openConnection(url, START_CONNECTION)
  try {
    const limits = (await client.query<Limits>(LIMITS)).rows[0] as Limits
    if (isPooled(client, limits.pid)) return
    const allowed = roomIn(limits)
    if (wanted > allowed) throw new Error(`it allows ${allowed} connections, and DATABASE_CONNECTIONS is ${wanted}: lower it, or ${remedy}`)
    const inUse = await client.query<InUse>(IN_USE).then(
      ({ rows }) => rows[0],
      () => undefined,
    )
    if (inUse === undefined) return warn('how many of the database’s connections others use cannot be seen')
    const free = Math.max(0, roomIn(limits, inUse))
    if (wanted > free) warn(`the database has ${free} free connections at this moment, and this server needs up to ${wanted}`)
  } finally {
    await client.end()
  }
}

function roomIn({ server, role, database }: Limits, inUse = NOTHING): number {
  const none = Number.POSITIVE_INFINITY
  return Math.min(server - inUse.server, (role ?? none) - inUse.role, (database ?? none) - inUse.database)
}

/** True behind a pooler, which sends the client another process id than the backend's. */
const isPooled = (client: pg.Client, pid: number): boolean => (client as unknown as { readonly processID: number }).processID !== pid
