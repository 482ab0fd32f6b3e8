/**
 * A member's own impact: rupees put into rounds, distinct named charities, rounds joined.
 * - A rupee that came back from a round without a draw was not put in.
 * - A charity counts while a story that names it is published and the member's rupee is in its help. A revoked consent changes no figure.
 * - The help of a disbursement is the member's by its allotment, the help of a day by its entry.
 */
import { PENDING_CHARITY } from '@roz/core/story-words.ts'
import { ENTRY_FEE, type Paise, paise } from '@roz/core/money.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import { hasEntry } from '../../ledger/entries.ts'
import { hasPart } from '../../members/own-stories.ts'
import { tellsOfRevoked } from './queries.ts'

export async function memberImpact(
  db: Queryable,
  memberId: bigint,
): Promise<{ readonly donated: Paise; readonly charities: number; readonly rounds: number }> {
  const member = sql`${memberId}::bigint`
  const row = await db.one<{ rounds: number; returned: bigint; charities: bigint }>(sql`
    select coalesce((select joins from wallet where member_id = ${member}), 0) as rounds,
      (select count(*) from transfer where credit > 1000 and credit = ${member} and kind = 'round_refund') as returned,
      (select count(distinct lower(s.charity_name)) from story s
        where (s.is_active or s.published_at is not null and ${tellsOfRevoked(sql`s.id`)}) and s.charity_name <> ${PENDING_CHARITY}::text
          and case when s.outlay_id is null then ${hasEntry(member, sql`s.round_day`)} else ${hasPart(member)} end) as charities`)
  return { donated: paise((BigInt(row.rounds) - row.returned) * ENTRY_FEE), charities: Number(row.charities), rounds: row.rounds }
}
