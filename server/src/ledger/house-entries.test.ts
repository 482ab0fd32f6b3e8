/** Platform entries: the platform's share, the withheld tax and covered losses, never more than there is. */
import { randomUUID } from 'node:crypto'
import { nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { giveRest } from './closing.ts'
import { bookDisbursement } from './disbursements.ts'
import { chargeBack, DAY, endDay, hashOf, newMember, newMembers, newPayer, openDay } from './testing/fixtures.ts'
import { bookSettlement } from './gateway-settlements.ts'
import { bookHouseEntry, type HouseKind } from './house-entries.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { recordDraw } from './draw.ts'
import { recordSeal } from './rounds.ts'
import { settleRound } from './settlement.ts'

const database = useTestDatabase()
const TODAY = nextDay(DAY)
/** Twenty joined: the platform has 200 paise, need 1200, and of the prize of 600 paise 60 are tax. */
beforeAll(async () => {
  const { db } = database
  await openDay(database, DAY)
  const members = await newMembers(db, 20, { rupees: 10 })
  const batcher = createJoinBatcher({ db })
  for (const memberId of members) await batcher.join({ memberId })
  await endDay(database, DAY)
  await inTransaction(db, async (tx) => {
    await recordSeal(tx, DAY, { root: hashOf('root'), drawAt: new Date(startOfDayMs(TODAY)) })
    const taxOn = (prize: bigint) => paise(prize / 10n)
    await recordDraw(tx, { day: DAY, randomness: hashOf('r'), seed: hashOf('s'), winners: members.slice(0, 1), taxOn })
  })
  await openDay(database, TODAY)
  // Before the round is settled nothing can leave.
  for (const kind of ['platform_out', 'tds_remitted', 'losses_covered'] as const)
    expect(await book(kind, `early ${kind}`, 1)).toEqual(no('insufficient_funds'))
  expect((await inTransaction(db, (tx) => settleRound(tx, DAY))).ok).toBe(true)
})

const no = (code: string) => ({ ok: false, code })
const DONE = { ok: true, value: { replayed: false } }
const book = (kind: HouseKind, id: string, amount: number, ...receipts: readonly string[]) =>
  inTransaction(database.db, (tx) =>
    bookHouseEntry(tx, { kind, id, amount: paise(BigInt(amount)), evidence: (receipts.length === 0 ? [id] : receipts).map(hashOf) }),
  )
const balance = async (account: string): Promise<bigint> =>
  (
    await database.db.one<{ balance: bigint }>(
      sql`select coalesce(sum(amount), 0)::bigint as balance from leg where account = (select id from account where name = ${account}::text)`,
    )
  ).balance

test('withheld tax is remitted up to what was withheld, and of two at the same time one is booked', async () => {
  expect(await book('tds_remitted', 'too much', 61)).toEqual(no('insufficient_funds'))
  const both = await Promise.all([book('tds_remitted', 'a', 40), book('tds_remitted', 'b', 40)])
  expect(both.filter(({ ok }) => ok)).toEqual([DONE])
  expect(await balance('TAX_WITHHELD')).toBe(20n)
})

test('an entry is booked once for its id, and each bill proves one entry of all the books', async () => {
  expect(await book('platform_out', 'rent', 10, 'bill', 'contract')).toEqual(DONE)
  expect(await book('platform_out', 'rent', 10, 'contract', 'bill')).toEqual({ ok: true, value: { replayed: true } })
  expect(await book('platform_out', 'rent', 11, 'contract', 'bill')).toEqual(no('idempotency_mismatch'))
  expect(await book('platform_out', 'rent', 10, 'bill')).toEqual(no('idempotency_mismatch'))
  expect(await book('tds_remitted', 'rent', 10, 'bill', 'contract')).toEqual(no('idempotency_mismatch'))
  expect(await book('tds_remitted', 'other', 10, 'bill')).toEqual(no('receipt_used'))
  const memberId = await newMember(database.db, { rupees: 10 })
  await inTransaction(database.db, (tx) => giveRest(tx, { memberId, ref: randomUUID() }))
  const help = { id: 'help', amount: paise(10n), evidence: [hashOf('contract')] }
  expect(await inTransaction(database.db, (tx) => bookDisbursement(tx, help))).toEqual(no('receipt_used'))
})

test('the platform’s share pays fees and losses before it can leave, and covers no more than was lost', async () => {
  const { memberId, orderId } = await newPayer(database.db, 10)
  await inTransaction(database.db, (tx) => giveRest(tx, { memberId, ref: randomUUID() }))
  await chargeBack(database.db, 'd', orderId, paise(70n))
  const settled = { id: 'settled', reference: 'UTR1', amount: paise(900n), fee: paise(30n), evidence: [hashOf('report')] }
  expect(await inTransaction(database.db, (tx) => bookSettlement(tx, settled))).toEqual(DONE)
  // 190 are left; 30 are fees, 70 are lost.
  expect([await balance('PLATFORM'), await balance('GATEWAY_FEES'), await balance('LOSSES')]).toEqual([190n, -30n, -70n])
  expect(await book('platform_out', 'greedy', 91)).toEqual(no('insufficient_funds'))
  expect(await book('losses_covered', 'more', 71)).toEqual(no('insufficient_funds'))
  expect(await book('losses_covered', 'some', 50)).toEqual(DONE)
  expect(await book('platform_out', 'still greedy', 91)).toEqual(no('insufficient_funds'))
  const both = await Promise.all([book('platform_out', 'x', 60), book('platform_out', 'y', 60)])
  expect(both.filter(({ ok }) => ok)).toEqual([DONE])
  expect(await book('losses_covered', 'rest', 20)).toEqual(DONE)
  expect(await book('platform_out', 'last', 30)).toEqual(DONE)
  expect([await balance('PLATFORM'), await balance('LOSSES')]).toEqual([30n, 0n])
  expect(await book('platform_out', 'fees', 1)).toEqual(no('insufficient_funds'))
})

test('the database refuses an entry that its account cannot pay, or that has no bill', async () => {
  // Judged when the transaction ends.
  for (const [amount, proven] of [
    [1, false],
    [31, true],
  ] as const)
    await expect(
      inTransaction(database.db, async (tx) => {
        await tx.query(
          sql`insert into transfer (kind, ref, debit, credit, amount, day) values ('platform_out', 'refused', 7, 2, ${amount}::bigint, ${TODAY}::date)`,
        )
        if (proven)
          await tx.query(sql`insert into evidence (hash, kind, ref) values (${hashOf('refused')}::bytea, 'platform_out', 'refused')`)
      }),
    ).rejects.toThrow(/without its receipt, its days or its money/)
})
