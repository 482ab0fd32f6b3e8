/**
 * The audit of money: each invariant is one SQL file in the folder audit.
 * - The first comment line of a file is the invariant's sentence.
 * - A file returns one row `(subject, found)` per violation.
 * - The audit runs after every test file that moved money, by `roz audit`, and on a schedule (features/audit).
 * - A recent run reads the days from `:since` on, and the files marked `-- small` in their second line.
 * - Every other file waits for a full run.
 */
import { readdir, readFile } from 'node:fs/promises'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../db/sql.ts'

export type Violation = {
  /** The file's name without its ending: `wallet_is_sum_of_legs`. */
  readonly invariant: string
  readonly sentence: string
  /** The broken row: a member, a day, a withdrawal. */
  readonly subject: string
  readonly found: string
}

/** Rows reported per invariant: enough to start a search, and never a million. */
const NAMED_MAX = 100
const FOLDER = new URL('./audit/', import.meta.url)
const SINCE = /:since\b/g

export type Invariant = { readonly name: string; readonly sentence: string; readonly text: string; readonly isRecent: boolean }
export type Checked = {
  readonly invariant: string
  readonly sentence: string
  readonly rows: readonly { readonly subject: string; readonly found: string }[]
  /** More rows violate the invariant than `rows` lists. */
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

/** Checks one invariant after the other; with `since`, only the invariants of a recent run. */
export async function* auditEach(from: Queryable, since?: IstDay): AsyncGenerator<Checked> {
  for (const { name, sentence, text, isRecent } of await listInvariants()) {
    if (since !== undefined && !isRecent) continue
    // Safe to inline: a day contains only digits and dashes.
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
