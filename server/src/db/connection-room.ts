/**
 * Checks at the start that the database has room for this server's connections.
 * - Counted are the limits of the server, of the role and of the database, less what others use at that moment.
 * - While processes are replaced there is one more of them.
 * - Behind a pooler the pooler's own limits count, and nothing is checked here.
 */
import type pg from 'pg'
import { openConnection } from './hosts.ts'

export type Wanted = { readonly processes: number; readonly connections: number }
type Room = { readonly pid: number; readonly room: number }

const ROOM = `
  with other as (select datname, usename from pg_stat_activity where datid is not null and pid <> pg_backend_pid())
  select pg_backend_pid() as pid, least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - current_setting('reserved_connections')::int - (select count(*) from other),
    (select rolconnlimit - (select count(*) from other where usename = current_user)
       from pg_roles where rolname = current_user and rolconnlimit >= 0),
    (select datconnlimit - (select count(*) from other where datname = current_database())
       from pg_database where datname = current_database() and datconnlimit >= 0))::int as room`

/** The connections that a server of these settings opens at most. */
export const connectionsNeeded = ({ processes, connections }: Wanted): number => connections * (processes === 1 ? 1 : processes + 1)

/** Throws an error with one sentence that names the settings. */
export async function expectRoom(url: string, wanted: Wanted): Promise<void> {
  const client = await openConnection(url, 'roz-start')
  try {
    const { rows } = await client.query<Room>(ROOM)
    const { pid, room } = rows[0] as Room
    const needed = connectionsNeeded(wanted)
    if (isPooled(client, pid) || needed <= room) return
    const { processes, connections } = wanted
    const ours = processes === 1 ? ' needs' : ` and PROCESSES=${processes} need`
    throw new Error(
      `it has room for ${Math.max(0, room)} more connections, and DATABASE_CONNECTIONS=${connections}${ours} up to ${needed}; lower one of them, or raise max_connections`,
    )
  } finally {
    await client.end()
  }
}

/** A pooler greets with a number of its own instead of the backend's. */
const isPooled = (client: pg.Client, pid: number): boolean => (client as unknown as { readonly processID: number }).processID !== pid
