/** Help in the books: allotments, corrections and platform entries, day after day, as both verifiers check them. */
import { afterEach, expect, test } from 'vitest'
import type { BooksFile } from '@roz/core/books.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { connect, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { bookDisbursement, correctDisbursement } from '../../ledger/disbursements.ts'
import { hashOf } from '../../ledger/testing/fixtures.ts'
import { bookSettlement } from '../../ledger/gateway-settlements.ts'
import { bookHouseEntry } from '../../ledger/house-entries.ts'
import { makeStaff } from '../../testing/calls.ts'
import { payHelp, takeBack } from '../../testing/help.ts'
import { openRoundsWorld, type RoundsWorld } from '../../testing/rounds-world.ts'
import { verifyDay, verifyDayByTwin, VERDICT } from '../../testing/verifier.ts'

let world: RoundsWorld
afterEach(() => world.close())

const DAY = '2026-11-21' as IstDay
const [SECOND, THIRD, FOURTH] = [addDays(DAY, 1), addDays(DAY, 2), addDays(DAY, 3)]
const midnight = (day: IstDay) => world.goTo(`${day}T00:00:05+05:30`)
const file = (path: string) => fetch(`${world.url}/api/public/${path}`)
const booksOf = async (day: IstDay) => (await (await file(`books/${day}`)).json()) as BooksFile
const outlay = (id: string, amount: bigint, ...receipts: readonly string[]) => ({
  id,
  amount: paise(amount),
  evidence: receipts.map(hashOf),
})
const hexOf = (...receipts: readonly string[]) => receipts.map((receipt) => hashOf(receipt).toString('hex')).sort()

test('a disbursement, its correction, platform entries and a settlement of the gateway are in the books of their days, and both verifiers pass', async () => {
  world = await openRoundsWorld()
  const members = [await world.member(30), await world.member(30), await world.member(30)]
  for (const member of members) await world.join(member)
  await midnight(SECOND)
  for (const member of members) await world.join(member)
  await inTransaction(world.db, (tx) => bookDisbursement(tx, outlay('shoes', 100n, 'bill', 'photo')))
  await midnight(THIRD)
  await inTransaction(world.db, (tx) => bookDisbursement(tx, outlay('rice', 130n, 'rice')))
  await inTransaction(world.db, (tx) => correctDisbursement(tx, { ...outlay('back', 30n, 'transfer'), corrects: 'shoes' }))
  await inTransaction(world.db, (tx) => bookHouseEntry(tx, { ...outlay('rent', 25n, 'rent'), kind: 'platform_out' }))
  const settled = { ...outlay('settled', 5000n, 'report'), reference: 'UTR1', fee: paise(5n) }
  await inTransaction(world.db, (tx) => bookSettlement(tx, settled))
  await midnight(FOURTH)

  const second = await booksOf(SECOND)
  const shoes = { days: [{ day: DAY, paise: 100 }], evidence: hexOf('bill', 'photo'), paise: 100 }
  expect(second.help).toEqual({
    opening: 0,
    in: 180,
    disbursements: [shoes],
    corrections: [],
    open: [{ day: DAY, paise: 80 }],
    closing: 80,
  })
  const third = await booksOf(THIRD)
  expect(third.help).toMatchObject({
    disbursements: [
      {
        days: [
          { day: DAY, paise: 80 },
          { day: SECOND, paise: 50 },
        ],
        evidence: hexOf('rice'),
      },
    ],
    corrections: [{ corrects: hexOf('bill', 'photo')[0], days: [{ day: DAY, paise: 30 }], evidence: hexOf('transfer'), paise: 30 }],
    open: [
      { day: DAY, paise: 30 },
      { day: SECOND, paise: 130 },
    ],
    closing: 160,
  })
  expect(third.house).toEqual([{ evidence: hexOf('rent'), kind: 'platform_out', paise: 25 }])
  // The amounts of a settlement are public, its report is not.
  expect(third.flows.filter(({ kind }) => kind === 'gateway_settled')).toEqual([
    { from: 'BANK', kind: 'gateway_settled', paise: 5000, to: 'GATEWAY' },
    { from: 'GATEWAY_FEES', kind: 'gateway_settled', paise: 5, to: 'GATEWAY' },
  ])
  expect(JSON.stringify(third)).not.toContain(hexOf('report')[0])
  // The second day had a local draw, which is weak by itself; the third had no entry.
  for (const [day, expected] of [
    [SECOND, VERDICT.weak],
    [THIRD, VERDICT.pass],
  ] as const)
    for (const verdict of [await verifyDay({ url: world.url, day }), await verifyDayByTwin({ url: world.url, day })])
      expect(verdict.code, verdict.text).toBe(expected)

  await expectPublicPages()
})

/** The public pages say the same as the books. */
async function expectPublicPages(): Promise<void> {
  const { days, totals, otherEntries } = (await world.ask('GET /public/days?limit=5')).body as unknown as {
    readonly otherEntries: readonly object[]
    readonly days: readonly { readonly day: string; readonly disbursed: number; readonly receipts: readonly object[] }[]
    readonly totals: { readonly disbursed: number; readonly helpFund: number }
  }
  expect(days.find(({ day }) => day === DAY)).toMatchObject({
    disbursed: 1.5,
    receipts: [
      {
        id: 'shoes',
        date: SECOND,
        amount: 0.7,
        allotted: 0.7,
        evidence: hexOf('bill', 'photo'),
        back: [{ amount: 0.3, evidence: hexOf('transfer') }],
      },
      { id: 'rice', date: THIRD, amount: 1.3, allotted: 0.8, evidence: hexOf('rice'), back: [] },
    ],
  })
  expect(otherEntries).toHaveLength(2)
  expect(otherEntries).toContainEqual(expect.objectContaining({ kind: 'disbursement_back', amount: 0.3, evidence: hexOf('transfer') }))
  expect(otherEntries).toContainEqual(expect.objectContaining({ kind: 'platform_out', amount: 0.25, evidence: hexOf('rent') }))
  expect(totals).toMatchObject({ disbursed: 2, helpFund: 1.6 })
}

test('a withheld picture is named by its hash alone', async () => {
  world = await openRoundsWorld()
  for (let count = 0; count < 3; count++) await world.join(await world.member(30))
  await midnight(SECOND)
  const staff = await makeStaff(world.db, 'finance')
  const shoes = await payHelp(world.db, { amount: 100, askedBy: staff, decidedBy: staff })
  const [hash, back] = [shoes.hash, await takeBack(world.db, shoes, 30, staff)]
  const withhold = (withheld: Buffer) =>
    world.db.query(
      sql`insert into receipt_withheld (hash, reason, withheld_by) values (${withheld}::bytea, 'a phone number', ${staff}::bigint)`,
    )
  const shown = async () => {
    const { days, otherEntries } = (await world.ask('GET /public/days?limit=5')).body
    return [days[0].receipts[0], otherEntries[0]]
  }
  await withhold(back)
  const gone = { evidence: [back.toString('hex')], hasPictures: false, withheld: [back.toString('hex')] }
  expect(await shown()).toMatchObject([{ evidence: [hash.toString('hex')], hasPictures: true, withheld: [], back: [gone] }, gone])
  await withhold(hash)
  expect(await shown()).toMatchObject([{ evidence: [hash.toString('hex')], hasPictures: false, withheld: [hash.toString('hex')] }, gone])
})

test('books whose allotments do not add up are held, and nothing of them is published', async () => {
  world = await openRoundsWorld()
  const member = await world.member(30)
  await world.join(member)
  await midnight(SECOND)
  await inTransaction(world.db, (tx) => bookDisbursement(tx, outlay('shoes', 60n, 'bill')))
  const owner = connect({ url: world.database.superUrl, max: 1, named: false })
  const broken = ['set session_replication_role = replica', 'update help_allotment set paise = paise - 1']
  for (const statement of broken) await owner.query(sql([statement] as unknown as TemplateStringsArray))
  await midnight(THIRD)
  expect(world.faults.splice(0)).toMatchObject([{ day: SECOND }])
  expect((await file(`books/${SECOND}`)).status).toBe(404)
  const [held] = await world.db.query<{ found: string }>(sql`select found from books_hold where day = ${SECOND}::date`)
  expect(held?.found).toBe('a disbursement of 60 is of days with 59')
  await owner.query(sql`update help_allotment set paise = paise + 1`)
  await owner.close()
  await world.db.query(sql`update books_hold set next_try_at = roz_now()`)
  await world.runDue()
  expect((await booksOf(SECOND)).help.open).toEqual([])
})
