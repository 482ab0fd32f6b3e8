/** A decision names the state that the administrator saw, and is refused if the state has changed. */
import { paise, wholeRupees } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { chargeBack } from '../../ledger/testing/fixtures.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { makeMember, makeStaff, publicIdOf } from '../../testing/calls.ts'
import { withSeen } from '../../staff/decision.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'

const world = usePayoutsWorld()
const byHand = usePayoutsWorld({ byHand: true })

const reason = { reason: 'Not this one' }
const paid = { bankReference: 'UTR1234' }

async function refund(): Promise<string> {
  const member = await makeMember(world.db)
  const order_id = await world.pay(member, 20)
  const body = { order_id, amount: 5, reason: 'Added too much' }
  return (await world.calls.ask('POST /wallet/refunds', { as: member, body })).body.refund.id
}
async function item(): Promise<string> {
  const orderId = crypto.randomUUID().replaceAll('-', '')
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId: `s-${orderId}`, orderAmount: paise(1000n) }))
  return String((await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)).id)
}
const withdrawal = async (of = world): Promise<string> => of.withdraw(await of.funded(10))
const decide = (what: string, body: object, { calls, admin } = world) => calls.ask(`POST /admin/${what}`, { as: admin, body })

test.each([
  ['withdrawals', 'approve', 'rejected', {}, () => world, withdrawal],
  ['withdrawals', 'reject', 'approved', reason, () => world, withdrawal],
  ['withdrawals', 'retry', 'approved', {}, () => world, withdrawal],
  ['withdrawals', 'complete', 'approved', paid, () => byHand, () => withdrawal(byHand)],
  ['withdrawals', 'bank', 'approved', {}, () => byHand, () => withdrawal(byHand)],
  ['withdrawals', 'not-paid', 'approved', reason, () => byHand, () => withdrawal(byHand)],
  ['withdrawals', 'take-over', 'approved', { ...reason, from: crypto.randomUUID() }, () => byHand, () => withdrawal(byHand)],
  ['withdrawals', 'came-back', 'paid', { ...reason, line: null }, () => byHand, () => withdrawal(byHand)],
  ['refunds', 'approve', 'rejected', {}, () => world, refund],
  ['refunds', 'reject', 'approved', reason, () => world, refund],
  ['suspense', 'credit', 'refunded', { memberId: crypto.randomUUID() }, () => world, item],
  ['suspense', 'refund', 'credited', {}, () => world, item],
  ['suspense', 'pay', 'refunded', paid, () => world, item],
] as const)('%s/%s on a stale state is refused and changes nothing', async (list, what, seen, body, where, make) => {
  const id = await make()
  const path = `${list}/${id}/${what}`
  const table = list === 'suspense' ? sql`suspense_item` : list === 'refunds' ? sql`refund` : sql`withdrawal`
  const { status: before } = await where().db.one<{ status: string }>(sql`select status from ${table} where id::text = ${id}::text`)
  const answer = await decide(path, { status: seen, ...body }, where())
  expect([answer.status, answer.body.code]).toEqual([409, 'changed_since_seen'])
  expect(answer.body.message).toBe('This changed while you had it open. Look at it again, then decide.')
  expect(await where().db.one(sql`select status from ${table} where id::text = ${id}::text`)).toEqual({ status: before })
  // Without a seen state, or with an unknown one, the body is refused.
  for (const missing of [body, { status: 'whatever', ...body }])
    expect((await decide(path, missing, where())).body.fields).toHaveProperty('status')
})

test('of approving and rejecting a withdrawal at once, both seen as requested, exactly one succeeds', async () => {
  for (let round = 0; round < 8; round++) {
    const id = await withdrawal()
    const seen = { status: 'requested' }
    const [yes, no] = await Promise.all([
      decide(`withdrawals/${id}/approve`, seen),
      decide(`withdrawals/${id}/reject`, { ...seen, ...reason }),
    ])
    expect([yes.status, no.status].toSorted()).toEqual([200, 409])
    expect((yes.status === 409 ? yes : no).body.code).toBe('changed_since_seen')
    await world.runDue()
    expect(world.timesSent(id)).toBe(yes.status === 200 ? 1 : 0)
  }
})

test('of approving and rejecting a refund at once, both seen as requested, exactly one succeeds', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await refund()
    const seen = { status: 'requested' }
    const answers = await Promise.all([decide(`refunds/${id}/approve`, seen), decide(`refunds/${id}/reject`, { ...seen, ...reason })])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  }
})

test.each(['withdrawals', 'refunds'] as const)(
  'an approval of %s is of all that was shown: a new hold, debt, flag or bank account refuses it',
  async (list) => {
    const member = await makeMember(world.db)
    const order_id = await world.pay(member, 20)
    const id =
      list === 'withdrawals'
        ? await world.withdraw(member, 10)
        : (await world.calls.ask('POST /wallet/refunds', { as: member, body: { order_id, amount: 5, reason: 'Added too much' } })).body
            .refund.id
    const row = async () => (await world.calls.ask(`GET /admin/${list}?q=${id}`, { as: world.admin })).body[list][0]
    const approve = (seen: string) => decide(`${list}/${id}/approve`, { status: 'requested', seen })
    const approveMany = (seen: string) => decide(`${list}/approve`, { rows: [{ id, status: 'requested', seen }] })
    const first = (await row()).seen
    const changes = [
      sql`update member set name = 'Somebody Else' where id = ${member}::bigint`,
      ...(list === 'withdrawals' ? [sql`update withdrawal set flags = '{other_amount}' where id = ${id}::uuid`] : []),
    ]
    let seen: string = first
    for (const change of changes) {
      await world.db.query(change)
      const answer = await approve(seen)
      expect([answer.status, answer.body.code]).toEqual([409, 'changed_since_seen'])
      expect((await approveMany(seen)).body.results[0]).toMatchObject({ status: null, code: 'changed_since_seen' })
      seen = (await row()).seen
    }
    expect((await approve(seen)).status).toBe(200)
  },
)

const flag = (of: typeof world, member: bigint) =>
  of.db.query(sql`insert into member_flag (member_id, kind, subject) values (${member}::bigint, 'dispute', 'dispute:seen')`)

/** A second payment of a member who has nothing left, or a payout that came back for a closed account; and what changes of each. */
async function suspended(what: 'credit' | 'refund' | 'pay') {
  if (what === 'pay') {
    const { id, member } = await world.returnedPayout()
    return { id, changes: [() => flag(world, member)] }
  }
  const member = await makeMember(world.db)
  const [orderId, disputed] = [await world.pay(member, 10), await world.pay(member, 20)]
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId: `twice-${orderId}`, orderAmount: paise(1000n) }))
  const { id } = await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)
  await world.withdraw(member, 30)
  const owe = () => chargeBack(world.db, `seen-${orderId}`, disputed, wholeRupees(20), true)
  return { id: String(id), changes: [() => flag(world, member), owe] }
}

test.each(['credit', 'refund', 'pay'] as const)(
  'suspense/%s is of all that was shown: a new flag or debt of the member refuses it',
  async (what) => {
    const { id, changes } = await suspended(what)
    const row = async () =>
      (await world.calls.ask('GET /admin/suspense', { as: world.admin })).body.suspense.find((item: { id: string }) => item.id === id)
    const { member, seen: first } = await row()
    const body = { credit: { memberId: member.id }, refund: {}, pay: paid }[what]
    let seen: string = first
    for (const change of changes) {
      await change()
      const answer = await decide(`suspense/${id}/${what}`, { status: 'open', seen, ...body })
      expect([answer.status, answer.body.code]).toEqual([409, 'changed_since_seen'])
      const now = await row()
      expect(now.status).toBe('open')
      seen = now.seen
    }
    expect((await decide(`suspense/${id}/${what}`, { status: 'open', seen, ...body })).status).toBe(200)
  },
)

test('the second voice of a credit to another member sees the flags and the debt of that member, and a new flag refuses it', async () => {
  const { id } = await suspended('credit')
  const payee = await makeMember(world.db)
  const memberId = await publicIdOf(world.db, payee)
  const credit = (as: bigint, body: object) => world.calls.ask(`POST /admin/suspense/${id}/credit`, { as, body: { memberId, ...body } })
  const shown = (await credit(world.admin, { status: 'open' })).body.item
  expect(shown.first.payee).toMatchObject({ id: memberId, memberFlags: [], owed: 0 })
  const disputed = await world.pay(payee, 20)
  await world.withdraw(payee, 20)
  await chargeBack(world.db, `payee-${disputed}`, disputed, wholeRupees(20), true)
  await flag(world, payee)
  const second = await makeStaff(world.db, 'finance')
  const stale = await credit(second, { status: 'awaiting_second', seen: shown.seen })
  expect([stale.status, stale.body.code]).toEqual([409, 'changed_since_seen'])
  const { suspense } = (await world.calls.ask('GET /admin/suspense?status=awaiting_second', { as: second })).body
  const now = suspense.find((item: { id: string }) => item.id === id)
  expect(now.first.payee).toMatchObject({ memberFlags: expect.arrayContaining(['debt', 'dispute']), owed: 20 })
  // The row's own member is another one.
  expect(now.memberFlags).not.toContain('debt')
  expect((await credit(second, { status: 'awaiting_second', seen: now.seen })).body.item.status).toBe('credited')
})

test('a bank account is not shown for a payment by hand to a person who saw other facts', async () => {
  const member = await byHand.funded(10)
  const id = await byHand.withdraw(member)
  const row = async () => (await byHand.calls.ask(`GET /admin/withdrawals?q=${id}`, { as: byHand.admin })).body.withdrawals[0]
  await byHand.decide(id, 'approve')
  const { seen } = await row()
  await flag(byHand, member)
  const refused = await byHand.decide(id, 'bank', { seen })
  expect([refused.status, refused.body.code, (await row()).shownTo]).toEqual([409, 'changed_since_seen', null])
  expect((await byHand.decide(id, 'bank', { seen: (await row()).seen })).status).toBe(200)
})

test('the fingerprint changes with each fact that an approver is shown, and with nothing else', () => {
  const shown = {
    member: { id: 'm', name: 'Asha' },
    bank: { name: 'SBI', lastFour: '0008' },
    flags: ['a', 'b'],
    memberFlags: [],
    owed: 0,
    onHold: false,
    waitingHours: 1,
  }
  const { seen } = withSeen(shown)
  expect(withSeen({ ...shown, flags: ['b', 'a'], waitingHours: 2 }).seen).toBe(seen)
  const others = [
    { member: { id: 'n', name: 'Asha' } },
    { member: null },
    { bank: { name: 'SBI', lastFour: '0009' } },
    { flags: ['a'] },
    { memberFlags: ['dispute'] },
    { owed: 1 },
    { onHold: true },
  ].map((change) => withSeen({ ...shown, ...change }).seen)
  expect(new Set([seen, ...others]).size).toBe(others.length + 1)
})
