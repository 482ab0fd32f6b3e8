/** A closed wallet is empty and inactive: the constraints of its row refuse anything else. */
import { beforeAll, expect, test } from 'vitest'
import { sql, violatedConstraint } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { closeWallet, giveRest } from './closing.ts'
import { DAY, newMember, openDay } from './testing/fixtures.ts'

const database = useTestDatabase()
beforeAll(async () => {
  await openDay(database, DAY)
})

test('a closed wallet takes neither money nor a right to move it, and only an empty wallet is closed', async () => {
  const memberId = await newMember(database.db, { rupees: 10, mayMove: true })
  const set = (change: ReturnType<typeof sql>) => database.db.query(sql`update wallet set ${change} where member_id = ${memberId}::bigint`)
  const refusedByRow = (writing: Promise<unknown>) =>
    expect(writing).rejects.toSatisfy((error) => violatedConstraint(error) === 'wallet_closed_is_empty')
  await refusedByRow(set(sql`is_closed = true, may_move = false, auto_join = false`))
  const given = await inTransaction(database.db, (tx) => giveRest(tx, { memberId, ref: crypto.randomUUID() }))
  expect(given).toEqual({ ok: true, value: 1000n })
  await refusedByRow(set(sql`is_closed = true`))
  expect(await inTransaction(database.db, (tx) => closeWallet(tx, memberId))).toMatchObject({ ok: true })
  for (const change of [sql`balance = 1`, sql`held = 1`, sql`may_move = true`, sql`auto_join = true`]) await refusedByRow(set(change))
})
