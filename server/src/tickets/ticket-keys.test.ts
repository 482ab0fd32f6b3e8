import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { connect, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createJoinBatcher } from '../ledger/join-batcher.ts'
import { useRoundsWorld } from '../testing/rounds-world.ts'
import { testSecrets } from '../testing/calls.ts'
import { keyContextOf } from './ticket.ts'
import { keysStatement } from './ticket-keys.ts'

const world = useRoundsWorld()

const DAY = '2026-11-21' as IstDay

test('an entrant without a key who requests one while the list is written gets the key of the list', async () => {
  const { db, ticketKeys } = world
  const member = await world.member(5)
  expect((await createJoinBatcher({ db }).join({ memberId: member })).ok).toBe(true)
  let asked: ReturnType<typeof ticketKeys.ensure> | undefined
  const page = await inTransaction(db, async (tx) => {
    await ticketKeys.ensureForEntrants(tx, DAY)
    asked = inTransaction(db, (other) => ticketKeys.ensure(other, member))
    await new Promise((resolve) => setTimeout(resolve, 150))
    return ticketKeys.listEncryptedKeys(tx, DAY, 0n, 10)
  })
  const shown = await asked
  if (page === undefined || page === 'bare') throw new Error('an entrant has no key')
  const key = testSecrets.decrypt(Buffer.from(page.encrypted, 'base64'), keyContextOf(member))
  expect(shown?.ok && shown.value?.key).toBe(key.toString('hex'))
  expect(await ticketKeys.find(db, member, DAY)).toEqual(shown?.ok && shown.value)
})

test('a key that replaces an unused one serves from today, and earlier days keep their key', async () => {
  const { db, ticketKeys } = world
  const member = await world.member(5)
  const change = (key: string) => inTransaction(db, (tx) => ticketKeys.change(tx, member, key))
  const keyOn = async (day: IstDay) => (await ticketKeys.find(db, member, day))?.key
  const [first, second, third] = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string]
  await change(first)
  expect([await keyOn(DAY), await keyOn(addDays(DAY, -400))]).toEqual([first, first])
  await world.goTo(`${addDays(DAY, 1)}T09:00:00+05:30`)
  await change(second)
  await change(third)
  expect([await keyOn(DAY), await keyOn(addDays(DAY, 1)), await keyOn(addDays(DAY, 2))]).toEqual([first, third, third])
  const ask = (query: string) => world.ask(`GET /user/ticket-key${query}`, { as: member })
  expect((await ask('')).body).toEqual({ key: third, custodial: false })
  expect((await ask(`?day=${DAY}`)).body).toEqual({ key: first, custodial: false })
  for (const wrong of ['2026-02-30', 'today', '']) expect((await ask(`?day=${wrong}`)).status).toBe(400)
  // The liabilities of the first key's day are found under the first key, the next day's under the third.
  await world.goTo(`${addDays(DAY, 2)}T09:00:00+05:30`)
  for (const day of [DAY, addDays(DAY, 1)]) {
    const { body } = await world.ask(`GET /user/liabilities/${day}?limit=128`, { as: member })
    expect(body['parts'].reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(500)
  }
  // No other member can take any of these keys.
  const other = await world.member(5)
  for (const key of [first, second, third])
    expect(await inTransaction(db, (tx) => ticketKeys.change(tx, other, key))).toEqual({ ok: false, code: 'ticket_key_taken' })
})

test('a renewed key is the server’s, from today before the first join and from tomorrow after it; who has none gets none', async () => {
  const { db, ticketKeys } = world
  const { today } = await db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
  const [bare, fresh, entrant] = [await world.member(5), await world.member(5), await world.member(5)]
  const [ofFresh, ofEntrant] = ['e1'.repeat(32), 'e2'.repeat(32)]
  await inTransaction(db, (tx) => ticketKeys.change(tx, fresh, ofFresh))
  await inTransaction(db, (tx) => ticketKeys.change(tx, entrant, ofEntrant))
  expect((await world.join(entrant)).status).toBe(200)
  for (const member of [bare, fresh, entrant]) await inTransaction(db, (tx) => ticketKeys.renew(tx, member))
  const keyOn = async (member: bigint, day: IstDay) => ticketKeys.find(db, member, day)
  expect(await keyOn(bare, today)).toBeUndefined()
  expect((await keyOn(fresh, addDays(today, -1)))?.key).toBe(ofFresh)
  expect(await keyOn(fresh, today)).toMatchObject({ custodial: true, key: expect.not.stringMatching(ofFresh) })
  expect(await keyOn(entrant, today)).toEqual({ custodial: false, key: ofEntrant })
  expect(await keyOn(entrant, addDays(today, 1))).toMatchObject({ custodial: true, key: expect.not.stringMatching(ofEntrant) })
})

test('a page of keys compares no row in vain, also by a plan made while the day had hardly any entrants', async () => {
  const root = connect({ url: world.database.superUrl, max: 1 })
  const entrants = 1500
  let looked: { count: number; isWhole: boolean; comparedInVain: number } | undefined
  const undo = new Error('rolled back on purpose')
  const looking = inTransaction(root, async (tx) => {
    await tx.query(sql`analyze round_join`)
    await tx.query(sql`analyze ticket_key`)
    // The superuser writes bare rows without triggers: the plan depends only on their number.
    await tx.query(sql`set local session_replication_role = replica`)
    await tx.query(sql`
      insert into round_join (batch_id, member_id, balance_after, wallet_seq, day)
      select 1, 500000 + n, 0, 1, ${DAY}::date from generate_series(1, ${entrants}::int) n`)
    await tx.query(sql`
      insert into ticket_key (member_id, serves_from, sealed_key, custodial)
      select 500000 + n, '-infinity', decode(repeat('00', 65), 'hex'), true from generate_series(1, ${entrants}::int) n`)
    const statement = keysStatement(DAY, 0n, 4000)
    const found = await tx.one<{ count: number; isWhole: boolean }>(statement)
    const plan = await tx.query(sql`explain (analyze, format json) ${statement}`)
    const removed = [...JSON.stringify(plan).matchAll(/"Rows Removed by Join Filter":(\d+)/g)].map(([, rows]) => Number(rows))
    looked = { ...found, comparedInVain: Math.max(0, ...removed) }
    throw undo
  })
  await expect(looking).rejects.toBe(undo)
  await root.close()
  expect(looked).toMatchObject({ isWhole: true, comparedInVain: 0 })
  expect(looked?.count).toBeGreaterThanOrEqual(entrants)
})

test('an unreadable key stops no change of the key, no look and no first key of a browser', async () => {
  const { db, ticketKeys } = world
  const damage = (memberId: bigint) =>
    db.query(sql`
      update ticket_key set sealed_key = set_byte(sealed_key, 50, get_byte(sealed_key, 50) # 1) where member_id = ${memberId}::bigint`)
  const [fresh, entrant] = [await world.member(5), await world.member(5)]
  for (const member of [fresh, entrant]) await inTransaction(db, (tx) => ticketKeys.ensure(tx, member))
  expect((await world.join(entrant)).status).toBe(200)
  for (const member of [fresh, entrant]) await damage(member)
  for (const member of [fresh, entrant])
    expect(await world.ask('GET /user/ticket-key', { as: member })).toMatchObject({ status: 200, body: { key: null } })
  expect(await inTransaction(db, (tx) => ticketKeys.ensure(tx, entrant, 'a1'.repeat(32)))).toEqual({ ok: true, value: undefined })
  expect(await inTransaction(db, (tx) => ticketKeys.ensure(tx, fresh, 'a2'.repeat(32)))).toMatchObject({ value: { custodial: false } })
  const put = await world.ask('PUT /user/ticket-key', { as: entrant, body: { ticketKey: 'a3'.repeat(32) } })
  expect(put).toMatchObject({ status: 200, body: { key: 'a3'.repeat(32) } })
  await db.query(sql`
    update ticket_key set sealed_key = set_byte(sealed_key, 50, get_byte(sealed_key, 50) # 1)
     where member_id = ${entrant}::bigint and serves_from = '-infinity'`)
})
