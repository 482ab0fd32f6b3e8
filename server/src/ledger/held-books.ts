/**
 * Days whose books cannot be made: a state that the rules exclude, such as money below nothing at a day's
 * end after the clock was set back. Invariants: the day is held with its reason and the member's number,
 * and the days after it wait; joins, draws, settlements and the sealing of the ledger go on; it is tried
 * again every hour, and at once when the operator says so.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { maybeOne, type Queryable, sql } from '../db/sql.ts'

/** The books of a day do not hold, for a reason that lies in the data. */
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
  /** Days that are over and wait for it. */
  readonly waiting: number
  readonly isCovered: boolean
}

export async function holdBooks(into: Queryable, day: IstDay, { message, memberId }: BooksHeldError): Promise<void> {
  await into.query(sql`
    insert into books_hold (day, found, member_id, next_try_at)
    values (${day}::date, ${message}::text, ${memberId ?? null}::bigint, roz_now() + interval '1 hour')
    on conflict (day) do update set found = excluded.found, member_id = excluded.member_id, next_try_at = excluded.next_try_at`)
}

/** The day that is held now: no more than one, for days are made in order. */
export const findHeldBooks = (from: Queryable): Promise<HeldBooks | undefined> =>
  maybeOne<HeldBooks>(
    from,
    sql`select h.day, h.found, h.member_id as "memberId", h.found_at as since, ist_day(roz_now()) - h.day - 1 as waiting, h.covered_at is not null as "isCovered"
          from books_hold h where not exists (select from books_day b where b.day = h.day) order by h.day limit 1`,
  )

/** Has the day tried again at once; with `cover` the platform stands for what is below nothing. */
export async function releaseBooks(into: Queryable, day: IstDay, options: { readonly cover: boolean }): Promise<boolean> {
  const released = await into.query(sql`
    update books_hold h set next_try_at = roz_now(), covered_at = case when ${options.cover}::boolean then coalesce(covered_at, roz_now()) else covered_at end
     where day = ${day}::date and not exists (select from books_day b where b.day = h.day) returning day`)
  return released.length === 1
}

export const isCovered = async (from: Queryable, day: IstDay): Promise<boolean> =>
  (await maybeOne(from, sql`select from books_hold where day = ${day}::date and covered_at is not null`)) !== undefined

export type Cover = { readonly account: string; readonly memberId?: bigint; readonly amount: bigint }

export async function writeCover(into: Queryable, day: IstDay, { account, memberId, amount }: Cover): Promise<void> {
  await into.query(sql`
    insert into books_cover (day, account, member_id, amount)
    values (${day}::date, ${account}::text, ${memberId ?? null}::bigint, ${amount}::bigint)`)
}

/** What the platform stands for at a day's end, by account. */
export const listCovers = (from: Queryable, day: IstDay): Promise<{ readonly account: string; readonly paise: bigint }[]> =>
  from.query(sql`select account, sum(amount)::bigint as paise from books_cover where day = ${day}::date group by account`)
