import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { useTestDatabase } from '../testing/database.ts'
import { CURSOR_PARTS, cutPage, readPage, writeCursor } from './cursor.ts'

const database = useTestDatabase()

const SHAPES = [CURSOR_PARTS.micros, CURSOR_PARTS.uuid]
const ID = '00000000-0000-4000-8000-000000000000'

test('the cursor of a page leads to the next page, and the last page has no cursor', () => {
  const rows = ['3', '2', '1'].map((at) => [at, ID])
  const first = cutPage(rows, 2, (row) => row)
  expect(first.rows).toEqual(rows.slice(0, 2))
  expect(readPage({ cursor: first.nextCursor ?? '', limit: 2 }, SHAPES)).toEqual({ ok: true, after: ['2', ID], limit: 2 })
  expect(cutPage(rows, 3, (row) => row).nextCursor).toBeNull()
  expect(readPage({ limit: 2 }, SHAPES)).toEqual({ ok: true, after: undefined, limit: 2 })
})

test('a cursor that was altered, cut or taken from another list is refused', () => {
  const forged = [[], ['1'], ['1', ID, ID], ['-1', ID], ['1', 'x'], [1, ID], { 0: '1', 1: ID }].map((key) => writeCursor(key as string[]))
  for (const cursor of [...forged, '', 'x', writeCursor(['1', ID]).slice(1)]) {
    expect(readPage({ cursor, limit: 2 }, SHAPES)).toEqual({ ok: false, code: 'invalid_input', fields: { cursor: 'cursor_invalid' } })
  }
})

test('every instant and day that a cursor accepts is in the range of the database', async () => {
  const asInstant = (part: string) => database.db.query(sql`select 'epoch'::timestamptz + ${part}::bigint * interval '1 microsecond'`)
  const asDay = (part: string) => database.db.query(sql`select ${part}::date`)
  for (const part of ['-999999999999999999', '-1', '0', '999999999999999999', '9'.repeat(19)]) {
    if (CURSOR_PARTS.micros(part)) await asInstant(part)
  }
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^\d{4}-\d{2}-\d{2}$/), async (part) => void (CURSOR_PARTS.day(part) && (await asDay(part)))),
    { examples: [['0000-01-01'], ['0001-01-01'], ['9999-12-31']] },
  )
})
