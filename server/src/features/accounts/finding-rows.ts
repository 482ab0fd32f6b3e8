/**
 * Stores findings (core/src/findings.ts).
 * - A finding is one row for its kind and subject, however often it is found. One that was closed is open again if its amount changes.
 * - A finding that is gone when looked again ends by itself.
 */
import type { FindingKind } from '@roz/core/findings.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'

export type Found = {
  readonly kind: FindingKind
  readonly subject: string
  readonly difference: bigint
  readonly detail: string | null
}
/** A finding that was not open before. */
export type News = { readonly kind: FindingKind; readonly subject: string; readonly difference: bigint }

/** Replaces the findings of one place, such as of a settlement: the rows `f` that `of` selects. Returns what is newly open. */
export async function replaceFindings(
  tx: Tx,
  { of, settlementId, found }: { readonly of: Sql; readonly settlementId: string | null; readonly found: readonly Found[] },
): Promise<readonly News[]> {
  const columns = [found.map(({ kind }) => kind), found.map(({ subject }) => subject)] as const
  await tx.query(sql`
    update money_finding f set ended_at = roz_now(), first_by = case when closed_at is null then null else first_by end,
           first_at = case when closed_at is null then null else first_at end, reason = case when closed_at is null then null else reason end
     where ${of} and f.ended_at is null and (f.kind, f.subject) not in (select * from unnest(${columns[0]}::text[], ${columns[1]}::text[]))`)
  return tx.query<News>(sql`
    with now as (
      select * from unnest(${columns[0]}::text[], ${columns[1]}::text[], ${found.map(({ difference }) => difference)}::bigint[],
        ${found.map(({ detail }) => detail)}::text[]) as n (kind, subject, difference, detail)),
    written as (
      insert into money_finding as f (kind, subject, settlement_id, difference, detail)
      select distinct on (kind, subject) kind, subject, ${settlementId}::text, difference, left(detail, 300) from now
      on conflict (kind, subject) do update
        set difference = excluded.difference, detail = excluded.detail, settlement_id = excluded.settlement_id, ended_at = null, found_at = roz_now(),
            first_by = null, first_at = null, closed_by = null, closed_at = null, reason = null
        where f.ended_at is not null or f.difference <> excluded.difference
      returning f.kind, f.subject, f.difference)
    select kind, subject, difference from written`)
}
