/**
 * The open findings of the audits: invariants that the newest audit of their days found broken.
 * - A finding ends when a later run covers the same days and finds no violation. A full run covers all days.
 * - A finding of the nightly comparison ends when a later comparison of all wallets finds none.
 * - The portal, the to-do list, /metrics, `roz status` and the audit's mail read the findings from here.
 */
import { type Queryable, sql } from '../db/sql.ts'

export type Finding = {
  readonly invariant: string
  readonly sentence: string
  /** Broken rows, up to the 100 that a run names. */
  readonly rows: number
  readonly first: string
  readonly at: Date
}

/** The nightly comparison checks this one. */
export const WALLET_SENTENCE = "A wallet's balance is the sum of its legs."

/** Rows of `Finding`, the newest one of each invariant. A later run has a higher id, also after the product's clock was set back. */
export const FINDINGS = sql`(
  select distinct on (invariant) invariant, sentence, rows, first, at from (
    select b.invariant, b.sentence, jsonb_array_length(b.rows) as rows, b.rows #>> '{0,subject}' || ': ' || (b.rows #>> '{0,found}') as first,
           r.finished_at as at
      from audit_run r cross join lateral jsonb_to_recordset(r.broken) as b (invariant text, sentence text, rows jsonb)
     where not exists (
       select from audit_run later
        where later.id > r.id and later.finished_at is not null and (later.scope = 'full' or later.since <= r.since))
    union all
    select 'wallet_is_sum_of_legs', ${WALLET_SENTENCE}::text, sum(broken)::int, 'night of ' || max(night) || ': wallets that differ from their movements',
           max(coalesce(finished_at, started_at))
      from wallet_check
     where broken > 0 and night > coalesce(
       (select night from wallet_check where finished_at is not null order by night desc offset 1 limit 1), '-infinity')
    having count(*) > 0) found
  order by invariant, at desc)`

export const listFindings = (from: Queryable): Promise<Finding[]> =>
  from.query<Finding>(sql`select invariant, sentence, rows, first, at from ${FINDINGS} standing order by invariant`)
