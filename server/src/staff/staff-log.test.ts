/** The staff log of staff: each entry is written in the transaction of its change. */
import { expect, test } from 'vitest'
import { logStaff } from './staff-log.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'

const database = useTestDatabase()

const rows = () =>
  database.db.query(
    sql`select actor_id as "actorId", action, subject, before, after, at <= roz_now() as "isPast" from audit_log order by id`,
  )

test('an entry names actor, action, subject, before, after and time, with paise as text', async () => {
  await inTransaction(database.db, (tx) =>
    logStaff(tx, {
      actorId: undefined,
      action: 'story.publish',
      subject: 'story:17',
      before: { isActive: false },
      after: { isActive: true, amount: 1050n },
    }),
  )
  expect(await rows()).toEqual([
    {
      actorId: null,
      action: 'story.publish',
      subject: 'story:17',
      before: { isActive: false },
      after: { isActive: true, amount: '1050' },
      isPast: true,
    },
  ])
})

test('an entry is rolled back with its change', async () => {
  const change = inTransaction(database.db, async (tx) => {
    await logStaff(tx, { actorId: undefined, action: 'story.edit', subject: 'story:18' })
    throw new Error('the change fails')
  })
  await expect(change).rejects.toThrow('the change fails')
  expect(await rows()).toHaveLength(1)
})

test('an action that is not named thing.action is refused, and so is an actor without an account', async () => {
  const write = (entry: Parameters<typeof logStaff>[1]) => inTransaction(database.db, (tx) => logStaff(tx, entry))
  await expect(write({ actorId: undefined, action: 'Published a story', subject: 'story:17' })).rejects.toThrow('audit_log_action_check')
  await expect(write({ actorId: 9_999n, action: 'story.edit', subject: 'story:17' })).rejects.toThrow('audit_log_actor_id_fkey')
})
