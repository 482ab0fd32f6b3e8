/**
 * The announcements that members see now.
 * - The database's clock decides what runs.
 * - They are answered with the first call of a session, so a page start costs one short read and no call more.
 */
import type { RunningAnnouncement } from '@roz/contract/shapes.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import { completed, type StoredTexts } from '@roz/core/language.ts'
import { type Queryable, sql } from '../db/sql.ts'

type Row = { readonly id: bigint; readonly text: StoredTexts; readonly link: string | null; readonly endsAt: Date }

/** More at once are not shown: members see one at a time. */
const SHOWN_MAX = sql`5`

/** The newest start first. */
export async function listRunning(from: Queryable): Promise<RunningAnnouncement[]> {
  const rows = await from.query<Row>(sql`
    select id, texts as text, link, ends_at as "endsAt" from announcement
     where ended_at is null and ends_at > (select roz_now()) and starts_at <= (select roz_now())
     order by starts_at desc, id desc limit ${SHOWN_MAX}`)
  return rows.map(({ id, text, link, endsAt }) => ({ id: String(id), text: completed(text), link, endsAt: isoIst(endsAt.getTime()) }))
}
