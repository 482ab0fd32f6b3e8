/** A member's own impact: rupees put into rounds, distinct named charities in the stories of those rounds, rounds joined. */
import { ENTRY_FEE, type Paise, paise } from '@roz/core/money.ts'
import { one, type Queryable, sql } from '../../db/sql.ts'
import { hasEntry } from '../../ledger/entries.ts'
import { PENDING_CHARITY } from './story.ts'

export async function memberImpact(
  db: Queryable,
  memberId: bigint,
): Promise<{ readonly donated: Paise; readonly charities: number; readonly rounds: number }> {
  const row = await one<{ rounds: number; charities: bigint }>(
    db,
    sql`
    select coalesce((select joins from wallet where member_id = ${memberId}::bigint), 0) as rounds,
      (select count(distinct lower(s.charity_name)) from story s
        where s.charity_name <> ${PENDING_CHARITY}::text and ${hasEntry(sql`${memberId}::bigint`, sql`s.round_day`)}) as charities`,
  )
  return { donated: paise(BigInt(row.rounds) * ENTRY_FEE), charities: Number(row.charities), rounds: row.rounds }
}
