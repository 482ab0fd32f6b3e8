/** Books and liabilities are complete, made once, resumable, and reveal nothing about a member. */
import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { paise } from '@roz/core/money.ts'
import { REFUSALS } from '@roz/core/refusals.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import type { BooksFile } from '@roz/core/books.ts'
import { connect, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { bookDisbursement } from '../../ledger/disbursements.ts'
import { APPROVER } from '../../ledger/testing/fixtures.ts'
import { holdWithdrawal, startSending, approveWithdrawal, bookPayout } from '../../ledger/withdrawals.ts'
import { refundSuspense } from '../../ledger/suspense.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { idOf, leafNode, leavesOf, sumRoot } from '../../transparency-log/sum-tree.ts'
import { openRoundsWorld, type RoundsOptions, type RoundsWorld } from '../../testing/rounds-world.ts'
import { verifyDay, verifyDayByTwin, VERDICT } from '../../testing/verifier.ts'
import { createBooks } from './books.ts'
import { partId } from './cutting.ts'

let world: RoundsWorld
const open = async (options: RoundsOptions = {}): Promise<RoundsWorld> => (world = await openRoundsWorld(options))
afterEach(() => world.close())

const DAY = '2026-11-21' as IstDay
const file = async (path: string): Promise<Buffer> => Buffer.from(await (await fetch(`${world.url}/api/public/${path}`)).arrayBuffer())
const booksOf = async (day: IstDay): Promise<BooksFile> => JSON.parse((await file(`books/${day}`)).toString()) as BooksFile
type OwnParts = { balance: number; held: number; total: number; root: string; parts: { amount: number; position: number }[] }
const hash = (name: string): Buffer => Buffer.alloc(32, name)

test('withdrawals, holds and help are in the books of their day, and each member finds their own parts', async () => {
  await open()
  const [asha, ravi] = [await world.member(30, { name: 'Asha Verma' }), await world.member(12)]
  for (const member of [asha, ravi]) await world.join(member)
  await world.goTo('2026-11-22T00:00:02+05:30')
  const bankAccountId = 1n
  const ids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const
  await inTransaction(world.db, async (tx) => {
    for (const id of ids) expect((await holdWithdrawal(tx, { id, memberId: asha, amount: paise(500n), bankAccountId })).ok).toBe(true)
    await approveWithdrawal(tx, ids[0], APPROVER)
    await startSending(tx, ids[0], { again: false })
    await bookPayout(tx, { id: ids[0], word: 'paid' })
  })
  const give = (id: string, amount: bigint, evidence: Buffer) =>
    inTransaction(world.db, (tx) => bookDisbursement(tx, { id, amount: paise(amount), evidence: [evidence] }))
  const days = [{ day: DAY, paise: 70n }]
  expect(await give('help-1', 70n, hash('a'))).toEqual({ ok: true, value: { replayed: false, days } })
  expect(await give('help-1', 70n, hash('a'))).toEqual({ ok: true, value: { replayed: true, days } })
  expect(await give('help-1', 71n, hash('a'))).toMatchObject({ code: 'idempotency_mismatch' })
  // One bill proves one disbursement, whatever its amount or id.
  const again = await give('help-again', 10n, hash('a'))
  expect(again).toEqual({ ok: false, code: 'receipt_used' })
  expect(REFUSALS.receipt_used.en).toBe('This bill already proves another payment. Each payment needs its own bills.')
  // Of two disbursements at once for the last of the fund, one is refused.
  const both = await Promise.all([give('help-2', 50n, hash('b')), give('help-3', 50n, hash('c'))])
  expect(both.map(({ ok }) => ok).toSorted()).toEqual([false, true])
  await world.goTo('2026-11-23T00:00:02+05:30')
  const day = '2026-11-22' as IstDay
  const books = await booksOf(day)
  expect(books.help).toMatchObject({ opening: 0, in: 120, closing: 0 })
  expect(books.help.disbursements.map(({ paise: amount }) => amount).toSorted()).toEqual([50, 70])
  expect(books.flows).toEqual(expect.arrayContaining([{ kind: 'wd_paid', from: 'PAYOUTS_PENDING', to: 'BANK', paise: 500 }]))
  expect(books.settlements).toMatchObject([{ round: DAY, need: 120, platform: 20 }])
  for (const verdict of [await verifyDay({ url: world.url, day }), await verifyDayByTwin({ url: world.url, day })])
    expect(verdict.code, verdict.text).toBe(VERDICT.pass)

  // Money that moves after midnight does not change what was owed before it.
  await world.join(asha)
  const own = (await world.ask(`GET /user/liabilities/${day}?limit=128`, { as: asha })).body as OwnParts
  expect(own).toMatchObject({ held: 500, next: null, root: books.liabilities.root, total: books.liabilities.total })
  expect(own.parts.reduce((sum, { amount }) => sum + amount, 0)).toBe(own.balance + own.held)
  const leaves = leavesOf(await file(`liabilities/${day}`))
  const root = sumRoot(leaves.map(leafNode))
  expect({ root: Buffer.from(root.hash).toString('hex'), total: root.sum }).toEqual({ root: own.root, total: own.total })
  const [key] = await world.ticketKeys.listFor(world.db, [asha], day)
  for (const [j, { position }] of own.parts.entries()) {
    const id = Buffer.from(idOf(leaves[position] as Uint8Array))
    expect(id.equals(partId(key?.key ?? Buffer.of(), day, j))).toBe(true)
  }
  expect((await world.ask(`GET /user/liabilities/${addDays(day, 1)}`, { as: asha })).status).toBe(404)

  const view = (await world.ask(`GET /public/days/${DAY}`)).body['day']
  expect(view).toMatchObject({
    entries: 2,
    intake: 2,
    split: { need: 1.2, reward: 0.6, platform: 0.2 },
    perRupee: { need: 60, reward: 30, platform: 10 },
  })
  expect(view).toMatchObject({ disbursed: 1.2, assurance: 'weak', winners: [{ amount: 0.6, tax: 0 }] })
  expect(view.receipts.map(({ amount }: { amount: number }) => amount).toSorted()).toEqual([0.5, 0.7])
  const list = (await world.ask('GET /public/days?limit=1')).body
  expect(list).toMatchObject({
    totals: { days: 1, entries: 2, intake: 2, disbursed: 1.2, helpFund: 0 },
    days: [{ day: '2026-11-22', status: 'void' }],
  })
  expect((await world.ask(`GET /public/days?limit=1&cursor=${list['nextCursor']}`)).body['days']).toMatchObject([{ day: DAY }])
  expect((await world.ask('GET /public/days/2026-11-23')).status).toBe(404)
})

test('a day’s books are made once and whole although processes are killed after any portion and several work at once', async () => {
  await open({ bookPages: { membersPage: 3, pagesAtOnce: 1, leavesPage: 4, portionMs: 0 } })
  const members: bigint[] = []
  for (let n = 0; n < 13; n++) members.push(await world.member(3 + n))
  for (const member of members.slice(0, 5)) await world.join(member)
  await world.database.setClock(new Date('2026-11-22T00:00:02+05:30'))
  // Only the round is closed here: the books wait for the loop below.
  while (await world.rounds.due());
  const pages = { membersPage: 3, pagesAtOnce: 1, leavesPage: 4, portionMs: 0 }
  let portions = 0
  for (let done: string | undefined; done !== 'day'; portions++) {
    // Each portion is made by new instances, as after a crash, three at once.
    const made = await Promise.all(
      [1, 2, 3].map(() =>
        createBooks({ db: world.db, ticketKeys: world.ticketKeys, proofs: world.proofs, alarm: () => undefined, pages }).due(),
      ),
    )
    expect(made.filter((one) => one === 'day').length).toBeLessThanOrEqual(1)
    done = made.find((one) => one === 'day')
    // Money that moves meanwhile belongs to another day.
    if (portions < 4) await world.join(members[portions] as bigint)
    expect(portions).toBeLessThan(60)
  }
  expect(portions).toBeGreaterThan(8)
  await world.runDue()
  expect((await booksOf(DAY)).liabilities.total).toBe(
    Number((await booksOf(DAY)).accounts.find(({ account }) => account === 'MEMBERS')?.closing),
  )
  const { code, text } = await verifyDay({ url: world.url, day: DAY })
  expect(code, text).toBe(VERDICT.weak)
  // The process that made a portion deletes its working rows; after a crash the next start deletes them.
  const next = createBooks({ db: world.db, ticketKeys: world.ticketKeys, proofs: world.proofs, alarm: () => undefined })
  while ((await next.due()) !== undefined);
  const left = await world.db.query(sql`select day from liability_piece union all select day from liability_run`)
  expect(left).toEqual([])
})

test('a refund that belongs to nobody is in the liabilities, also if the members fill their last portion exactly', async () => {
  await open({ bookPages: { membersPage: 3, pagesAtOnce: 1, leavesPage: 64, portionMs: 0 } })
  // Enough parts that every bucket has some.
  for (let n = 0; n < 3; n++) await world.member(5_000)
  const [refundId, orderId] = [randomUUID(), randomUUID().replaceAll('-', '')]
  await inTransaction(world.db, async (tx) => {
    await captureTopup(tx, { orderId, paymentId: 'a payment for no order', orderAmount: paise(20_000n) })
    const { itemId } = await tx.one<{ itemId: bigint }>(sql`select id as "itemId" from suspense_item`)
    expect((await refundSuspense(tx, { itemId, refundId, reason: 'Not ours', approver: APPROVER })).ok).toBe(true)
  })
  await world.goTo('2026-11-22T00:00:02+05:30')
  expect((await booksOf(DAY)).liabilities.total).toBe(3 * 500_000 + 20_000)
})

test('a fault in the books does not delay the log’s signature', async () => {
  await open()
  await world.join(await world.member(5))
  const owner = connect({ url: world.database.superUrl, max: 1 })
  const behind = async () =>
    (await world.db.one<{ n: number }>(sql`select (select count(*) from log_entry)::int - (select max(size) from checkpoint)::int as n`)).n
  await owner.query(sql`alter table books_day rename to books_broken`)
  await world.database.setClock(new Date('2026-11-22T00:00:02+05:30'))
  await expect(world.runDue()).rejects.toThrow(/books_day/)
  expect(await world.statuses()).toMatchObject({ [DAY]: 'settled' })
  expect(await behind()).toBe(0)
  await owner.query(sql`alter table books_broken rename to books_day`)
  await owner.close()
  await world.runDue()
  expect((await booksOf(DAY)).liabilities.count).toBeGreaterThan(1)
  expect(await behind()).toBe(0)
})
