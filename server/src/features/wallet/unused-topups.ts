/**
 * Whether a withdrawal draws on a top-up younger than 72 h: a mark for the administrator, never a
 * refusal. Spending uses top-ups first in, first out and winnings last (money.md 14), so what is left
 * of the top-ups is a walk that never falls below zero, and the newest of them are left last. A
 * withdrawal or refund whose money came back counts as never asked.
 */
import { one, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Paise } from '@roz/core/money.ts'

/** To be called before the withdrawal's own hold is written, under the wallet's lock. */
export async function drawsOnYoungTopup(tx: Tx, memberId: bigint, amount: Paise): Promise<boolean> {
  const { left, young } = await one<{ left: bigint; young: bigint }>(
    tx,
    sql`
    with move as (
      select wallet_seq::bigint as seq, -entry_fee() as amount, false as young from round_join where member_id = ${memberId}::bigint
      union all
      select wallet_seq, t.amount, t.kind = 'topup' and t.created_at > roz_now() - interval '72 hours'
        from transfer t where t.credit = ${memberId}::bigint and t.kind in ('topup', 'suspense_credit', 'round_refund')
      union all
      select wallet_seq, -t.amount, false from transfer t
       where t.debit = ${memberId}::bigint
         and not exists (select from transfer b where b.ref = t.ref and b.kind in ('wd_back', 'wd_reversed', 'refund_failed'))
    ), walk as (
      select amount, young, sum(amount) over (order by seq) as height from move
    )
    select (coalesce(sum(amount), 0) - least(0, coalesce(min(height), 0)))::bigint as left,
      coalesce(sum(amount) filter (where young), 0)::bigint as young
    from walk`,
  )
  const youngLeft = young < left ? young : left
  return youngLeft > 0n && amount > left - youngLeft
}
