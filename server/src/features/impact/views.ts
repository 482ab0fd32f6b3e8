/**
 * Views of stories.
 *
 * - A view counts once per address, story and day; an IPv6 address counts as its /64.
 * - The user agent does not count, because a caller can send any.
 * - A visitor is stored as an HMAC of the address under a random key of that day. Key and rows are erased once the day is
 *   over, so that nobody can find out afterwards who watched a story.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { customerAddress } from '../../protection/limits.ts'

/** Counts a view of a published story; returns its views, or undefined when there is no such story. */
export function countView(db: Db, storyId: string, ip: string): Promise<number | undefined> {
  return inTransaction(db, async (tx) => {
    const [story] = await tx.query<{ views: bigint }>(sql`select views from story where id = ${storyId}::uuid and is_active`)
    if (story === undefined) return undefined
    const { day, key } = await keyOfToday(tx)
    const visitor = createHmac('sha256', key).update(customerAddress(ip)).digest()
    const fresh = await tx.query(sql`
      insert into story_view (day, story_id, visitor) values (${day}::date, ${storyId}::uuid, ${visitor}::bytea)
      on conflict do nothing returning day`)
    if (fresh.length === 0) return Number(story.views)
    const [counted] = await tx.query<{ views: bigint }>(sql`update story set views = views + 1 where id = ${storyId}::uuid returning views`)
    return counted === undefined ? undefined : Number(counted.views)
  })
}

/** The key of today, made at its first view. */
async function keyOfToday(tx: Queryable): Promise<{ day: string; key: Buffer }> {
  const find = () =>
    tx.query<{ day: string; key: Buffer }>(sql`select day::text as day, key from visitor_key where day = ist_day(roz_now())`)
  const [found] = await find()
  if (found !== undefined) return found
  const [made] = await tx.query<{ day: string; key: Buffer }>(sql`
    insert into visitor_key (day, key) values (ist_day(roz_now()), ${randomBytes(32)}::bytea)
    on conflict do nothing returning day::text as day, key`)
  const [theirs] = made === undefined ? await find() : [made]
  if (theirs === undefined) throw new Error('the visitor key of today is missing')
  return theirs
}

/** Erases the keys and views of past days. */
export async function eraseOldViews(db: Db): Promise<boolean> {
  const { days } = await db.one<{ days: bigint }>(sql`
    with today as materialized (select ist_day(roz_now()) as day),
      erased as (delete from visitor_key where day < (select day from today) returning day),
      forgotten as (delete from story_view where day < (select day from today) and exists (select from erased))
    select count(*) as days from erased`)
  return days > 0n
}
