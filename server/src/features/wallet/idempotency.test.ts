import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember } from '../../testing/calls.ts'
import { BANK, ADD, useWalletWorld } from '../../testing/wallet-world.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

const key = (text: string) => ({ 'idempotency-key': text })

test('the same key and body get the first result, with one effect, even at the same moment', async () => {
  const member = await world.funded(30)
  const answers = await Promise.all(Array.from({ length: 6 }, () => world.withdraw(member, 10, BANK, key('a'))))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(await world.balanceOf(member)).toBe(20)
  const reordered = Object.fromEntries(Object.entries(BANK).reverse())
  expect((await world.withdraw(member, 10, reordered, key('a'))).body).toEqual(answers[0]?.body)
})

test('a refusal is repeated as the first answer too', async () => {
  const member = await world.funded(10)
  expect((await world.withdraw(member, 20, BANK, key('b'))).status).toBe(409)
  await world.credit(member, 20)
  expect((await world.withdraw(member, 20, BANK, key('b'))).body).toMatchObject({ code: 'insufficient_funds' })
  expect(await world.balanceOf(member)).toBe(30)
})

test('a key with another body or call answers 409; the same key of another member is independent', async () => {
  const member = await world.funded(30)
  await world.withdraw(member, 10, BANK, key('c'))
  expect(await world.withdraw(member, 11, BANK, key('c'))).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } })
  expect(await world.add(member, ADD, key('c'))).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } })
  expect((await world.withdraw(await world.funded(30), 11, BANK, key('c'))).status).toBe(200)
  expect((await world.withdraw(member, 10, BANK, key('x'.repeat(201)))).status).toBe(400)
})

test('adding money with one key at the same moment opens one order', async () => {
  const member = await makeMember(world.db)
  const answers = await Promise.all(Array.from({ length: 5 }, () => world.add(member, ADD, key('d'))))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(await world.transactions(member)).toMatchObject({ transactions: [{ status: 'pending' }] })
})

test('an accepted answer is repeated while the operator has paused the call', async () => {
  const member = await makeMember(world.db)
  const first = await world.add(member, ADD, key('e'))
  world.switches.topupsOn = false
  expect((await world.add(member, ADD, key('e'))).body).toEqual(first.body)
})

test('a key is forgotten after seven days', async () => {
  const member = await world.funded(30)
  await world.withdraw(member, 10, BANK, key('f'))
  await world.db.query(sql`update idempotency_key set created_at = created_at - interval '7 days 1 second' where key = 'f'`)
  await world.runDue()
  expect((await world.withdraw(member, 11, BANK, key('f'))).status).toBe(200)
})
