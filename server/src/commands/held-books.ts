/**
 * `roz books list`: shows the day whose books are held, and why (docs/runbooks/books-held.md).
 * - `roz books retry` and `roz books cover` release that day. A running server makes its books within a second.
 * - Each release is written to the staff log in the same transaction.
 */
import { type CommandTarget, exitCodeOnDatabase } from './command-database.ts'
import type { Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { logStaff } from '../staff/staff-log.ts'
import { findHeldBooks, type HeldBooks, releaseBooks } from '../ledger/held-books.ts'

const USAGE = 'roz books list · roz books retry · roz books cover'

export async function heldBooksNow(target: CommandTarget & { readonly words: readonly string[] }): Promise<0 | 1 | 2> {
  const { say, words } = target
  const [word] = words
  if (words.length > 1 || (word !== undefined && word !== 'retry' && word !== 'cover')) {
    say(USAGE)
    return 1
  }
  const run = async (db: Db): Promise<0> => {
    const held = await findHeldBooks(db)
    if (held === undefined) say('No books are held.')
    else if (word === undefined) tell(say, held)
    else
      await inTransaction(db, async (tx) => {
        await releaseBooks(tx, held.day, { cover: word === 'cover' })
        await logStaff(tx, { actorId: undefined, action: `books.${word}`, subject: `books:${held.day}`, after: { found: held.found } })
      })
    if (held !== undefined && word !== undefined)
      say(`The books of ${held.day} are tried again now${word === 'cover' ? ', and covered' : ''}.`)
    return 0
  }
  return exitCodeOnDatabase(target, { name: 'books' }, run, (why) => `The held books could not be read: ${why}`)
}

function tell(say: (line: string) => void, { day, found, waiting, since }: HeldBooks): void {
  say(`The books of ${day} are held since ${since.toISOString()}: ${found}.`)
  if (waiting > 0) say(`${waiting} ${waiting === 1 ? 'day waits' : 'days wait'} behind it. Joins, draws and payments go on.`)
  say('docs/runbooks/books-held.md says what to do.')
}
