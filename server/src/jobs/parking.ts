/**
 * Isolates, retries and parks due work that fails.
 * - An item that fails blocks no other item.
 * - Retries back off exponentially, to at most one hour between two tries.
 * - After five failures in a row the item is parked: one alarm is logged, and /readyz and /metrics count it.
 * - `roz work list` lists parked items, and `roz work retry` runs one again.
 * - The first successful try deletes the record of failures. Work that ends in another way deletes it with `forget`.
 */
import { inTrace, type Opening } from '../tracing/spans.ts'
import { DatabaseUnavailableError, type Db, type Queryable, type Sql, sql, TransactionTimeoutError } from '../db/sql.ts'

/** Kinds of work, each with the statement that makes an item due at once. `undefined`: only `next_at` decides. */
const DUE_AT_ONCE = {
  order: (id) => sql`update order_check set asked_at = null, ask_at = roz_now() where order_id = ${id}::text`,
  dispute: (id) => sql`update dispute_check set ask_at = roz_now() where dispute_id = ${id}::text`,
  withdrawal: (id) => sql`update payout_check set asked_at = null, ask_at = roz_now() where id::text = ${id}::text`,
  refund: (id) => sql`update payout_check set asked_at = null, ask_at = roz_now() where id::text = ${id}::text`,
  autopay_raise: undefined,
  autopay_check: (id) => sql`update autopay_check set asked_at = null, ask_at = roz_now() where mandate_id::text = ${id}::text`,
  settlements: undefined,
  event: undefined,
  weekly_mail: undefined,
  story_mail: undefined,
  auto_join: undefined,
  make: undefined,
  close: undefined,
  draw: undefined,
  settle: undefined,
  give_back: undefined,
  seal_day: undefined,
  seal_list: undefined,
  beacon: undefined,
  story: undefined,
} as const satisfies Record<string, ((item: string) => Sql) | undefined>
export type Work = keyof typeof DUE_AT_ONCE

/** The view parked_work repeats this number. */
const PARKED_TRIES = 5

type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false }
/** Runs the work of one item and records a failure. Rejects only where the failure cannot be recorded. */
export type Attempt = <T>(work: Work, item: string, run: () => Promise<T>) => Promise<Tried<T>>

type Tell = (details: object, message: string) => void
type Log = { readonly warn: Tell; readonly error: Tell }

export function createAttempt({ db, log }: { readonly db: Db; readonly log: Log }): Attempt {
  return async (work, item, run) => {
    try {
      const value = await inTrace(openingOf(work, item), run)
      await forget(db, work, [item])
      return { ok: true, value }
    } catch (error) {
      // Not the item's fault: the failure is not counted, and the next tick retries. Work that exceeds its own time limit is counted.
      if (error instanceof DatabaseUnavailableError && !(error instanceof TransactionTimeoutError)) {
        log.warn({ err: error, work, item }, 'the database went away while due work ran')
        return { ok: false }
      }
      const tries = await noteFailure(db, work, item, error)
      const told = { err: error, work, item, tries }
      if (tries === PARKED_TRIES)
        log.error(told, 'due work is parked: it failed five times; “roz work list” lists it, “roz work retry” runs it again')
      else log.warn(told, 'due work failed; it is tried again')
      return { ok: false }
    }
  }
}

/** Of the item only a day is shown: others are orders, payouts and members. */
const openingOf = (work: Work, item: string): Opening => ({
  name: `due ${work}`,
  kind: 'internal',
  attributes: /^\d{4}-\d\d-\d\d$/.test(item) ? { 'roz.day': item } : {},
})

/** Counts a failure of an item; returns how many there were in a row. */
export async function noteFailure(from: Queryable, work: Work, item: string, error: unknown): Promise<number> {
  const { tries } = await from.one<{ tries: number }>(sql`
    insert into failing_work as f (work, item, tries, error, next_at)
    values (${work}::text, ${item}::text, 1, ${errorText(error)}::text, roz_now())
    on conflict (work, item) do update set tries = f.tries + 1, error = excluded.error,
      next_at = roz_now() + least(2 ^ least(f.tries + 1, 12) - 2, 3600) * interval '1 second'
    returning tries`)
  return tries
}

/** SQL condition on an item: it has failed, and its next try is not due yet. */
export const isResting = (work: Work, item: Sql): Sql =>
  sql`exists (select from failing_work f where f.work = ${work}::text and f.item = ${item} and f.next_at > roz_now())`

/** The items `<day> member <number>` of this work whose next try is due: members whom a page of members passed over. */
export async function listDueMembers(from: Queryable, work: Work): Promise<readonly string[]> {
  const rows = await from.query<{ item: string }>(sql`
    select item from failing_work where work = ${work}::text and item like '% member %' and next_at <= roz_now() order by next_at limit 16`)
  return rows.map(({ item }) => item)
}

/** Deletes the failures of these items: their work is done, or will not be tried. */
export async function forget(from: Queryable, work: Work, items: readonly string[]): Promise<void> {
  await from.query(sql`delete from failing_work where work = ${work}::text and item = any (${items}::text[])`)
}

/** Deletes failures of items that are no longer tried, because their work ended in another way that nobody told. */
export async function forgetUntried(db: Db): Promise<boolean> {
  await db.query(sql`delete from failing_work where next_at < (select roz_now()) - interval '2 days'`)
  return false
}

/** An error as text of at most 500 characters, without NUL, which PostgreSQL's text cannot store. */
export const errorText = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll('\0', '').slice(0, 500)

type Parked = {
  readonly work: string
  readonly item: string
  readonly tries: number
  readonly error: string
  readonly since: Date
  readonly nextAt: Date
}

export const listParked = (from: Queryable): Promise<Parked[]> =>
  from.query<Parked>(sql`select work, item, tries, error, since, next_at as "nextAt" from parked_work order by since, work, item`)

export const countParked = async (from: Queryable): Promise<number> =>
  (await from.one<{ count: number }>(sql`select count(*)::int as count from parked_work`)).count

/** Makes a parked item due at once. False: it is not parked. */
export async function runAgain(db: Db, work: string, item: string): Promise<boolean> {
  const found = (await listParked(db)).find((parked) => parked.work === work && parked.item === item)
  if (found === undefined) return false
  if (work.startsWith('job '))
    await db.query(sql`update job set due_at = roz_now(), locked_until = null where id = ${item}::bigint and done_at is null`)
  else {
    await db.query(sql`update failing_work set next_at = roz_now() where work = ${work}::text and item = ${item}::text`)
    const due = DUE_AT_ONCE[work as Work]?.(item)
    if (due !== undefined) await db.query(due)
  }
  return true
}
