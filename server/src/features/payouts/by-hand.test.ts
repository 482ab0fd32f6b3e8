/** Without payout keys finance pays by hand. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { openPayoutsWorld, type PayoutsWorld } from '../../testing/payouts-world.ts'
import { BANK } from '../../testing/wallet-world.ts'

let world: PayoutsWorld
beforeAll(async () => {
  world = await openPayoutsWorld({ byHand: true })
})
afterAll(() => world.close())

test('approved, seen in full by finance and written down, paid with the bank’s reference', async () => {
  const member = await world.funded(30)
  const id = await world.withdraw(member)
  expect((await world.decide(id, 'bank')).body.code).toBe('withdrawal_final')
  expect((await world.decide(id, 'complete', { bankReference: 'UTR1234' })).body.code).toBe('withdrawal_final')
  expect((await world.decide(id, 'approve')).status).toBe(200)
  await world.pass(3600)
  expect(await world.stands(id)).toEqual(['approved', 20, 10])
  expect((await world.decide(id, 'retry')).body.code).toBe('payouts_by_hand')
  expect((await world.decide(id, 'bank')).body).toEqual({ bankDetail: BANK })
  expect((await world.decide(id, 'complete', { bankReference: '?' })).body.fields).toHaveProperty('bankReference')
  const key = { 'idempotency-key': 'complete-1' }
  const answers = await Promise.all([1, 2, 3].map(() => world.decide(id, 'complete', { bankReference: 'UTR1234' }, key)))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect(answers[0]?.body.withdrawal).toMatchObject({ status: 'paid', reference: 'UTR1234' })
  expect((await world.decide(id, 'complete', { bankReference: 'UTR1234' })).body.code).toBe('withdrawal_final')
  expect(await world.stands(id)).toEqual(['paid', 20, 0])
  await world.runDue()
  expect(world.noticesOf(member)).toEqual(['withdrawal_paid', 'withdrawal_requested'])
  const log = await world.db.query<{ action: string }>(
    sql`select action from audit_log where subject = ${`withdrawal:${id}`}::text order by id`,
  )
  expect(log.map(({ action }) => action)).toEqual(['withdrawal.approve', 'withdrawal.see_bank', 'withdrawal.complete'])
  expect(
    JSON.stringify(await world.db.query(sql`select * from audit_log`), (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  ).not.toContain(BANK.accountNumber)
})

test('a webhook that nobody can have signed is refused', async () => {
  expect((await world.webhook('TRANSFER_SUCCESS x')).status).toBe(401)
})
