import { beforeEach, expect, test } from 'vitest'
import { paise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createTopup } from '../../ledger/topups.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { breakRows } from '../../testing/database.ts'
import { ADD, useWalletWorld } from '../../testing/wallet-world.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

test('adding money opens an order at the gateway and answers session, order and checkout', async () => {
  const member = await makeMember(world.db)
  const { status, body } = await world.add(member)
  expect(status).toBe(200)
  expect(body).toEqual({
    payment_session_id: expect.stringMatching(/^session_/),
    order_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    checkout: { mode: 'sandbox', script_url: `${world.sandbox.url}/js/v3/cashfree.js` },
  })
  const made = await world.look(`/orders/${body['order_id']}`)
  expect(made).toMatchObject({
    order_amount: 10,
    order_status: 'ACTIVE',
    customer_details: { customer_phone: '9876543210', customer_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    order_meta: {
      return_url: `${world.calls.url}/payment-status?order_id={order_id}`,
      notify_url: `${world.calls.url}/api/webhooks/cashfree`,
    },
  })
})

test('a member’s 61st order in an hour, even of many at once, answers 429 with Retry-After; others may order', async () => {
  const [busy, other] = [await makeMember(world.db), await makeMember(world.db)]
  const answers = await Promise.all(Array.from({ length: 63 }, () => world.add(busy)))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 60 }, () => 200), 429, 429, 429])
  const refused = await world.calls.ask('POST /wallet/add', { as: busy, body: ADD })
  expect([refused.status, refused.body.code, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, 'too_many_requests', true])
  expect(await world.db.query(sql`select 1 from topup where member_id = ${busy}::bigint`)).toHaveLength(60)
  expect((await world.add(other)).status).toBe(200)
})

test('GET /wallet/checkout answers the address of the checkout script', async () => {
  const { body } = await world.calls.ask('GET /wallet/checkout', { as: await makeMember(world.db) })
  expect(body).toEqual({ mode: 'sandbox', script_url: `${world.sandbox.url}/js/v3/cashfree.js` })
})

test.each([
  [{ ...ADD, amount: 9.99 }, 'amount', 'Minimum amount is ₹10'],
  [{ ...ADD, amount: 30.01 }, 'amount', 'Maximum amount is ₹30'],
  [{ ...ADD, phoneNumber: '' }, 'phoneNumber', 'Phone number is required'],
  [{ amount: 10 }, 'phoneNumber', 'Phone number is required'],
  [{ ...ADD, phoneNumber: '1234567890' }, 'phoneNumber', 'Please enter a valid 10-digit mobile number'],
  [{ ...ADD, phoneNumber: '987654321' }, 'phoneNumber', 'Please enter a valid 10-digit mobile number'],
  [{ ...ADD, phoneNumber: '+9198765432' }, 'phoneNumber', 'Please enter a valid 10-digit mobile number'],
  [{ ...ADD, phoneNumber: '98765432109' }, 'phoneNumber', 'Please enter a valid 10-digit mobile number'],
  [{ ...ADD, amount: 0 }, 'amount', 'Minimum amount is ₹10'],
  [{ ...ADD, amount: -10 }, 'amount', 'Minimum amount is ₹10'],
  [{ ...ADD, amount: 20_000_000 }, 'amount', 'Maximum amount is ₹30'],
  [{ ...ADD, amount: 10.001 }, 'amount', 'Please enter an amount in rupees, with at most two decimals'],
  [{ ...ADD, amount: '10' }, 'amount', 'Please enter an amount in rupees, with at most two decimals'],
  [{ ...ADD, amount: 1e300 }, 'amount', 'Please enter an amount in rupees, with at most two decimals'],
  [{ ...ADD, more: 1 }, 'more', 'This field is not known.'],
])('adding money refuses %j: %s: %s', async (body, field, words) => {
  const member = await makeMember(world.db)
  const answer = await world.add(member, body)
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ code: 'invalid_input', fields: { [field]: words } })
  expect(await world.transactions(member)).toEqual({ transactions: [], nextCursor: null })
})

test.each(['+91 98765 43210', '098765-43210', '९८७६५ ४३२१०'])('the phone %s of an order is 9876543210', async (phoneNumber) => {
  const { status, body } = await world.add(await makeMember(world.db), { ...ADD, phoneNumber })
  expect(status).toBe(200)
  const made = await world.look(`/orders/${body['order_id']}`)
  expect(made).toMatchObject({ customer_details: { customer_phone: '9876543210' } })
})

test('the phone of an order is a sign that accounts share it, once per account, and is stored nowhere', async () => {
  const phone = '9123456780'
  const [asha, ravi, alone] = [await makeMember(world.db), await makeMember(world.db), await makeMember(world.db)]
  for (const member of [asha, asha, ravi]) expect((await world.add(member, { ...ADD, phoneNumber: phone })).status).toBe(200)
  expect((await world.add(alone, { ...ADD, phoneNumber: '9123456781' })).status).toBe(200)
  const shared = await world.db.query(sql`
    select s.members, array_agg(u.member_id order by u.member_id) as who from signal s join signal_use u using (kind, key)
     where s.kind = 'phone' and u.member_id = any (${[asha, ravi, alone]}::bigint[]) group by s.id, s.members order by s.members`)
  expect(shared).toEqual([
    { members: 1, who: [alone] },
    { members: 2, who: [asha, ravi] },
  ])
  const stored = await world.db.query(
    sql`select t::text as row from topup t union all select j::text from job j union all select u::text from signal_use u`,
  )
  expect(JSON.stringify(stored)).not.toContain(phone)
})

test('an order stands although its phone cannot be noted', async () => {
  const member = await makeMember(world.db)
  const mend = await breakRows(world.database, 'signal_use', `new.member_id = ${member}`)
  const { status, body } = await world.add(member)
  await mend()
  expect([status, body['order_id']]).toEqual([200, expect.stringMatching(/^[0-9a-f]{32}$/)])
})

test('₹10 and ₹30 are within the limits', async () => {
  const member = await makeMember(world.db)
  expect((await world.add(member)).status).toBe(200)
  expect((await world.add(member, { ...ADD, amount: 30 })).status).toBe(200)
})

test('adding money needs a confirmed address and an account that is not suspended', async () => {
  const unconfirmed = await makeMember(world.db, { verified: false })
  expect((await world.add(unconfirmed)).body).toMatchObject({ code: 'email_unverified', message: 'Please verify your email to continue.' })
  const held = await makeMember(world.db)
  await world.db.query(sql`update member set suspended_at = roz_now() where id = ${held}::bigint`)
  expect((await world.add(held)).body).toMatchObject({ code: 'on_hold' })
  expect((await world.calls.ask('POST /wallet/add', { body: ADD })).status).toBe(401)
  expect((await world.add(await makeStaff(world.db))).status).toBe(403)
})

test('a closed wallet gets no order, even if it was closed after the request was admitted', async () => {
  const member = await makeMember(world.db)
  await world.db.query(sql`update wallet set is_closed = true, may_move = false, auto_join = false where member_id = ${member}::bigint`)
  expect(await world.add(member)).toMatchObject({ status: 403, body: { code: 'on_hold' } })
  expect(await world.db.query(sql`select from topup where member_id = ${member}::bigint`)).toEqual([])
  await world.db.query(sql`update wallet set is_closed = false, may_move = true where member_id = ${member}::bigint`)
})

test('adding money answers 403 while the operator has paused it', async () => {
  world.switches.topupsOn = false
  const answer = await world.add(await makeMember(world.db))
  expect(answer).toMatchObject({ status: 403, body: { code: 'topups_paused', message: 'Adding money is paused.' } })
})

test('adding money keeps the browser’s ticket key, and refuses a key that another member has', async () => {
  const ticketKey = 'ab'.repeat(32)
  const first = await makeMember(world.db)
  expect((await world.add(first, { ...ADD, ticketKey })).status).toBe(200)
  const second = await world.add(await makeMember(world.db), { ...ADD, ticketKey })
  expect(second).toMatchObject({ status: 409, body: { code: 'ticket_key_taken' } })
  const [key] = await world.db.query(sql`select custodial from ticket_key where member_id = ${first}::bigint`)
  expect(key).toEqual({ custodial: false })
})

test('a ticket key that cannot be read stops no payment', async () => {
  const member = await world.funded(20)
  expect((await world.add(member)).status).toBe(200)
  await world.db.query(sql`
    update ticket_key set sealed_key = set_byte(sealed_key, 50, get_byte(sealed_key, 50) # 1) where member_id = ${member}::bigint`)
  expect((await world.add(member)).status).toBe(200)
  expect((await world.add(member, { ...ADD, ticketKey: 'ef'.repeat(32) })).status).toBe(200)
})

test('a gateway without an answer is reported, and the same key continues with the same order', async () => {
  const member = await makeMember(world.db)
  await world.control('/faults', { api: 'no_answer' })
  const lost = await world.add(member, ADD, { 'idempotency-key': 'k' })
  expect(lost).toMatchObject({ status: 502, body: { code: 'gateway_unavailable' } })
  await world.control('/faults', {})
  const found = await world.add(member, ADD, { 'idempotency-key': 'k' })
  expect(found.status).toBe(200)
  const orders = await world.db.query<{ order_id: string }>(sql`select order_id from topup where member_id = ${member}::bigint`)
  expect(orders).toEqual([{ order_id: found.body['order_id'] }])
}, 20_000)

test('an order that the gateway never made ends as failed', async () => {
  const member = await makeMember(world.db)
  const orderId = crypto.randomUUID().replaceAll('-', '')
  await inTransaction(world.db, (tx) => createTopup(tx, { orderId, memberId: member, amount: paise(1000n) }))
  expect((await world.confirm(orderId)).body).toMatchObject({ data: { orderUserDetails: { order_status: 'PENDING' } } })
  await world.db.query(sql`update topup set created_at = created_at - interval '1 hour' where order_id = ${orderId}::text`)
  await world.sweep()
  expect((await world.confirm(orderId)).body).toMatchObject({ data: { success: false, orderUserDetails: { order_status: 'FAILED' } } })
})

test.each(['/wallet/add', '/wallet/withdraw'])(
  'POST %s refuses malformed JSON, another content type, a huge body and a value that is no object',
  async (call) => {
    const member = await world.funded(20)
    const ask = async (body: unknown, headers: Record<string, string> = {}) =>
      (await world.calls.ask(`POST ${call}`, { as: member, body, headers })).status
    expect(await ask('{"amount":')).toBe(400)
    expect(await ask('{"amount":NaN}')).toBe(400)
    expect(await ask('amount=10', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415)
    expect(await ask({ amount: 10, phoneNumber: '9'.repeat(100_000) })).toBe(413)
    for (const body of [[], '"10"', 'null', {}, { amount: null }]) expect(await ask(body)).toBe(400)
    expect(await world.balanceOf(member)).toBe(20)
    expect((await world.transactions(member)).transactions).toHaveLength(1)
  },
)
