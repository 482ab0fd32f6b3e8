/**
 * The time of a member's evening reminder (features/push/reminders.ts sends it).
 * - The row stays when the reminder is turned off: it knows that today's turn has been.
 * - A time that has passed today begins tomorrow.
 */
import type { ReminderTime } from '@roz/core/reminder.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

/** Null turns it off. Staff accounts have no wallet, and so no reminder. */
export async function setReminder(tx: Tx, memberId: bigint, time: ReminderTime | null): Promise<void> {
  const turn = sql`case when ${time}::time <= (roz_now() at time zone 'Asia/Kolkata')::time then ist_day(roz_now()) else '-infinity'::date end`
  await tx.query(sql`
    insert into evening_reminder as e (member_id, at, looked_day)
    select w.member_id, ${time}::time, ${turn} from wallet w where w.member_id = ${memberId}::bigint and not w.is_closed
    on conflict (member_id) do update set at = excluded.at, looked_day = greatest(e.looked_day, excluded.looked_day)
     where e.at is distinct from excluded.at`)
}
