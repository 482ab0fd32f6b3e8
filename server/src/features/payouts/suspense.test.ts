/** Money of closed accounts, and disputes, as administrators see and decide them. */
import { setTimeout } from 'node:timers/promises'
import { paise } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { bookDispute } from '../../ledger/disputes.ts'
import { chargeBack, disputed } from '../../ledger/testing/fixtures.ts'
import { creditSuspense } from '../../ledger/suspense.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { bookPayout } from '../../ledger/withdrawals.ts'
import { makeStaff, publicIdOf } from '../../testing/calls.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'

const world = usePayoutsWorld()

/** Decides about an open item, unless `body` names another state. */
const ask = (call: string, body: object = {}, headers: Record<string, string> = {}) =>
  world.calls.ask(call, { as: world.admin, headers, ...(call.startsWith('GET') ? {} : { body: { status: 'open', ...body } }) })
const reference = { bankReference: 'UTR0000000042' }

const inSuspense = async (): Promise<bigint> =>
  (await world.db.one<{ sum: bigint }>(sql`select coalesce(sum(amount), 0)::bigint as sum from leg where account = 5`)).sum

test('a payout returned for a closed account shows its bank, and is paid to its owner by hand with a bank reference', async () => {
  const { id, withdrawal } = await world.returnedPayout()
  const before = await inSuspense()
  const [listed] = (await ask(`GET /admin/suspense?q=${withdrawal}`)).body.suspense
  expect(listed).toMatchObject({ id, source: 'payout', reason: 'closed_account', status: 'open', amount: 10, reference: null })
  expect(listed).toMatchObject({ bank: { lastFour: '9012' }, member: { name: 'Closed account', email: null } })
  expect((await ask(`POST /admin/suspense/${id}/refund`)).body.code).toBe('suspense_no_source')
  expect((await ask(`POST /admin/suspense/${id}/credit`, { memberId: listed.member.id })).body.code).toBe('member_not_found')
  expect((await ask(`POST /admin/suspense/${id}/pay`, { bankReference: '' })).body.code).toBe('invalid_input')
  const stale = await world.calls.ask(`POST /admin/suspense/${id}/pay`, {
    as: world.admin,
    isStale: true,
    body: { status: 'open', ...reference },
  })
  expect(stale.body.code).toBe('step_up_required')

  const key = { 'idempotency-key': `pay-${id}` }
  const answers = await Promise.all([1, 2, 3].map(() => ask(`POST /admin/suspense/${id}/pay`, reference, key)))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(answers[0]?.body.item).toMatchObject({ id, status: 'paid', reference: reference.bankReference })
  expect(await inSuspense()).toBe(before - 1000n)
  const log = await world.db.query(sql`select action, actor_id as actor from audit_log where subject = ${`suspense:${id}`}::text`)
  expect(log).toEqual([{ action: 'suspense.pay', actor: world.admin }])
})

test('a returned payout that was paid after all is not paid again until it comes back again', async () => {
  const { id, withdrawal } = await world.returnedPayout()
  const told = (word: 'paid' | 'reversed') => inTransaction(world.db, (tx) => bookPayout(tx, { id: withdrawal, word }))
  expect(await told('paid')).toMatchObject({ result: 'conflict' })
  expect((await ask(`POST /admin/suspense/${id}/pay`, reference)).body.code).toBe('payment_taken_back')
  expect(await told('reversed')).toMatchObject({ result: 'conflict_back' })
  // The gateway's state arrives while an administrator decides: one waits for the other, and both never pay.
  const [, paid] = await Promise.all([told('paid'), ask(`POST /admin/suspense/${id}/pay`, reference)])
  expect([200, 409]).toContain(paid.status)
  expect((await ask(`GET /admin/suspense?q=${withdrawal}`)).body.suspense[0].status).toBe(paid.status === 200 ? 'paid' : 'open')
})

test('of several decisions about one item at once one succeeds', async () => {
  const { id } = await world.returnedPayout()
  const other = await world.funded(10)
  const publicId = await publicIdOf(world.db, other)
  const before = await inSuspense()
  const answers = await Promise.all([
    ask(`POST /admin/suspense/${id}/pay`, reference),
    ask(`POST /admin/suspense/${id}/credit`, { memberId: publicId }),
    ask(`POST /admin/suspense/${id}/pay`, { bankReference: 'UTR0000000043' }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  for (const { status, body } of answers) if (status === 409) expect(body.code).toBe('changed_since_seen')
  // A credit to somebody else than its owner is only named by the first person.
  expect(await inSuspense()).toBe(answers[1]?.status === 200 ? before : before - 1000n)
})

test('a payment without a former owner is not paid by hand', async () => {
  const orderId = crypto.randomUUID().replaceAll('-', '')
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId: `s-${orderId}`, orderAmount: paise(1000n) }))
  const [item] = (await ask(`GET /admin/suspense?q=${orderId}`)).body.suspense
  expect(item).toMatchObject({ source: 'payment', bank: null })
  expect((await ask(`POST /admin/suspense/${item.id}/pay`, reference)).body.code).toBe('suspense_by_wallet')
  expect((await ask('POST /admin/suspense/999999/pay', reference)).body.code).toBe('suspense_not_found')
})

test('disputes are listed with deadline, needed answer, member and outcome', async () => {
  const member = await world.funded(10)
  const orders = [await world.pay(member, 10), await world.pay(member, 20)]
  const respondBy = new Date('2026-11-28T12:00:00+05:30')
  const told = (n: number, change: object) =>
    inTransaction(world.db, (tx) =>
      bookDispute(tx, {
        ...disputed(`case-${n}`, orders[n] ?? 'none', paise(1000n)),
        status: 'CHARGEBACK_CREATED',
        state: 'open',
        respondBy,
        ...change,
      }),
    )
  await told(0, {})
  await told(1, { amount: paise(2000n), type: 'DISPUTE', status: 'DISPUTE_DOCS_RECEIVED', isTaken: undefined })
  await told(2, { respondBy: undefined })
  await world.withdraw(member, 30)
  await told(1, { amount: paise(2000n), type: 'DISPUTE', status: 'DISPUTE_MERCHANT_LOST', state: 'lost' })
  const list = async (query = '') => (await ask(`GET /admin/disputes${query}`)).body
  const { disputes } = await list()
  expect(disputes.map((one: { id: string }) => one.id)).toEqual(['case-2', 'case-1', 'case-0'])
  expect(disputes[2]).toMatchObject({
    state: 'open',
    needsAnswer: true,
    respondBy: '2026-11-28T12:00:00.000+05:30',
    isTaken: true,
    loss: 0,
  })
  expect(disputes[2]).toMatchObject({ amount: 10, member: { name: expect.any(String) }, order_id: orders[0] })
  expect(disputes[1]).toMatchObject({ state: 'lost', needsAnswer: false, isTaken: true, amount: 20, loss: 20 })
  expect(disputes[0]).toMatchObject({ problem: 'unknown_payment', isTaken: false, member: null, respondBy: null })
  expect((await list('?status=lost')).disputes).toHaveLength(1)
  expect((await list(`?q=${orders[0]}`)).disputes).toMatchObject([{ id: 'case-0' }])
  const first = await list('?limit=2')
  const oldest = await list('?limit=2&order=oldest')
  expect(oldest.disputes).toMatchObject([
    { id: 'case-0', waitingHours: 0 },
    { id: 'case-1', waitingHours: null },
  ])
  expect((await list(`?limit=2&order=oldest&cursor=${oldest.nextCursor}`)).disputes).toMatchObject([{ id: 'case-2' }])
  expect((await list(`?limit=2&cursor=${first.nextCursor}`)).disputes).toMatchObject([{ id: 'case-0' }])
  await told(1, { amount: paise(2000n), type: 'DISPUTE', status: 'DISPUTE_MERCHANT_WON', state: 'won', isTaken: false })
  expect((await list('?status=won')).disputes).toMatchObject([{ id: 'case-1', isTaken: false, loss: 0 }])
  expect((await world.calls.ask('GET /admin/disputes', { as: member })).status).toBe(403)
})

test('nobody credits an item to an account of their own', async () => {
  const orderId = crypto.randomUUID().replaceAll('-', '')
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId: `own-${orderId}`, orderAmount: paise(2000n) }))
  const { id } = await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)
  const member = await world.funded(10)
  const { publicId } = await world.db.one<{ publicId: string }>(
    sql`update member set email = 'lata.rao+wallet@gmail.com' where id = ${member}::bigint returning public_id as "publicId"`,
  )
  const lata = await makeStaff(world.db, 'finance')
  await world.db.query(sql`update member set email = 'latarao@gmail.com' where id = ${lata}::bigint`)
  const credit = (as: bigint) => world.calls.ask(`POST /admin/suspense/${id}/credit`, { as, body: { status: 'open', memberId: publicId } })
  expect(await credit(lata)).toMatchObject({ status: 403, body: { code: 'own_money' } })
  // The ledger refuses it by itself, whatever its caller has judged.
  const booked = await inTransaction(world.db, (tx) => creditSuspense(tx, { itemId: id, memberId: member, decidedBy: lata }))
  expect(booked).toEqual({ ok: false, code: 'own_money' })
  expect((await credit(world.admin)).body.item.status).toBe('awaiting_second')
})

test('what a dispute left of a returned payout is listed and paid like it, and waits for the gateway’s word too', async () => {
  const { withdrawal, member } = await world.returnedPayout()
  const { orderId, paymentId } = await world.db.one<{ orderId: string; paymentId: string }>(
    sql`select order_id as "orderId", payment_id as "paymentId" from topup where member_id = ${member}::bigint`,
  )
  await chargeBack(world.db, `of-${orderId}`, orderId, paise(400n), true, paymentId)
  const { id } = await world.db.one<{ id: bigint }>(
    sql`select id from suspense_item where payment_id = ${`wd_reversed:${withdrawal}#rest`}::text`,
  )
  const listed = (await ask('GET /admin/suspense')).body.suspense.find((item: { id: string }) => item.id === String(id))
  expect(listed).toMatchObject({ source: 'payout', status: 'open', amount: 6, bank: { lastFour: '9012' } })
  const { paying } = await inTransaction(world.db, async (tx) => {
    await bookPayout(tx, { id: withdrawal, word: 'paid' })
    const asked = ask(`POST /admin/suspense/${id}/pay`, reference)
    await Promise.race([asked, setTimeout(500)])
    return { paying: asked }
  })
  expect((await paying).body.code).toBe('payment_taken_back')
  await inTransaction(world.db, (tx) => bookPayout(tx, { id: withdrawal, word: 'reversed' }))
  expect((await ask(`POST /admin/suspense/${id}/pay`, reference)).body.item.status).toBe('paid')
})
