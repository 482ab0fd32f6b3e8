/**
 * Keeps the figures that the list of members is sorted by: balance, rounds joined, and winnings.
 *
 * - They are a copy, some minutes old. An index on the wallet itself would make every join rewrite it.
 * - A pass reads all members, page by page. A page and the cursor behind it are committed together.
 * - One process works on a page at a time. A row that did not change is not written.
 */
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'

type SortFiguresDeps = {
  readonly db: Db
  /** How often this process checks whether a pass is due. */
  readonly everyMs?: number
  readonly page?: number
}

const LOOK_MS = 60_000
const PAGE = 5_000
const EVERY = sql`interval '5 minutes'`

export function createSortFigures({ db, everyMs = LOOK_MS, page = PAGE }: SortFiguresDeps): () => Promise<boolean> {
  let lookedAt = Number.NEGATIVE_INFINITY
  let isUnderWay = false
  /** Copies one page; false when this pass has none left. */
  return async function due(): Promise<boolean> {
    if (!isUnderWay && performance.now() - lookedAt < everyMs) return false
    lookedAt = performance.now()
    isUnderWay = await inTransaction(db, (tx) => step(tx, page))
    return isUnderWay
  }
}

async function step(tx: Tx, size: number): Promise<boolean> {
  const pass = await tx.maybeOne<{ lastId: bigint; isNew: boolean }>(sql`
    select last_id as "lastId", finished_at is not null as "isNew" from member_sort_pass
         where finished_at is null or abs(extract(epoch from roz_now() - finished_at)) >= extract(epoch from ${EVERY}) for update skip locked`)
  if (pass === undefined) return false
  const { members, last } = await copyPage(tx, pass.isNew ? 0n : pass.lastId, size)
  const isLast = members < size
  await tx.query(sql`
    update member_sort_pass
       set last_id = ${isLast ? 0n : (last ?? 0n)}::bigint,
           started_at = case when ${pass.isNew}::boolean then roz_now() else started_at end,
           sorted_at = case when not ${isLast}::boolean then sorted_at when ${pass.isNew}::boolean then roz_now() else started_at end,
           finished_at = case when ${isLast}::boolean then roz_now() end`)
  return !isLast
}

const copyPage = (tx: Tx, after: bigint, size: number) =>
  tx.one<{ members: number; last: bigint | null }>(sql`
    with page as materialized (
      select w.member_id, w.balance, w.joins,
             coalesce((select sum(d.amount) from draw_winner d where d.member_id = w.member_id), 0)::bigint as won
        from wallet w where w.member_id > ${after}::bigint and not w.is_closed order by w.member_id limit ${size}::int),
    copied as (
      insert into member_sort (member_id, balance, joins, won)
      select p.* from page p left join member_sort s using (member_id)
       where (s.balance, s.joins, s.won) is distinct from (p.balance, p.joins, p.won)
      on conflict (member_id) do update set balance = excluded.balance, joins = excluded.joins, won = excluded.won)
    select count(*)::int as members, max(member_id) as last from page`)
