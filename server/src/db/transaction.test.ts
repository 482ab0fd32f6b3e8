/** Transactions: an error rolls back, a deadlock is retried, a hook waits for the commit. */
import { expect, test } from 'vitest'
import { newMember } from '../ledger/testing/fixtures.ts'
import { lockWallet } from '../ledger/transfer.ts'
import { readWallet, setMayMove } from '../ledger/wallets.ts'
import { useTestDatabase } from '../testing/database.ts'
import { sql, sqlState } from './sql.ts'
import { afterCommit, inTransaction } from './transaction.ts'

const database = useTestDatabase()

const mayMove = async (memberId: bigint): Promise<boolean | undefined> => (await readWallet(database.db, memberId))?.mayMove

test('of two transactions that deadlock on wallets one is retried, and both succeed', async () => {
  const wallets = [await newMember(database.db), await newMember(database.db)] as const
  const meeting = Promise.withResolvers<void>()
  let [arrived, runs] = [0, 0]
  const cross = (from: bigint, to: bigint): Promise<void> =>
    inTransaction(database.db, async (tx) => {
      runs++
      await lockWallet(tx, from)
      if (++arrived === 2) meeting.resolve()
      await meeting.promise
      await lockWallet(tx, to)
    })
  await Promise.all([cross(wallets[0], wallets[1]), cross(wallets[1], wallets[0])])
  expect(runs).toBeGreaterThan(2)
})

test('a transaction that throws changes nothing and runs no hook', async () => {
  const memberId = await newMember(database.db)
  let told = false
  const failing = inTransaction(database.db, async (tx) => {
    await setMayMove(tx, memberId, false)
    afterCommit(tx, () => {
      told = true
    })
    throw new Error('in the middle')
  })
  await expect(failing).rejects.toThrow('in the middle')
  expect([await mayMove(memberId), told]).toEqual([true, false])
})

test('a failed statement rolls the transaction back, even if its error was caught', async () => {
  const memberId = await newMember(database.db)
  const caught = inTransaction(database.db, async (tx) => {
    await setMayMove(tx, memberId, false)
    await tx.query(sql`select 1 / 0`).catch((error: unknown) => expect(sqlState(error)).toBe('22012'))
  })
  await expect(caught).rejects.toThrow('nothing was committed')
  expect(await mayMove(memberId)).toBe(true)
})

test('a hook that was registered twice runs once, after the commit', async () => {
  const memberId = await newMember(database.db)
  const seen: Promise<boolean | undefined>[] = []
  const look = (): void => {
    seen.push(mayMove(memberId))
  }
  await inTransaction(database.db, async (tx) => {
    await setMayMove(tx, memberId, false)
    afterCommit(tx, look)
    afterCommit(tx, look)
  })
  expect(await Promise.all(seen)).toEqual([false])
})
