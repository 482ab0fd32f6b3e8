/** One person decides alone at most the limit in 24 hours, here ₹20; SUSPENSE is no way around it. */
import { paise } from '@roz/core/money.ts'
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { closeWallet } from '../../ledger/closing.ts'
import { captureTopup, createTopup } from '../../ledger/topups.ts'
import { voidVoices } from '../../ledger/voices-that-left.ts'
import { bookPayout } from '../../ledger/withdrawals.ts'
import { makeStaff, publicIdOf } from '../../testing/calls.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'

const world = usePayoutsWorld({ approvalAbove: 2000n })
let ravi: bigint
let sunita: bigint
beforeEach(async () => {
  ;[ravi, sunita] = [await makeStaff(world.db, 'finance'), await makeStaff(world.db, 'finance')]
})

const said = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code ?? ''}`.trim()
const withdrawal = async (rupees = 10): Promise<string> => world.withdraw(await world.funded(60), rupees)
const approve = (id: string, as: bigint, seen = 'requested') =>
  world.calls.ask(`POST /admin/withdrawals/${id}/approve`, { as, body: { status: seen } })
const approveAll = (ids: readonly string[], as: bigint) =>
  world.calls.ask('POST /admin/withdrawals/approve', { as, body: { rows: ids.map((id) => ({ id, status: 'requested' })) } })

/** A payment in SUSPENSE: for `owner`, the second payment of an order. */
async function suspended(rupees: number, owner?: bigint): Promise<string> {
  const orderId = crypto.randomUUID().replaceAll('-', '')
  const orderAmount = paise(BigInt(rupees * 100))
  const capture = (paymentId: string) => inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId, orderAmount }))
  if (owner !== undefined) {
    await inTransaction(world.db, (tx) => createTopup(tx, { orderId, memberId: owner, amount: orderAmount }))
    await capture(`${orderId}-1`)
  }
  await capture(`${orderId}-2`)
  return String((await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)).id)
}
const decide = (id: string, what: 'credit' | 'pay' | 'refund', as: bigint, body: object = {}) =>
  world.calls.ask(`POST /admin/suspense/${id}/${what}`, { as, body: { status: 'open', ...body } })
const stateOf = ({ body }: { body: { item?: { status: string }; withdrawal?: { status: string } } }) =>
  body.item?.status ?? body.withdrawal?.status

test('one press over many withdrawals pays what one person may decide alone; the others wait for another person', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => withdrawal()))
  const { body } = await approveAll(ids, ravi)
  expect(body.results.map(({ status }: { status: string }) => status)).toEqual([
    'approved',
    'approved',
    'awaiting_second',
    'awaiting_second',
    'awaiting_second',
  ])
  // A second person lets the rest go, and has used nothing of their own.
  for (const id of ids.slice(2)) expect(stateOf(await approve(id, sunita, 'awaiting_second'))).toBe('approved')
  expect(stateOf(await approve(await withdrawal(20), sunita))).toBe('approved')
})

test('the sum counts over all kinds, for 24 hours, and for all accounts of one mailbox', async () => {
  expect(stateOf(await approve(await withdrawal(15), ravi))).toBe('approved')
  const owner = await world.funded(10)
  expect(stateOf(await decide(await suspended(6, owner), 'credit', ravi, { memberId: await publicIdOf(world.db, owner) }))).toBe(
    'awaiting_second',
  )
  expect(stateOf(await decide(await suspended(5, owner), 'credit', ravi, { memberId: await publicIdOf(world.db, owner) }))).toBe('credited')
  await decide(await suspended(1), 'refund', ravi)
  const newest = await world.db.one<{ status: string }>(sql`select status from refund order by created_at desc, id desc limit 1`)
  expect(newest.status).toBe('requested')
  await world.db.query(sql`update member set email = 'ravi.two@gmail.com' where id = ${ravi}::bigint`)
  const again = await makeStaff(world.db, 'finance')
  await world.db.query(sql`update member set email = 'ravitwo+x@gmail.com' where id = ${again}::bigint`)
  // The decisions so far stay Ravi's after a change of the address; from now on both accounts are one hand.
  expect(stateOf(await approve(await withdrawal(10), ravi))).toBe('awaiting_second')
  expect(stateOf(await approve(await withdrawal(20), again))).toBe('approved')
  expect(stateOf(await approve(await withdrawal(10), ravi))).toBe('awaiting_second')
  await world.pass(86_400)
  expect(stateOf(await approve(await withdrawal(20), again))).toBe('approved')
})

test('of two decisions at once that each fit alone, one passes and the other waits', async () => {
  for (let round = 0; round < 5; round++) {
    const person = await makeStaff(world.db, 'finance')
    const owner = await world.funded(10)
    const [id, item] = [await withdrawal(15), await suspended(15, owner)]
    const answers = await Promise.all([
      approve(id, person),
      decide(item, 'credit', person, { memberId: await publicIdOf(world.db, owner) }),
    ])
    expect(answers.map(stateOf).filter((state) => state === 'awaiting_second')).toHaveLength(1)
  }
})

test('a payment in SUSPENSE goes to its owner by one person; to anybody else, or above the limit, by two who name the same member', async () => {
  const [owner, accomplice] = [await world.funded(10), await world.funded(10)]
  const [to, other] = [{ memberId: await publicIdOf(world.db, owner) }, { memberId: await publicIdOf(world.db, accomplice) }]
  expect(stateOf(await decide(await suspended(15, owner), 'credit', ravi, to))).toBe('credited')
  const foreign = await suspended(1, owner)
  expect(stateOf(await decide(foreign, 'credit', ravi, other))).toBe('awaiting_second')
  const seen = { status: 'awaiting_second' }
  expect(said(await decide(foreign, 'credit', ravi, { ...other, ...seen }))).toBe('409 second_person_needed')
  // Another member is a first voice again; the same one is the second.
  const third = { memberId: await publicIdOf(world.db, await world.funded(10)) }
  expect(stateOf(await decide(foreign, 'credit', sunita, { ...third, ...seen }))).toBe('awaiting_second')
  expect(stateOf(await decide(foreign, 'credit', ravi, { ...third, ...seen }))).toBe('credited')
  const large = await suspended(500, owner)
  expect(stateOf(await decide(large, 'credit', sunita, to))).toBe('awaiting_second')
  expect(stateOf(await decide(large, 'credit', ravi, { ...to, ...seen }))).toBe('credited')
})

test('two persons who name two members at once credit nobody', async () => {
  const item = await suspended(50)
  const members = await Promise.all([world.funded(10), world.funded(10)])
  const bodies = await Promise.all(members.map(async (member) => ({ memberId: await publicIdOf(world.db, member) })))
  const answers = await Promise.all([decide(item, 'credit', ravi, bodies[0]), decide(item, 'credit', sunita, bodies[1])])
  expect(answers.map(said).toSorted()).toEqual(['200', '409 changed_since_seen'])
  expect((await world.db.one<{ status: string }>(sql`select status from suspense_item where id = ${item}::bigint`)).status).toBe('open')
})

test('a payment by hand above the limit is confirmed by another person with the same reference', async () => {
  const member = await world.funded(60)
  const paid = await world.withdraw(member, 60)
  await inTransaction(world.db, (tx) => bookPayout(tx, { id: paid, word: 'paid' }))
  await inTransaction(world.db, async (tx) => {
    await closeWallet(tx, member)
    await tx.query(sql`update member set deleted_at = roz_now(), email = null, name = 'Closed account' where id = ${member}::bigint`)
  })
  await inTransaction(world.db, (tx) => bookPayout(tx, { id: paid, word: 'reversed' }))
  const row = await world.db.one<{ id: bigint }>(sql`select id from suspense_item where payment_id = ${`wd_reversed:${paid}`}::text`)
  const pay = (as: bigint, bankReference: string, status = 'open') => decide(String(row.id), 'pay', as, { bankReference, status })
  expect((await pay(ravi, 'UTR0000000042')).body.item).toMatchObject({
    status: 'awaiting_second',
    first: { by: { id: await publicIdOf(world.db, ravi) }, payee: null, reference: 'UTR0000000042' },
  })
  expect(said(await pay(ravi, 'UTR0000000042', 'awaiting_second'))).toBe('409 second_person_needed')
  expect(stateOf(await pay(sunita, 'UTR0000000043', 'awaiting_second'))).toBe('awaiting_second')
  expect(stateOf(await pay(ravi, 'UTR0000000043', 'awaiting_second'))).toBe('paid')
})

test('a new account approves nothing above the limit for 48 hours, neither first nor second, and spends its inviter’s allowance', async () => {
  const [owner, alias] = [await makeStaff(world.db, 'owner'), await makeStaff(world.db, 'finance', '0')]
  await world.db.query(sql`update member set vouched_by = ${owner}::bigint where id = ${alias}::bigint`)
  const large = await withdrawal(30)
  expect(said(await approve(large, alias))).toBe('409 role_too_new')
  expect(stateOf(await approve(large, owner))).toBe('awaiting_second')
  expect(said(await approve(large, alias, 'awaiting_second'))).toBe('409 role_too_new')
  expect(stateOf(await approve(await withdrawal(20), alias))).toBe('approved')
  expect(stateOf(await approve(await withdrawal(10), owner))).toBe('awaiting_second')
  await world.pass(48 * 3600)
  expect(stateOf(await approve(large, alias, 'awaiting_second'))).toBe('approved')
  // A new role begins anew.
  await world.db.query(sql`update member set staff_role = 'owner' where id = ${alias}::bigint`)
  expect(said(await approve(await withdrawal(30), alias))).toBe('409 role_too_new')
})

test('the open voices of somebody who leaves end: each waits for a first one again, and the refund of an item opens it', async () => {
  const member = await world.funded(60)
  const [large, item, refunded] = [await world.withdraw(member, 30), await suspended(30), await suspended(30)]
  // With keys: the audit at the end expects each acknowledged effect.
  const keyed = (path: string, body: object) =>
    world.calls.ask(`POST /admin/${path}`, { as: ravi, headers: { 'idempotency-key': path }, body })
  expect(stateOf(await keyed(`withdrawals/${large}/approve`, { status: 'requested' }))).toBe('awaiting_second')
  await keyed(`suspense/${item}/credit`, { status: 'open', memberId: await publicIdOf(world.db, member) })
  expect(stateOf(await decide(refunded, 'refund', ravi))).toBe('refunded')
  await expect(
    world.db.query(sql`update withdrawal set first_approved_by = null, first_approved_at = null where id = ${large}::uuid`),
  ).rejects.toThrow('an approval stays')
  await inTransaction(world.db, async (tx) => {
    await tx.query(sql`update member set deleted_at = roz_now(), email = null where id = ${ravi}::bigint`)
    await voidVoices(tx, ravi, sunita)
  })
  expect(stateOf(await approve(large, sunita))).toBe('awaiting_second')
  const states = await world.db.query<{ status: string; by: bigint | null }>(
    sql`select status, first_by as by from suspense_item where id in (${item}::bigint, ${refunded}::bigint) order by id`,
  )
  expect(states).toEqual([
    { status: 'open', by: null },
    { status: 'open', by: null },
  ])
})
