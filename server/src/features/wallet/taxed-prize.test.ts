/** A reward from which tax was withheld: the wallet's list says how much, beside the amount that was credited. */
import { nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { inTransaction } from '../../db/transaction.ts'
import { recordDraw } from '../../ledger/draw.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { recordSeal } from '../../ledger/rounds.ts'
import { settleRound } from '../../ledger/settlement.ts'
import { DAY, endDay, hashOf, newMembers, openDay } from '../../ledger/testing/fixtures.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { listAllTransactions } from './transactions.ts'

test.each([
  [10n, 'Reward from the round of 21 Nov 2026, after ₹1.20 tax', '21 नव॰ 2026 के राउंड का इनाम, ₹1.20 टैक्स काटकर', 10.8],
  [0n, 'Reward from the round of 21 Nov 2026', '21 नव॰ 2026 के राउंड का इनाम', 12],
])('of 40 entries with a tax of %s percent', async (percent, en, hi, amount) => {
  const database = await createTestDatabase()
  const { db } = database
  await openDay(database, DAY)
  const members = await newMembers(db, 40, { rupees: 10 })
  const batcher = createJoinBatcher({ db })
  for (const memberId of members) await batcher.join({ memberId })
  await endDay(database, DAY)
  await inTransaction(db, async (tx) => {
    await recordSeal(tx, DAY, { root: hashOf('root'), drawAt: new Date(startOfDayMs(nextDay(DAY))) })
    const taxOn = (prize: bigint) => paise((prize * percent) / 100n)
    await recordDraw(tx, { day: DAY, randomness: hashOf('r'), seed: hashOf('s'), winners: members.slice(0, 1), taxOn })
  })
  await openDay(database, nextDay(DAY))
  expect((await inTransaction(db, (tx) => settleRound(tx, DAY))).ok).toBe(true)
  const [winner = 0n] = members
  expect((await listAllTransactions(db, winner, 'en'))[0]).toMatchObject({ type: 'credit', description: en, amount })
  expect((await listAllTransactions(db, winner, 'hi'))[0]).toMatchObject({ description: hi })
  await database.drop()
})
