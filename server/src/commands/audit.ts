/**
 * `roz audit`: checks every invariant of money on a live database.
 * - It only reads, in parts: each statement is short.
 * - It prints each invariant with its sentence.
 * - Exit code: 0 if all invariants are kept, 1 if one is broken, 2 if the check could not run.
 */
import { type CommandTarget, exitCodeOnDatabase } from './command-database.ts'
import type { Db } from '../db/sql.ts'
import { addChecked, auditParts, type Checked } from '../ledger/audit.ts'

const SHOWN_MAX = 10
const STATEMENT_MS = 3_600_000

export async function auditNow(target: CommandTarget): Promise<0 | 1 | 2> {
  const options = { name: 'audit', queryTimeoutMs: STATEMENT_MS }
  return exitCodeOnDatabase(
    target,
    options,
    (db) => auditAt(db, target),
    (why) => `The books could not be read: ${why}`,
  )
}

async function auditAt(db: Db, { say }: CommandTarget): Promise<0 | 1> {
  const counts = { held: 0, broken: 0 }
  // Invariants whose last part may be still to come.
  let open: readonly Checked[] = []
  const sayDone = (next: readonly Checked[]): void => {
    for (const checked of open.filter(({ invariant }) => !next.some((each) => each.invariant === invariant))) {
      counts[checked.rows.length === 0 ? 'held' : 'broken']++
      for (const line of linesOf(checked)) say(line)
    }
  }
  for await (const part of auditParts(db)) {
    sayDone(part)
    open = addChecked(open, part).filter(({ invariant }) => part.some((each) => each.invariant === invariant))
  }
  sayDone([])
  const { held, broken } = counts
  say(broken === 0 ? `All ${held} invariants hold.` : `${broken} of ${held + broken} invariants are broken.`)
  return broken === 0 ? 0 : 1
}

function linesOf({ invariant, sentence, rows, hasMore }: Checked): string[] {
  const shown = rows.slice(0, SHOWN_MAX).map(({ subject, found }) => `    ${subject}: ${found}`)
  const left = rows.length - shown.length
  const rest = left === 0 ? [] : [`    and ${hasMore ? 'at least ' : ''}${left} more`]
  return [`${rows.length === 0 ? '✓' : '✗'} ${invariant}: ${sentence}`, ...shown, ...rest]
}
