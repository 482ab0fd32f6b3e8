/**
 * Days whose books cannot be made.
 * - Either their data breaks a rule (a negative balance after the clock was set back), or the work failed (a ticket key does not decrypt).
 * - The day is held with its reason and the member's number, and the days after it wait.
 * - Joins, draws, settlements and the sealing of the ledger continue.
 * - A day that breaks a rule is tried again every hour. A failed day is tried again after a second; then each pause is as long as the
 *   day has been held, at most an hour. The operator's command tries at once.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../db/sql.ts'

/** The data of a day breaks a rule of the books. */
export class BooksHeldError extends Error {
  override readonly name = 'BooksHeldError'
  readonly memberId: bigint | undefined
  constructor(found: string, memberId?: bigint) {
    super(found)
    this.memberId = memberId
  }
}

export type HeldBooks = {
  readonly day: IstDay
  readonly found: string
  readonly memberId: bigint | null
  readonly since: Date
  /** Ended days that wait for this one. */
  readonly waiting: number
  readonly isCovered: boolean
}

/** `mayPass`: the cause may pass by itself, so the first tries follow soon. */
type Hold = { readonly found: string; readonly memberId: bigint | undefined; readonly mayPass: boolean }

export async function holdBooks(into: Queryable, day: IstDay, { found, memberId, mayPass }: Hold): Promise<void> {
  await into.query(sql`
    insert into books_hold as h (day, found, member_id, next_try_at)
    values (${day}::date, ${found}::text, ${memberId ?? null}::bigint,
            roz_now() + case when ${mayPass}::boolean then interval '1 second' else interval '1 hour' end)
    on conflict (day) do update set found = excluded.found, member_id = excluded.member_id, next_try_at = case
      when ${mayPass}::boolean then roz_now() + least(greatest(roz_now() - h.found_at, interval '1 second'), interval '1 hour')
      else excluded.next_try_at end`)
}

/** The day that is held now: at most one, because days are made in order. */
export const findHeldBooks = (from: Queryable): Promise<HeldBooks | undefined> =>
  from.maybeOne<HeldBooks>(sql`
    select h.day, h.found, h.member_id as "memberId", h.found_at as since, ist_day(roz_now()) - h.day - 1 as waiting, h.covered_at is not null as "isCovered"
          from books_hold h where not exists (select from books_day b where b.day = h.day) order by h.day limit 1`)

/** Makes the day due at once. With `cover` the platform covers the negative amounts. */
export async function releaseBooks(into: Queryable, day: IstDay, options: { readonly cover: boolean }): Promise<boolean> {
  const released = await into.query(sql`
    update books_hold h set next_try_at = roz_now(), covered_at = case when ${options.cover}::boolean then coalesce(covered_at, roz_now()) else covered_at end
     where day = ${day}::date and not exists (select from books_day b where b.day = h.day) returning day`)
  return released.length === 1
}

export const isCovered = async (from: Queryable, day: IstDay): Promise<boolean> =>
  (await from.maybeOne(sql`select from books_hold where day = ${day}::date and covered_at is not null`)) !== undefined

type Cover = { readonly account: string; readonly memberId?: bigint; readonly amount: bigint }

export async function writeCover(into: Queryable, day: IstDay, { account, memberId, amount }: Cover): Promise<void> {
  await into.query(sql`
    insert into books_cover (day, account, member_id, amount)
    values (${day}::date, ${account}::text, ${memberId ?? null}::bigint, ${amount}::bigint)`)
}

/** Amounts that the platform covers at a day's end, by account. */
export const listCovers = (from: Queryable, day: IstDay): Promise<{ readonly account: string; readonly paise: bigint }[]> =>
  from.query(sql`select account, sum(amount)::bigint as paise from books_cover where day = ${day}::date group by account`)
