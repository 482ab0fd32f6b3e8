/**
 * The invariants of money, each one SQL file whose first comment line is its sentence. A file yields
 * one row `(subject, found)` per violation. Run after every test file that moved money, by
 * `npm run audit`, and by the schedule (features/audit).
 *
 * In a recent run the files that read days take those from `:since` on, and the others that stay
 * small say so in their second line (`-- small`); what needs the whole history waits for a full run.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../db/sql.ts'

export type Violation = {
  /** The file's name without its ending: `wallet_is_sum_of_legs`. */
  readonly invariant: string
  readonly sentence: string
  /** Which row: a member, a day, a withdrawal. */
  readonly subject: string
  readonly found: string
}

/** Of one invariant: enough to start looking, and no answer of a million rows. */
const NAMED_MAX = 100
const FOLDER = new URL('./audit/', import.meta.url)
const SINCE = /:since\b/g

export type Invariant = { readonly name: string; readonly sentence: string; readonly text: string; readonly isRecent: boolean }
export type Checked = {
  readonly invariant: string
  readonly sentence: string
  readonly rows: readonly { readonly subject: string; readonly found: string }[]
  /** There are more rows than are named. */
  readonly hasMore: boolean
}

export async function listInvariants(): Promise<Invariant[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), 'utf8')
      const [first = '', second = ''] = text.split('\n')
      const sentence = /^-- (.+)$/.exec(first)?.[1]
      if (sentence === undefined) throw new Error(`audit ${name} has no sentence`)
      return { name: name.replace('.sql', ''), sentence, text, isRecent: second === '-- small' || text.includes(':since') }
    }),
  )
}

/** One invariant after the other; with `since` only what a recent run looks at. */
export async function* auditEach(from: Queryable, since?: IstDay): AsyncGenerator<Checked> {
  for (const { name, sentence, text, isRecent } of await listInvariants()) {
    if (since !== undefined && !isRecent) continue
    // A day is digits and dashes: it can stand in the text.
    const bounded = text.replace(SINCE, `date '${since ?? '-infinity'}'`)
    const rows = await from.query<{ subject: string; found: string }>(
      sql([`select * from (${bounded}) violation limit ${NAMED_MAX + 1}`] as unknown as TemplateStringsArray),
    )
    yield { invariant: name, sentence, rows: rows.slice(0, NAMED_MAX), hasMore: rows.length > NAMED_MAX }
  }
}

export async function runAudit(from: Queryable, since?: IstDay): Promise<Violation[]> {
  const violations: Violation[] = []
  for await (const { invariant, sentence, rows } of auditEach(from, since))
    for (const row of rows) violations.push({ invariant, sentence, subject: row.subject, found: row.found })
  return violations
}

export const describeViolations = (violations: readonly Violation[]): string =>
  violations.map(({ invariant, sentence, subject, found }) => `${invariant}: ${subject}: ${found} (${sentence})`).join('\n')
