/** A settlement locks a wallet, then tells its owner. A deletion locks the account, then the wallet. The two never wait for each other in a circle. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { untilLockWaits } from '../../ledger/testing/fixtures.ts'
import { lockWallet } from '../../ledger/transfer.ts'
import { tellMember } from '../../members/notices.ts'
import { makeMember } from '../../testing/calls.ts'
import { useServicesWorld } from '../../testing/services-world.ts'

const world = useServicesWorld()

test('a member who deletes the account while money is booked and told holds up neither, and keeps no notice', async () => {
  const { db } = world.database
  const id = await makeMember(db)
  const deleting = await inTransaction(db, async (tx) => {
    await lockWallet(tx, id)
    const answer = world.calls.ask('DELETE /user', { as: id })
    await untilLockWaits(db, '%wallet%')
    // A circle would end only by the deadlock check of PostgreSQL, after a second.
    await tx.query(sql`set local lock_timeout = '300ms'`)
    await tellMember(tx, { memberId: id, kind: 'low_balance', key: 'told', data: { balance: '₹1.00' } })
    return { answer }
  })
  expect((await deleting.answer).status).toBe(204)
  expect(await db.query(sql`select 1 from notice where member_id = ${id}::bigint`)).toEqual([])
})
