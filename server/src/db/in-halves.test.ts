/** Work for a page of members that fails for some of them. */
import { expect, test } from 'vitest'
import { useTestDatabase } from '../testing/database.ts'
import { inHalves } from './in-halves.ts'
import { sql } from './sql.ts'
import { inTransaction } from './transaction.ts'

const database = useTestDatabase()

const MEMBERS = Array.from({ length: 40 }, (_, n) => BigInt(2000 + n))
/** Writes a row for each member; the database refuses a row of these. */
const writeFor = (refused: readonly bigint[]) =>
  inTransaction(database.db, (tx) =>
    inHalves(tx, MEMBERS, async (part) => {
      await tx.query(sql`
        insert into return_skip (day, member_id)
        select case when m = any (${refused}::bigint[]) then null else date '2026-11-21' end, m from unnest(${part}::bigint[]) m`)
    }),
  )
const written = async () =>
  (await database.db.query<{ id: bigint }>(sql`select member_id as id from return_skip order by member_id`)).map(({ id }) => id)

test('the work of all others is kept, and the failing members are returned', async () => {
  const refused = [2000n, 2017n, 2018n, 2039n]
  const failing = await writeFor(refused)
  expect(failing.map(({ memberId }) => memberId)).toEqual(refused)
  expect(String(failing[0]?.error)).toContain('null value')
  expect(await written()).toEqual(MEMBERS.filter((id) => !refused.includes(id)))
  await database.db.query(sql`delete from return_skip`)
})

test('when more than ten members fail, nothing of the page is kept', async () => {
  await expect(writeFor(MEMBERS.slice(5, 16))).rejects.toThrow('null value')
  expect(await written()).toEqual([])
})
