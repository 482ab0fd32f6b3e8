/**
 * The open findings of the audits: invariants that the newest audit of their days or members found broken.
 * - A finding ends when a run that began after it covers the same rows and finds no violation. A full run covers everything, a recent run
 *   the whole tables and the days since its first one.
 * - A finding of a run under way counts at once.
 * - The portal, the to-do list, /metrics, `roz status` and the audit's mail read the findings from here.
 */
import { type Queryable, sql } from '../db/sql.ts'
import type { Checked } from './audit.ts'

/** A finding as `audit_run.broken` has it. */
export type StoredFinding = Checked & {
  /** The id of the newest run when it was found. Runs of release 1.0.0 left it out. */
  readonly newest?: string
  /** A recent run reads the same rows. */
  readonly isOfTables?: boolean
}

export type Finding = {
  readonly invariant: string
  readonly sentence: string
  /** Broken rows, up to the 100 that a run names. */
  readonly rows: number
  readonly first: string
  readonly at: Date
}

/** Rows of `Finding`, the newest one of each invariant. A later run has a higher id, also after the product's clock was set back. */
export const FINDINGS = sql`(
  select distinct on (invariant) b.invariant, b.sentence, jsonb_array_length(b.rows) as rows,
         b.rows #>> '{0,subject}' || ': ' || (b.rows #>> '{0,found}') as first, coalesce(r.finished_at, r.started_at) as at
    from audit_run r
   cross join lateral jsonb_to_recordset(r.broken) as b (invariant text, sentence text, rows jsonb, newest bigint, "isOfTables" boolean)
   where not exists (
     select from audit_run later
      where later.id > coalesce(b.newest, r.id) and later.finished_at is not null
        and (later.scope = 'full' or later.since <= r.since or b."isOfTables"))
   order by invariant, r.id desc)`

export const listFindings = (from: Queryable): Promise<Finding[]> =>
  from.query<Finding>(sql`select invariant, sentence, rows, first, at from ${FINDINGS} standing order by invariant`)
