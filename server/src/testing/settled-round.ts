/** Inserts a settled round by hand, for tests that only read rounds. Its money is not booked, so the audit would fail. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { connect, sql } from '../db/sql.ts'
import type { TestDatabase } from './database.ts'

type SettledRound = { readonly day: string; readonly entries: bigint; readonly winner: bigint; readonly joins?: readonly bigint[] }

export async function insertSettledRound(
  { db, superUrl }: TestDatabase,
  { day, entries, winner, joins = [] }: SettledRound,
): Promise<void> {
  const hash = Buffer.alloc(32, 1)
  const pool = entries * 100n
  await db.query(sql`select make_join_month(${day as IstDay}::date)`)
  await db.query(sql`
    insert into round (day, status, policy, need, reward, platform, winners, opens_at, closes_at, mode, secret_hash, sealed_secret,
      closed_at, entries, pool, root, draw_at, randomness, seed, drawn_at, need_paise, reward_paise, platform_paise, tax_paise, settled_at)
    values (${day}::date, 'settled', 'A', 60, 30, 10, 1, start_of_ist_day(${day}::date), start_of_ist_day(${day}::date + 1), 'local',
      ${hash}::bytea, ${hash}::bytea, roz_now(), ${entries}::bigint, ${pool}::bigint, ${hash}::bytea, roz_now(), ${hash}::bytea, ${hash}::bytea,
      roz_now(), ${(pool * 6n) / 10n}::bigint, ${(pool * 3n) / 10n}::bigint, ${pool / 10n}::bigint, 0, roz_now())`)
  await db.query(sql`
    insert into draw_winner (day, rank, member_id, amount) values (${day}::date, 1, ${winner}::bigint, ${(pool * 3n) / 10n}::bigint)`)
  // Bypasses the triggers, because a settled round accepts no joins.
  const root = connect({ url: superUrl, max: 1, named: false })
  await root.query(sql`set session_replication_role = replica`)
  for (const member of joins) {
    await root.query(sql`
      with w as (update wallet set joins = joins + 1, seq = seq + 1 where member_id = ${member}::bigint returning seq),
        b as (insert into join_batch (uuid, day, via, n, amount) values (gen_random_uuid(), ${day}::date, 'member', 1, entry_fee()) returning batch_id)
      insert into round_join (batch_id, member_id, balance_after, wallet_seq, day)
      select b.batch_id, ${member}::bigint, 0, w.seq::int, ${day}::date from b, w`)
  }
  await root.close()
}
