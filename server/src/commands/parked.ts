/**
 * `npm run parked`: the due work that failed again and again, oldest first; with the name of a work and of an
 * item behind it, runs that one again. 0: nothing is parked, or it is due again; 1: something is; 2: it could not look.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { type CommandTarget, onDatabase } from './command-database.ts'
import { connect, type Db } from '../db/sql.ts'
import { listParked, runAgain } from '../jobs/parking.ts'

/** `name`: work and item as they are listed, `order 1f…`, `job mail 42`; empty: the list. */
export async function parkedNow(target: CommandTarget, name: string): Promise<0 | 1 | 2> {
  const { say, namedStatements } = target
  try {
    const done = await onDatabase(target, async (url) => {
      const db = connect({ url, max: 1, named: namedStatements, applicationName: 'roz-parked' })
      try {
        return name === '' ? await list(db, say) : await again(db, name, say)
      } finally {
        await db.close()
      }
    })
    return done ?? 2
  } catch (error) {
    say(`Parked work could not be read: ${error instanceof Error ? error.message : String(error)}`)
    return 2
  }
}

async function list(db: Db, say: (line: string) => void): Promise<0 | 1> {
  const parked = await listParked(db)
  for (const { work, item, tries, error, since, nextAt } of parked) {
    say(`${work} ${item}: ${tries} tries since ${isoIst(since.getTime())}, the next one ${isoIst(nextAt.getTime())}`)
    say(`    ${error}`)
  }
  say(parked.length === 0 ? 'Nothing is parked.' : 'Once its cause is mended: npm run parked -- <its first words>, as `order 1f2e…`.')
  return parked.length === 0 ? 0 : 1
}

async function again(db: Db, name: string, say: (line: string) => void): Promise<0 | 1> {
  const found = (await listParked(db)).find(({ work, item }) => `${work} ${item}` === name)
  if (found === undefined || !(await runAgain(db, found.work, found.item))) {
    say(`Nothing of this name is parked: ${name}`)
    return 1
  }
  say('It is due again: the server tries it within a second. While the cause stands it stays parked.')
  return 0
}
