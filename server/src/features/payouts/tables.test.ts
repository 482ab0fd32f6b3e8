/** The tables have the rows of their lists, and the staff log says who fetched them. */
import { paise } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { bookDispute } from '../../ledger/disputes.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'

const world = usePayoutsWorld()
let ids: { readonly first: string; readonly second: string; readonly refund: string }
beforeAll(async () => {
  const asha = await makeMember(world.db, { name: '=Asha "Rao"' })
  for (let n = 0; n < 2; n++) await world.pay(asha, 30)
  const first = await world.withdraw(asha, 10)
  await world.pass(60)
  const second = await world.withdraw(asha, 12)
  const order = await world.pay(asha, 20)
  const asked = { order_id: order, amount: 5, reason: 'Too much, sorry' }
  const refund = (await world.calls.ask('POST /wallet/refunds', { as: asha, body: asked })).body.refund.id
  ids = { first, second, refund }
})

async function fetch(address: string): Promise<string[]> {
  const { status, text, headers } = await world.calls.ask(`GET /admin/${address}`, { as: world.admin })
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, 'text/csv; charset=utf-8', 'no-store'])
  return text.trimEnd().split('\r\n')
}

test('withdrawals: the rows of the list in its order, without a bank account, and no cell runs as a formula', async () => {
  const [head, newest, oldest, ...rest] = await fetch('withdrawals.csv')
  expect(head).toBe(
    'id,requested,amount,status,member_id,member,email,bank,account_last_four,first_approved_by,approved_by,approved,ended,reference,reason',
  )
  expect([newest?.split(',')[0], oldest?.split(',')[0], rest]).toEqual([ids.second, ids.first, []])
  expect(newest).toMatch(/,12,requested,[0-9a-f-]{36},"'=Asha ""Rao""",/)
  expect((await fetch('withdrawals.csv?order=oldest'))[1]).toContain(ids.first)
  expect(await fetch('withdrawals.csv?status=paid')).toEqual([head])
  expect(await fetch('withdrawals.csv?q=nobody')).toEqual([head])
})

test('refunds and payments in suspense, with the filters of their lists', async () => {
  const [, refund, ...others] = await fetch('refunds.csv?status=requested')
  expect(others).toEqual([])
  expect(refund).toContain(`${ids.refund},`)
  expect(refund).toMatch(/,5,requested,.*,"Too much, sorry",$/)
  expect(await fetch('suspense.csv?status=open')).toEqual([
    'id,created,amount,currency,status,why,order_id,payment_id,member_id,member,decided,reference',
  ])
  expect((await world.calls.ask('GET /admin/refunds.csv?status=nonsense', { as: world.admin })).status).toBe(400)
})

test('disputes, with the filters of their list, to the roles that read it', async () => {
  const told = { orderId: 'none', paymentId: 'none', amount: paise(1000n), type: 'CHARGEBACK', status: 'CHARGEBACK_CREATED' }
  await inTransaction(world.db, (tx) =>
    bookDispute(tx, { ...told, disputeId: '=case', state: 'open', isTaken: true, respondBy: undefined }),
  )
  const [head, row, ...rest] = await fetch('disputes.csv?status=open&q=case')
  expect(head).toBe(
    'id,created,amount,state,type,gateway_status,updated,respond_by,order_id,payment_id,member_id,member,email,taken,loss,problem',
  )
  expect(row).toMatch(/^'=case,[^,]+,10,open,CHARGEBACK,CHARGEBACK_CREATED,[^,]+,,none,none,,,,no,0,unknown_payment$/)
  expect([rest, await fetch('disputes.csv?status=won')]).toEqual([[], [head]])
  const editor = await makeStaff(world.db, 'editor')
  expect((await world.calls.ask('GET /admin/disputes.csv', { as: editor })).body.code).toBe('forbidden')
})

test('the staff log names who fetched which table, and its filters', async () => {
  await fetch('suspense.csv?q=order_7')
  const entry = await world.db.one(sql`select actor_id as actor, action, subject, after from audit_log order by id desc limit 1`)
  expect(entry).toEqual({ actor: world.admin, action: 'list.export', subject: 'suspense', after: { q: 'given', order: 'newest' } })
})
