/**
 * Appends to the staff log: changes by staff and by the system, with actor, action, subject, before, after, time and origin.
 * - An entry is written in the transaction of its change: neither exists without the other.
 * - An entry of a staff member keeps the name of the moment. A member's name is not kept: it is erased with the account.
 * - The origin is the network address, browser and system of the acting request. Administrators' calls set it for all their
 *   entries (http/route.ts); the system and members have none.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { deviceNameOf } from '@roz/core/device-name.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

type ActingSource = { readonly ip: string; readonly userAgent: string }

type StaffLogEntry = {
  /** The acting account; undefined: the system. */
  readonly actorId: bigint | undefined
  /** Thing and action in lower case with a dot between them: `story.publish`, `round.trigger_draw`. */
  readonly action: string
  /** The changed thing: `story:17`, `member:1004`, `round:2026-11-21`. */
  readonly subject: string
  /** The changed values before and after; never a secret or a bank account. */
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
  /** Origin of a staff member's act outside an administrator's call, such as a login. */
  readonly from?: ActingSource
}

const acting = new AsyncLocalStorage<ActingSource>()

/** Runs an administrator's call; its entries of the staff log name this origin. */
export const actingFrom = <T>(source: ActingSource, work: () => T): T => acting.run(source, work)

export async function logStaff(tx: Tx, entry: StaffLogEntry): Promise<void> {
  const json = (value: StaffLogEntry['before']): string | null =>
    value === undefined ? null : JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item))
  // A job that a call woke runs in the call's context, but acts as the system.
  const source = entry.actorId === undefined ? undefined : (entry.from ?? acting.getStore())
  const { browser, system } = source === undefined ? { browser: null, system: null } : deviceNameOf(source.userAgent)
  await tx.query(sql`
    insert into audit_log (actor_id, action, subject, before, after, from_address, from_browser, from_system, actor_name)
    values (${entry.actorId ?? null}::bigint, ${entry.action}::text, ${entry.subject}::text, ${json(entry.before)}::jsonb, ${json(entry.after)}::jsonb,
      ${source?.ip.replace(/^::ffff:/, '') ?? null}::text, ${browser}::text, ${system}::text,
      (select name from member where id = ${entry.actorId ?? null}::bigint and role = 'admin'))`)
}

/** The name that a staff member `m` had at an instant: a later change of the name is in the log, with the name before it. */
export const nameAt = (m: Sql, at: Sql): Sql => sql`coalesce(
  (select renamed.before ->> 'name' from audit_log renamed
    where renamed.subject = 'member:' || ${m}.id and renamed.action = 'staff.profile' and renamed.at > ${at}
    order by renamed.at, renamed.id limit 1), ${m}.name)`
