/**
 * Records the rows that each request changes: triggers write a note per changed row, in the changing transaction.
 * - A change that is rolled back leaves no note.
 * - While the worker is paused, no job is claimed, so each change belongs to the preceding request.
 */
import type { CallName } from '@roz/contract/api.ts'
import { type Db, sql } from '@roz/server/db/sql.ts'

export type Change = { readonly id: bigint; readonly table: string; readonly op: string; readonly columns: string }

/** Columns that a refused request may change, and the reason. */
const MAY_CHANGE: Readonly<Record<string, readonly string[]>> = {
  // Each request extends its session, also a refused one.
  session: ['last_used_at', 'expires_at'],
  known_browser: ['seen_at'],
  // The servers note every ten seconds that the database's clock is right.
  clock_offset: ['trusted_at'],
}
/** Tables that a refused request may change, and the reason. */
const SET_ASIDE: Readonly<Record<string, string>> = {
  checkpoint: 'the log’s signature, which only the clockwork writes',
  sealed_proof: 'the log’s signature, which only the clockwork writes',
  throttle: 'a refused attempt counts as an attempt',
  idempotency_key: 'a refusal is remembered under its key and repeated',
  order_check: 'the schedule of questions to the gateway',
  payout_check: 'the same',
  dispute_check: 'the same',
  audit_run: 'the schedule of the audit',
  heartbeat: 'the servers’ sign of life, once a minute',
  member_sort: 'the order of the portal’s list of members, made again by time',
  member_sort_pass: 'the order of the portal’s list of members, made again by time',
}

/** Calls that record their refusals in the staff log: a refused Trigger Draw must not close another round when it is repeated. */
const RECORDED: ReadonlySet<CallName> = new Set(['triggerDraw'])
/** Whether a refused request of this call may make this change. */
export const recordsRefusal = (call: CallName, { table, op }: Change): boolean =>
  RECORDED.has(call) && table === 'audit_log' && op === 'INSERT'

const raw = (text: string) => sql([text] as unknown as TemplateStringsArray)

/** Installs the triggers; `db` is the superuser's. */
export async function watchChanges(db: Db): Promise<void> {
  await db.query(raw(`create table fuzz_change (id bigint generated always as identity, "table" text, op text, columns text)`))
  await db.query(raw(`create table fuzz_hold (held boolean not null)`))
  await db.query(raw(`insert into fuzz_hold values (false)`))
  await db.query(
    raw(`create function fuzz_note() returns trigger language plpgsql security definer set search_path = public, pg_catalog as $$
      declare v_old jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end; v_new jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end; v_aside text[] := tg_argv[1]::text[];
      begin
        if tg_op = 'UPDATE' and (v_old - v_aside) = (v_new - v_aside) then return null; end if;
        insert into fuzz_change ("table", op, columns) select tg_argv[0], tg_op,
          coalesce((select string_agg(key, ',') from jsonb_each(v_new) n where tg_op = 'UPDATE' and n.value is distinct from v_old -> key), '');
        return null;
      end $$`),
  )
  await db.query(
    raw(`create function fuzz_hold_jobs() returns trigger language plpgsql security definer set search_path = public, pg_catalog as $$
      begin if new.attempts > old.attempts and (select held from fuzz_hold) then return null; end if; return new; end $$`),
  )
  await db.query(raw(`create trigger a_fuzz_hold before update on job for each row execute function fuzz_hold_jobs()`))
  const tables = await db.query<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'fuzz%'`)
  for (const { name } of tables.filter((table) => SET_ASIDE[table.name] === undefined)) {
    const aside = `{${(MAY_CHANGE[name] ?? []).join(',')}}`
    await db.query(
      raw(
        `create trigger z_fuzz_note after insert or update or delete on "${name}" for each row execute function fuzz_note('${name}', '${aside}')`,
      ),
    )
  }
}

export const holdWorker = async (db: Db, held: boolean): Promise<void> =>
  void (await db.query(sql`update fuzz_hold set held = ${held}::boolean`))

/** The changes since the last look, which it forgets. */
export async function takeChanges(db: Db): Promise<readonly Change[]> {
  return db.query<Change>(sql`delete from fuzz_change returning id, "table", op, columns`)
}

/** Jobs that are due, and jobs that the worker has claimed. */
export async function jobsLeft(db: Db): Promise<{ readonly due: number; readonly running: number }> {
  const [row] = await db.query<{ due: number; running: number }>(sql`
    select count(*) filter (where due_at <= roz_now() and attempts < 3)::int as due, count(*) filter (where locked_until > roz_now())::int as running
      from job where done_at is null`)
  return row ?? { due: 0, running: 0 }
}
