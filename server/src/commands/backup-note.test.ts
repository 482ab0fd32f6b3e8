/** Tests the note of a backup that another program took. */
import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { useTestDatabase } from '../testing/database.ts'
import { noteBackupNow } from './backup-note.ts'

const database = useTestDatabase()

const run = async (...words: string[]) => {
  const said: string[] = []
  const code = await noteBackupNow({ DATABASE_URL: database.appUrl }, words, (line) => void said.push(line))
  return { code, said }
}

test('a backup is noted with its time, and a later one replaces the note', async () => {
  for (let turn = 0; turn < 2; turn++) expect(await run('pgbackrest')).toEqual({ code: 0, said: ['Noted: pgbackrest took a backup now.'] })
  expect(
    await database.db.one(sql`select count(*)::int as notes, roz_now() - max(at) < interval '1 minute' as "isNow" from backup_note`),
  ).toEqual({
    notes: 1,
    isNow: true,
  })
})

test.each([[[]], [['--by', 'pgbackrest']]])('the words %j are refused, and nothing is noted', async (words) => {
  expect(await run(...words)).toMatchObject({ code: 2 })
})
