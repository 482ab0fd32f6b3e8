/**
 * The invariants of money, each one SQL file whose first comment line is its sentence. A file yields
 * one row `(subject, found)` per violation. Run after every test file that moved money.
 */
import { readdir, readFile } from 'node:fs/promises'
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

export type Invariant = { readonly name: string; readonly sentence: string; readonly text: string }

export async function listInvariants(): Promise<Invariant[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), 'utf8')
      const sentence = /^-- (.+)$/m.exec(text)?.[1]
      if (sentence === undefined) throw new Error(`audit ${name} has no sentence`)
      return { name: name.replace('.sql', ''), sentence, text }
    }),
  )
}

export async function runAudit(from: Queryable): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const { name, sentence, text } of await listInvariants()) {
    const rows = await from.query<{ subject: string; found: string }>(
      sql([`select * from (${text}) violation limit ${NAMED_MAX}`] as unknown as TemplateStringsArray),
    )
    for (const row of rows) violations.push({ invariant: name, sentence, subject: row.subject, found: row.found })
  }
  return violations
}

export const describeViolations = (violations: readonly Violation[]): string =>
  violations.map(({ invariant, sentence, subject, found }) => `${invariant}: ${subject}: ${found} (${sentence})`).join('\n')
