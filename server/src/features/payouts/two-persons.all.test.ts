/** Above a limit two persons approve money that leaves, and nobody approves their own. The limit of these tests is ₹10. */
import { paise } from '@roz/core/money.ts'
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { makeMember, makeStaff, publicIdOf } from '../../testing/calls.ts'
import { breakRows } from '../../testing/database.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'

const world = usePayoutsWorld({ approvalAbove: 1000n })
let ravi: bigint
let sunita: bigint
let meera: bigint
let member: bigint
beforeEach(async () => {
  // One person's own decisions count for 24 hours, so each test has its own team.
  ;[ravi, sunita, meera] = [await makeStaff(world.db, 'finance'), await makeStaff(world.db, 'finance'), await makeStaff(world.db, 'owner')]
  member = await world.funded(30)
})

const over = (): Promise<string> => world.withdraw(member, 10.5)
const reason = { reason: 'Not this one' }
type As = { readonly as: bigint; readonly seen?: string; readonly what?: string; readonly list?: string; readonly body?: object }
const decide = (id: string, { as, seen = 'requested', what = 'approve', list = 'withdrawals', body = {} }: As) =>
  world.calls.ask(`POST /admin/${list}/${id}/${what}`, { as, body: { status: seen, ...body } })
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]
const listed = async (id: string, list = 'withdrawals') =>
  (await world.calls.ask(`GET /admin/${list}?q=${id}`, { as: meera })).body[list][0]

test('at the limit one person approves and the money is sent', async () => {
  const id = await world.withdraw(member, 10)
  expect((await decide(id, { as: ravi })).body.withdrawal).toMatchObject({
    status: 'approved',
    firstApproval: null,
    approvedBy: { id: await publicIdOf(world.db, ravi) },
  })
  await world.runDue()
  expect(world.timesSent(id)).toBe(1)
})

test('above the limit the first approval sends nothing, and the second one by another person sends it once', async () => {
  const id = await over()
  const first = await decide(id, { as: ravi })
  expect(first.body.withdrawal).toMatchObject({
    status: 'awaiting_second',
    firstApproval: { id: await publicIdOf(world.db, ravi) },
    approvedBy: null,
    approvedAt: null,
  })
  await world.runDue()
  expect(world.timesSent(id)).toBe(0)
  expect(await listed(id)).toMatchObject({ status: 'awaiting_second' })
  expect((await world.calls.ask('GET /wallet/withdrawals', { as: member })).body.withdrawals[0]).toMatchObject({ id, status: 'pending' })
  expect(codeOf(await decide(id, { as: ravi, seen: 'awaiting_second' }))).toEqual([409, 'second_person_needed'])
  const second = await decide(id, { as: sunita, seen: 'awaiting_second' })
  expect(second.body.withdrawal).toMatchObject({
    status: 'approved',
    firstApproval: { id: await publicIdOf(world.db, ravi) },
    approvedBy: { id: await publicIdOf(world.db, sunita) },
  })
  await world.runDue()
  expect(world.timesSent(id)).toBe(1)
  const log = await world.db.query(
    sql`select actor_id as who, before, after from audit_log where subject = ${`withdrawal:${id}`}::text order by id`,
  )
  expect(log).toEqual([
    { who: ravi, before: { status: 'requested' }, after: { status: 'awaiting_second', amount: 10.5 } },
    { who: sunita, before: { status: 'awaiting_second' }, after: { status: 'approved', amount: 10.5 } },
  ])
})

test('of two second persons at once one approves, and the money is sent once', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await world.withdraw(await world.funded(30), 10.5)
    await decide(id, { as: ravi })
    const answers = await Promise.all([sunita, meera].map((as) => decide(id, { as, seen: 'awaiting_second' })))
    expect(answers.map(codeOf).toSorted()).toEqual([
      [200, undefined],
      [409, 'changed_since_seen'],
    ])
    await world.runDue()
    expect(world.timesSent(id)).toBe(1)
  }
})

test('the first person twice at once is one first approval', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await world.withdraw(await world.funded(30), 10.5)
    const answers = await Promise.all([decide(id, { as: ravi }), decide(id, { as: ravi })])
    expect(answers.map(codeOf).toSorted()).toEqual([
      [200, undefined],
      [409, 'changed_since_seen'],
    ])
    await world.runDue()
    expect([(await listed(id)).status, world.timesSent(id)]).toEqual(['awaiting_second', 0])
  }
})

test('two first approvals at once do not count as two persons: the later one has not seen the earlier', async () => {
  const id = await over()
  const answers = await Promise.all([decide(id, { as: ravi }), decide(id, { as: sunita })])
  expect(answers.map(codeOf).toSorted()).toEqual([
    [200, undefined],
    [409, 'changed_since_seen'],
  ])
  expect((await listed(id)).status).toBe('awaiting_second')
})

test('a rejection between the two approvals gives the money back, and the second approval is refused', async () => {
  const id = await over()
  await decide(id, { as: ravi })
  expect((await decide(id, { as: meera, seen: 'awaiting_second', what: 'reject', body: reason })).body.withdrawal.status).toBe('rejected')
  expect(codeOf(await decide(id, { as: sunita, seen: 'awaiting_second' }))).toEqual([409, 'changed_since_seen'])
  expect(await world.stateOf(id)).toEqual(['rejected', 30, 0])
})

test('of rejecting and approving a second time at once exactly one succeeds', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await world.withdraw(await world.funded(30), 10.5)
    await decide(id, { as: ravi })
    const [yes, no] = await Promise.all([
      decide(id, { as: sunita, seen: 'awaiting_second' }),
      decide(id, { as: meera, seen: 'awaiting_second', what: 'reject', body: reason }),
    ])
    expect([yes.status, no.status].toSorted()).toEqual([200, 409])
    await world.runDue()
    expect(world.timesSent(id)).toBe(yes.status === 200 ? 1 : 0)
  }
})

test.each([
  [
    'the same mailbox, written differently',
    (staff: bigint) => sql`update member set email = 'Kavita.Rao+roz@gmail.com' where id = ${staff}::bigint`,
  ],
  ['the same phone', (staff: bigint) => sql`update member set phone = '9812345670' where id = ${staff}::bigint`],
] as const)('nobody approves their own money, as first or as second person: %s', async (_, link) => {
  await world.db.query(sql`update member set email = 'someone' || id || '@example.org' where email like '%@gmail.com'`)
  await world.db.query(sql`update member set email = 'kavitarao@gmail.com', phone = '9812345670' where id = ${member}::bigint`)
  const [small, large] = [await world.withdraw(member, 10), await world.withdraw(member, 10.5)]
  const kavita = await makeStaff(world.db, 'finance')
  await world.db.query(link(kavita))
  expect(codeOf(await decide(small, { as: kavita }))).toEqual([403, 'own_money'])
  await decide(large, { as: ravi })
  expect(codeOf(await decide(large, { as: kavita, seen: 'awaiting_second' }))).toEqual([403, 'own_money'])
  const approve = sql`update withdrawal set status = 'approved', approved_at = roz_now(), approved_by = ${kavita}::bigint where id = ${small}::uuid`
  await expect(world.db.query(approve)).rejects.toThrow('nobody approves their own money')
})

test('the database refuses the first person as the second, and an approval without a second person', async () => {
  const id = await over()
  await decide(id, { as: ravi })
  const set = (what: ReturnType<typeof sql>) => world.db.query(sql`update withdrawal set ${what} where id = ${id}::uuid`)
  const ended = sql`status = 'approved', approved_at = roz_now()`
  await expect(set(sql`${ended}, approved_by = ${ravi}::bigint`)).rejects.toThrow('withdrawal_two_persons')
  await expect(set(ended)).rejects.toThrow('the second one is needed')
  await expect(set(sql`status = 'approved'`)).rejects.toThrow('the second one is needed')
  await expect(set(sql`first_approved_by = ${sunita}::bigint`)).rejects.toThrow('an approval stays')
  await expect(set(sql`first_approved_by = null, first_approved_at = null`)).rejects.toThrow('an approval stays')
})

/** Removes a colleague as the team's call does, and makes a staff account of this address. */
const leaveAndComeBack = async (person: bigint, address: string): Promise<bigint> => {
  await world.db.query(sql`update member set deleted_at = roz_now(), email = null, phone = null where id = ${person}::bigint`)
  const back = await makeStaff(world.db, 'finance')
  await world.db.query(sql`update member set email = ${address}::text where id = ${back}::bigint`)
  return back
}
const newStaffAt = async (address: string): Promise<bigint> => {
  const person = await makeStaff(world.db, 'finance')
  await world.db.query(sql`update member set email = ${address}::text where id = ${person}::bigint`)
  return person
}

test('a person who was removed and invited again, or has two accounts of one mailbox, is one person', async () => {
  const nila = await newStaffAt('nila.rao@gmail.com')
  const [withdrawal, refundOrder] = [await over(), await world.pay(member, 20)]
  const asked = await world.calls.ask('POST /wallet/refunds', {
    as: member,
    body: { order_id: refundOrder, amount: 15, reason: 'Too much' },
  })
  const refund = asked.body.refund.id
  expect((await decide(withdrawal, { as: nila })).body.withdrawal.status).toBe('awaiting_second')
  expect((await decide(refund, { as: nila, list: 'refunds' })).body.refund.status).toBe('awaiting_second')
  const others = [await newStaffAt('Nila.Rao+roz@gmail.com'), await leaveAndComeBack(nila, 'nilarao@gmail.com')]
  for (const as of others) {
    expect(codeOf(await decide(withdrawal, { as, seen: 'awaiting_second' }))).toEqual([409, 'second_person_needed'])
    expect(codeOf(await decide(refund, { as, list: 'refunds', seen: 'awaiting_second' }))).toEqual([409, 'second_person_needed'])
    await expect(
      world.db.query(
        sql`update withdrawal set status = 'approved', approved_at = roz_now(), approved_by = ${as}::bigint where id = ${withdrawal}::uuid`,
      ),
    ).rejects.toThrow('the second approval is of the same person')
  }
  await world.runDue()
  expect(world.timesSent(withdrawal)).toBe(0)
  // The voice of somebody who left does not count: there is none to add the second one to.
  expect(codeOf(await decide(withdrawal, { as: sunita, seen: 'awaiting_second' }))).toEqual([409, 'role_too_new'])
})

test('a refund above the limit waits for the second person too', async () => {
  const order_id = await world.pay(member, 20)
  const asked = await world.calls.ask('POST /wallet/refunds', { as: member, body: { order_id, amount: 15, reason: 'Too much' } })
  const { id } = asked.body.refund
  const sentOf = () => world.refunds.sent.filter(({ refundId }) => refundId === id.replaceAll('-', '')).length
  expect((await decide(id, { as: ravi, list: 'refunds' })).body.refund).toMatchObject({
    status: 'awaiting_second',
    firstApproval: { id: await publicIdOf(world.db, ravi) },
  })
  await world.runDue()
  expect(sentOf()).toBe(0)
  expect((await world.calls.ask('GET /wallet/refunds', { as: member })).body.refunds[0]).toMatchObject({ id, status: 'pending' })
  expect(codeOf(await decide(id, { as: ravi, list: 'refunds', seen: 'awaiting_second' }))).toEqual([409, 'second_person_needed'])
  const answers = await Promise.all([sunita, meera].map((as) => decide(id, { as, list: 'refunds', seen: 'awaiting_second' })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  await world.runDue()
  expect(sentOf()).toBe(1)
})

test('the refund of an item in suspense above the limit waits for the second person; a rejection opens the item again', async () => {
  const orderId = crypto.randomUUID().replaceAll('-', '')
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId: `s-${orderId}`, orderAmount: paise(2000n) }))
  const item = await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)
  const ask = () => decide(String(item.id), { as: ravi, list: 'suspense', seen: 'open', what: 'refund' })
  const refundOf = async () =>
    world.db.one<{ id: string; status: string }>(
      sql`select id, status from refund where suspense_id = ${item.id}::bigint order by created_at desc limit 1`,
    )
  expect((await ask()).body.item.status).toBe('refunded')
  await world.runDue()
  const first = await refundOf()
  expect(first.status).toBe('requested')
  expect(codeOf(await decide(first.id, { as: ravi, list: 'refunds', seen: 'awaiting_second' }))).toEqual([409, 'second_person_needed'])
  expect((await decide(first.id, { as: sunita, list: 'refunds', seen: 'awaiting_second', what: 'reject', body: reason })).status).toBe(200)
  expect((await ask()).status).toBe(200)
  const again = await refundOf()
  expect((await decide(again.id, { as: sunita, list: 'refunds', seen: 'awaiting_second' })).body.refund.status).toBe('approved')
  await world.runDue()
  expect(world.refunds.sent.filter(({ refundId }) => refundId === again.id.replaceAll('-', ''))).toHaveLength(1)
})

test('a phone that the member shares with an approver only afterwards stops no second approval, rejection or final word', async () => {
  const order_id = await world.pay(member, 30)
  const asked = await world.calls.ask('POST /wallet/refunds', { as: member, body: { order_id, amount: 15, reason: 'Too much' } })
  const [withdrawal, rejected, refund] = [await over(), await over(), asked.body.refund.id]
  for (const id of [withdrawal, rejected]) expect((await decide(id, { as: ravi })).status).toBe(200)
  expect((await decide(refund, { as: ravi, list: 'refunds' })).status).toBe(200)
  const share = (staff: bigint) =>
    world.db.query(sql`update member set phone = '9812345670' where id = any(array[${staff}::bigint, ${member}::bigint])`)
  await share(ravi)
  const waits = { as: sunita, seen: 'awaiting_second' }
  expect((await decide(rejected, { ...waits, what: 'reject', body: reason })).body.withdrawal.status).toBe('rejected')
  expect((await decide(withdrawal, waits)).body.withdrawal.status).toBe('approved')
  expect((await decide(refund, { ...waits, list: 'refunds' })).body.refund.status).toBe('approved')
  await share(sunita)
  await world.runDue()
  world.gatewaySays(withdrawal, 'paid')
  world.gatewayRefunds(refund, 'paid')
  await world.pass(3600)
  expect((await listed(withdrawal)).status).toBe('paid')
  expect((await listed(refund, 'refunds')).status).toBe('paid')
  await world.db.query(sql`update member set phone = null where phone = '9812345670'`)
})

const approveAll = (rows: readonly object[], headers: Record<string, string> = {}, as = ravi) =>
  world.calls.ask('POST /admin/withdrawals/approve', { as, headers, body: { rows } })
const seen = (id: string, status = 'requested') => ({ id, status })

test('several approvals are decided row by row, and the answer says how each ended', async () => {
  const [small, large, gone] = [await world.withdraw(member, 10), await over(), await world.withdraw(await world.funded(20), 10)]
  await decide(gone, { as: meera, what: 'reject', body: reason })
  const held = await world.funded(20)
  const stopped = await world.withdraw(held, 10)
  await world.db.query(sql`update member set held_at = roz_now(), held_about = 'withdrawal_requested' where id = ${held}::bigint`)
  const missing = crypto.randomUUID()
  const rows = [small, large, gone, stopped, missing].map((id) => seen(id))
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const { status, body } = await approveAll(rows, headers)
  expect(status).toBe(200)
  expect(body.results.map(({ id, status: state, code }: Record<string, unknown>) => [id, state, code])).toEqual([
    [small, 'approved', null],
    [large, 'awaiting_second', null],
    [gone, null, 'changed_since_seen'],
    [stopped, null, 'member_on_hold'],
    [missing, null, 'withdrawal_not_found'],
  ])
  expect(body.results[3].message).toBe("This member's withdrawals are on hold.")
  await world.runDue()
  expect([world.timesSent(small), world.timesSent(large)]).toEqual([1, 0])
  // The same key: the same answer, and nothing is decided again. The same key with other rows is refused.
  expect((await approveAll(rows, headers)).body).toEqual(body)
  expect(codeOf(await approveAll(rows.slice(1), headers))).toEqual([409, 'idempotency_mismatch'])
})

test('a row that fails is reported as unknown, and the rows around it are decided', async () => {
  const [first, broken, last] = [
    await world.withdraw(member, 10),
    await world.withdraw(member, 10),
    await world.withdraw(await world.funded(20), 10),
  ]
  const mend = await breakRows(world.database, 'withdrawal', `new.id = '${broken}'`)
  const { status, body } = await approveAll([first, broken, last].map((id) => seen(id)))
  await mend()
  expect([status, body.results.map(({ code }: { code: string }) => code)]).toEqual([200, [null, 'internal', null]])
  expect((await listed(broken)).status).toBe('requested')
  // The first withdrawal used up what one person decides alone in a day.
  expect([(await listed(first)).status, (await listed(last)).status]).toEqual(['approved', 'awaiting_second'])
})

test('two administrators who approve the same rows at once approve each row once', async () => {
  const ids = [await world.withdraw(member, 10), await world.withdraw(await world.funded(20), 10)]
  const [a, b] = await Promise.all([
    approveAll(ids.map((id) => seen(id))),
    approveAll(
      ids.map((id) => seen(id)),
      {},
      sunita,
    ),
  ])
  for (const [index, id] of ids.entries()) {
    const codes = [a, b].map(({ body }) => body.results[index].code)
    expect(codes.toSorted()).toEqual(['changed_since_seen', null])
    await world.runDue()
    // The second row of one person waits for another one.
    expect(world.timesSent(id)).toBe((await listed(id)).status === 'awaiting_second' ? 0 : 1)
  }
})

test('a row named twice, no row, or more than fifty are refused', async () => {
  const id = await world.withdraw(member, 10)
  expect(codeOf(await approveAll([seen(id), seen(id)]))).toEqual([400, 'invalid_input'])
  expect(codeOf(await approveAll([]))).toEqual([400, 'invalid_input'])
  const many = await approveAll(Array.from({ length: 51 }, () => seen(crypto.randomUUID())))
  expect([many.status, many.body.fields]).toEqual([400, { rows: 'At most 50 at once' }])
})

test('several refunds are approved at once', async () => {
  const ids: string[] = []
  for (let n = 0; n < 2; n++) {
    const order_id = await world.pay(member, 20)
    const body = { order_id, amount: 5, reason: 'Too much' }
    ids.push((await world.calls.ask('POST /wallet/refunds', { as: member, body })).body.refund.id)
  }
  const { body } = await world.calls.ask('POST /admin/refunds/approve', { as: ravi, body: { rows: ids.map((id) => seen(id)) } })
  expect(body.results.map(({ status }: { status: string }) => status)).toEqual(['approved', 'approved'])
})

test('the list pages oldest first, filters those that wait for the second person, and says how long each waits', async () => {
  const asha = await makeMember(world.db, { name: 'Ageing Asha' })
  await world.pay(asha, 30)
  await world.pay(asha, 30)
  const old = await world.withdraw(asha, 10.5)
  await world.pass(49 * 3600)
  const newer = await world.withdraw(asha, 10)
  const page = (query: string) => world.calls.ask(`GET /admin/withdrawals?q=Ageing&${query}`, { as: meera })
  const first = (await page('order=oldest&limit=1')).body
  expect(first.withdrawals).toMatchObject([{ id: old, waitingHours: 49 }])
  const next = (await page(`order=oldest&limit=1&cursor=${first.nextCursor}`)).body
  expect(next.withdrawals).toMatchObject([{ id: newer, waitingHours: 0 }])
  expect(next.nextCursor).toBeNull()
  expect((await page('limit=1')).body.withdrawals).toMatchObject([{ id: newer }])
  await decide(old, { as: ravi })
  expect((await page('status=awaiting_second')).body.withdrawals).toMatchObject([{ id: old }])
  expect((await page('status=requested')).body.withdrawals).toMatchObject([{ id: newer }])
  await decide(newer, { as: ravi, what: 'reject', body: reason })
  expect((await page('status=rejected')).body.withdrawals).toMatchObject([{ id: newer, waitingHours: null }])
})

test('a list names an approver as that person was called at the approval', async () => {
  const id = await over()
  await decide(id, { as: ravi })
  const before = (await listed(id)).firstApproval.name
  await world.db.query(sql`
    insert into audit_log (actor_id, action, subject, before, after, at)
    values (${ravi}::bigint, 'staff.profile', ${`member:${ravi}`}::text, jsonb_build_object('name', ${before}::text), '{"name": "Renamed"}', roz_now())`)
  await world.db.query(sql`update member set name = 'Renamed' where id = ${ravi}::bigint`)
  expect((await listed(id)).firstApproval.name).toBe(before)
  await world.db.query(sql`update member set name = ${before}::text where id = ${ravi}::bigint`)
})
