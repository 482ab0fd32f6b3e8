/**
 * Due work that fails. Invariants: one item that fails fails nothing beside it; it is tried again ever more
 * rarely, an hour apart at most; after five tries in a row it is parked: an alarm once, a row that /readyz and
 * /metrics count and `npm run parked` lists and runs again; the first try that succeeds forgets it.
 */
import { DatabaseUnavailableError, type Db, one, type Queryable, type Sql, sql } from '../db/sql.ts'

/** Kinds of work, each with what makes an item of it due at once; `undefined`: its `next_at` alone decides. */
const DUE_AT_ONCE = {
  order: (id) => sql`update order_check set asked_at = null, ask_at = roz_now() where order_id = ${id}::text`,
  dispute: (id) => sql`update dispute_check set ask_at = roz_now() where dispute_id = ${id}::text`,
  withdrawal: (id) => sql`update payout_check set asked_at = null, ask_at = roz_now() where id::text = ${id}::text`,
  refund: (id) => sql`update payout_check set asked_at = null, ask_at = roz_now() where id::text = ${id}::text`,
  event: undefined,
  weekly_mail: undefined,
  auto_join: undefined,
  make: undefined,
  close: undefined,
  draw: undefined,
  settle: undefined,
  give_back: undefined,
  seal_day: undefined,
  seal_list: undefined,
  beacon: undefined,
} as const satisfies Record<string, ((item: string) => Sql) | undefined>
export type Work = keyof typeof DUE_AT_ONCE

/** In the view parked_work as well. */
const PARKED_TRIES = 5

export type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false }
/** Does one item's work. Fails only where even that cannot be written down. */
export type Attempt = <T>(work: Work, item: string, run: () => Promise<T>) => Promise<Tried<T>>

type Tell = (details: object, message: string) => void
type Log = { readonly warn: Tell; readonly error: Tell }

export function createAttempt({ db, log }: { readonly db: Db; readonly log: Log }): Attempt {
  return async (work, item, run) => {
    try {
      const value = await run()
      await db.query(sql`delete from failing_work where work = ${work}::text and item = ${item}::text`)
      return { ok: true, value }
    } catch (error) {
      // No item's fault: nobody counts it, and the next tick tries again.
      if (error instanceof DatabaseUnavailableError) {
        log.warn({ err: error, work, item }, 'the database went away while due work ran')
        return { ok: false }
      }
      const tries = await note(db, work, item, error)
      const told = { err: error, work, item, tries }
      if (tries === PARKED_TRIES) log.error(told, 'due work is parked: it failed five times; “npm run parked” lists it and runs it again')
      else log.warn(told, 'due work failed; it is tried again')
      return { ok: false }
    }
  }
}

async function note(db: Db, work: Work, item: string, error: unknown): Promise<number> {
  const { tries } = await one<{ tries: number }>(
    db,
    sql`
    insert into failing_work as f (work, item, tries, error, next_at)
    values (${work}::text, ${item}::text, 1, ${errorText(error)}::text, roz_now())
    on conflict (work, item) do update set tries = f.tries + 1, error = excluded.error,
      next_at = roz_now() + least(2 ^ least(f.tries + 1, 12) - 2, 3600) * interval '1 second'
    returning tries`,
  )
  return tries
}

/** A condition on an item's text: it has failed, and its next try is still to come. */
export const isResting = (work: Work, item: Sql): Sql =>
  sql`exists (select from failing_work f where f.work = ${work}::text and f.item = ${item} and f.next_at > roz_now())`

/** Items that nobody tries any more: what they were due for has ended without them. */
export async function forgetUntried(db: Db): Promise<boolean> {
  await db.query(sql`delete from failing_work where next_at < (select roz_now()) - interval '2 days'`)
  return false
}

/** Without NUL, which no text of the database can hold. */
export const errorText = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll('\0', '').slice(0, 500)

export type Parked = {
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
  (await one<{ count: number }>(from, sql`select count(*)::int as count from parked_work`)).count

/** Makes a parked item due at once. False: no such item is parked. */
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
