/**
 * `roz work list`: lists parked work, oldest first; `roz work retry` makes one item due at once.
 * - Exit code of the list: 0 if nothing is parked, 1 if something is.
 * - Exit code with a name: 0 if the item is due again, 1 if no such item is parked.
 * - Exit code 2: the database could not be read.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { type CommandTarget, exitCodeOnDatabase } from './command-database.ts'
import type { Db } from '../db/sql.ts'
import { listParked, runAgain } from '../jobs/parking.ts'

/** `name`: work and item as listed, such as `order 1f…` or `job mail 42`; empty: print the list. */
export async function parkedNow(target: CommandTarget, name: string): Promise<0 | 1 | 2> {
  const { say } = target
  return exitCodeOnDatabase(
    target,
    { name: 'parked' },
    (db) => (name === '' ? list(db, say) : again(db, name, say)),
    (why) => `Parked work could not be read: ${why}`,
  )
}

async function list(db: Db, say: (line: string) => void): Promise<0 | 1> {
  const parked = await listParked(db)
  for (const { work, item, tries, error, since, nextAt } of parked) {
    say(`${work} ${item}: ${tries} tries since ${isoIst(since.getTime())}, the next one ${isoIst(nextAt.getTime())}`)
    say(`    ${error}`)
  }
  say(
    parked.length === 0
      ? 'Nothing is parked.'
      : 'Once its cause is mended: roz work retry <its first words>, as in “roz work retry order 1f2e…”.',
  )
  return parked.length === 0 ? 0 : 1
}

async function again(db: Db, name: string, say: (line: string) => void): Promise<0 | 1> {
  const found = (await listParked(db)).find(({ work, item }) => `${work} ${item}` === name)
  if (found === undefined || !(await runAgain(db, found.work, found.item))) {
    say(`Nothing of this name is parked: ${name}`)
    return 1
  }
  say('It is due again: the server tries it within a second. It stays parked until the cause is mended.')
  return 0
}
