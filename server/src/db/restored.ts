/**
 * Whether a database was restored to an earlier second, and has not been joined yet to what came after it (npm run after-restore).
 * - PostgreSQL keeps the target of a recovery among its settings: whoever recovers to a target leaves it there, pgBackRest and
 *   `npm run restore` too. So a restore by hand is seen, and nobody has to write it down.
 * - The target counts until a row of `joined_restore` names it. The row is as old as the database: a second restore to an
 *   earlier time has lost it.
 */
import { maybeOne, type Queryable, sql } from './sql.ts'

const TARGETS = sql`array['recovery_target', 'recovery_target_lsn', 'recovery_target_name', 'recovery_target_time', 'recovery_target_xid']`
const TARGET = sql`select name || '=' || setting as target from pg_settings where name = any(${TARGETS}) and setting <> ''`

/** The setting of `npm run restore`: a name of its own for each restore, also of one without a target. */
export const targetSetting = (at: Date): string => `recovery_target_name = 'roz restored at ${at.toISOString()}'\n`

/** The target of a restore that was not joined. */
export async function findUnjoined(db: Queryable): Promise<string | undefined> {
  const found = await maybeOne<{ target: string }>(db, TARGET)
  if (found === undefined) return undefined
  const { isThere } = (await maybeOne<{ isThere: boolean }>(db, sql`select to_regclass('joined_restore') is not null as "isThere"`)) ?? {}
  if (isThere !== true) return found.target
  const joined = await maybeOne(db, sql`select target from joined_restore where target = ${found.target}::text`)
  return joined === undefined ? found.target : undefined
}

/** Notes that the restore is joined. A repeat changes nothing. */
export async function noteJoined(db: Queryable): Promise<void> {
  await db.query(sql`insert into joined_restore (target) ${TARGET} on conflict (target) do nothing`)
}
