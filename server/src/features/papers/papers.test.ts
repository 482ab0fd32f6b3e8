/** A financial year on one page: its lines add up to the balances before and after it, and it names nobody else. */
import { paise } from '@roz/core/money.ts'
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../db/transaction.ts'
import { TRANSFER_KINDS } from '../../ledger/accounts.ts'
import { giveRest } from '../../ledger/closing.ts'
import { makeStaff, useCalls, testSecrets } from '../../testing/calls.ts'
import { payHelp, revokeConsent } from '../../testing/help.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'
import { createPapers } from './papers.ts'
import { LINE_OF } from './year.ts'

let asha: bigint
let ravi: bigint
const noon = (day: string): string => `${day}T12:00:00+05:30`
const world = useRoundsWorld({ startsAt: noon('2026-03-31'), tax: { percent: 30, above: paise(0n) } })
const papers = useCalls(world, (db) => createPapers({ db, secrets: testSecrets }).handlers)
const midnight = (day: string): string => `${day}T00:00:01+05:30`
const yearOf = async (as: bigint, year: string) => papers.ask(`GET /user/years/${year}`, { as })

/** The round of 31 March 2026 is the last of its year; its prize of 60 paise, 30 % of it tax, is paid in the next. */
beforeAll(async () => {
  asha = await world.member(20, { name: 'Asha Verma' })
  ravi = await world.member(10, { name: 'Ravi Kumar' })
  for (const member of [asha, ravi]) expect((await world.join(member)).status).toBe(200)
  await world.goTo(midnight('2026-04-01'))
  await world.goTo(noon('2026-04-01'))
  expect((await world.join(asha)).status).toBe(200)
  await world.goTo(midnight('2026-04-02'))
})

test('each kind of transfer with a member on one side has its line', () => {
  const ofMembers = Object.entries(TRANSFER_KINDS).filter(([, { debit, credit }]) => [...debit, ...credit].includes('member'))
  expect(Object.keys(LINE_OF).sort()).toEqual(ofMembers.map(([kind]) => kind).sort())
})

test('the last evening of March is in the old year, its prize in the year in which it was paid', async () => {
  const old = (await yearOf(asha, '2025-26')).body
  expect(old).toMatchObject({ years: ['2026-27', '2025-26'], from: '2025-04-01', to: '2026-03-31', rounds: 1, prizes: [] })
  expect(old).toMatchObject({ opening: 0, movements: { added: 20, joined: -1, won: 0 }, closing: 19 })
  const won = (await Promise.all([asha, ravi].map((member) => yearOf(member, '2026-27')))).flatMap(({ body }) => body.prizes)
  expect(won).toContainEqual({ day: '2026-03-31', paidOn: '2026-04-01', prize: 0.6, tax: 0.18, paid: 0.42 })
  expect(won).toContainEqual({ day: '2026-04-01', paidOn: '2026-04-02', prize: 0.3, tax: 0.09, paid: 0.21 })
  expect(won).toHaveLength(2)
})

test('opening balance and movements add up to the closing balance, which is the next year’s opening, and today’s balance', async () => {
  await inTransaction(world.db, (tx) => giveRest(tx, { memberId: ravi, ref: randomUUID() }))
  await world.fund(ravi, 1000n)
  for (const member of [asha, ravi]) {
    const [old, present] = [(await yearOf(member, '2025-26')).body, (await yearOf(member, '2026-27')).body]
    for (const { opening, movements, closing } of [old, present]) {
      const inPaise = (amount: number): number => Math.round(amount * 100)
      const moved = Object.values(movements as Record<string, number>).reduce((sum, amount) => sum + inPaise(amount), 0)
      expect(inPaise(opening) + moved).toBe(inPaise(closing))
    }
    expect(present.opening).toBe(old.closing)
    expect(BigInt(Math.round(present.closing * 100))).toBe(await world.balance(member))
  }
  expect((await yearOf(ravi, '2026-27')).body.movements.given).toBeLessThan(0)
})

test('help stands in the year of the days that paid for it, without a name after a revoked consent', async () => {
  const finance = await makeStaff(world.db, 'finance')
  const shoes = await payHelp(world.db, {
    amount: 150,
    purpose: 'school shoes',
    hindi: 'स्कूल के जूते',
    publicName: 'Meera',
    askedBy: finance,
    decidedBy: finance,
  })
  const part = { on: '2026-04-02', purpose: 'school shoes', language: 'en', name: 'Meera', days: 1, storyId: null }
  expect((await yearOf(asha, '2025-26')).body.help).toEqual([{ ...part, amount: 0.6 }])
  expect((await yearOf(asha, '2026-27')).body.help).toMatchObject([part])
  const inHindi = await papers.ask('GET /user/years/2025-26', { as: asha, headers: { 'accept-language': 'hi' } })
  expect(inHindi.body.help).toMatchObject([{ purpose: 'स्कूल के जूते', language: 'hi', name: 'Meera' }])
  expect((await yearOf(ravi, '2026-27')).body.help).toEqual([])
  await revokeConsent(world.db, shoes.beneficiaryId)
  expect((await yearOf(asha, '2025-26')).body.help).toMatchObject([{ name: null, storyId: null }])
})

test('help from a gift of today is not of today’s rupees while the round is open', async () => {
  expect((await world.join(asha)).status).toBe(200)
  const finance = await makeStaff(world.db, 'finance')
  await payHelp(world.db, { amount: 130, purpose: 'rice', publicName: 'Sita', askedBy: finance, decidedBy: finance })
  expect((await yearOf(asha, '2026-27')).body.help).toContainEqual(expect.objectContaining({ purpose: 'rice', days: 1, amount: 0.3 }))
})

test('a year before the membership, a year to come, and no year at all are not found', async () => {
  for (const year of ['2024-25', '2027-28', '2026-28', 'all']) expect((await yearOf(asha, year)).status, year).toBe(404)
  expect((await papers.ask('GET /user/years/2026-27')).status).toBe(401)
})
