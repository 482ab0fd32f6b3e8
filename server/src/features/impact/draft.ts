/**
 * Makes the draft story of a settled day.
 *
 * - A day has one draft, however often it is asked for; a void round has none.
 * - A draft stores the winner's id, never the name.
 */
import { randomUUID } from 'node:crypto'
import { draftWords } from '@roz/core/draft-words.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { PENDING_CHARITY } from '@roz/core/story-words.ts'
import { type Db, sql } from '../../db/sql.ts'

export async function draftStory(db: Db, day: string): Promise<void> {
  const round = await db.maybeOne<{ participants: bigint; need: Paise; winner: bigint | null; prize: Paise | null }>(sql`
    select r.entries as participants, r.need_paise as need, w.member_id as winner, w.amount as prize
    from round r left join draw_winner w on w.day = r.day and w.rank = 1
    where r.day = ${day}::date and r.status = 'settled'`)
  if (round === undefined) return
  const words = draftWords({ day: day as IstDay, participants: round.participants, need: round.need }, 'en')
  await db.query(sql`
    insert into story (id, day, round_day, title, description, charity_name, charity_description, amount_paise,
      winner_member_id, winner_amount_paise, participants, assurance)
    values (${randomUUID()}::uuid, ${day}::date, ${day}::date, ${words.title}::text, ${words.description}::text,
      ${PENDING_CHARITY}::text, ${words.charityDescription}::text, ${round.need}::bigint,
      ${round.winner}::bigint, ${round.prize}::bigint, ${round.participants}::bigint, 'weak')
    on conflict (round_day) do nothing`)
}
