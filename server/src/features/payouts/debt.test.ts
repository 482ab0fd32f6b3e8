/** A member whose bank took a payment back: the information beside each decision, and the member's own view. */
import { TEST_FRAME } from '../../testing/modes.ts'
import { expect, test } from 'vitest'
import { paise, wholeRupees } from '@roz/core/money.ts'
import { type NoticeKind, noticeText } from '@roz/core/notices.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { DISPUTED_MEMBERS } from '../../ledger/disputes.ts'
import { creditSuspense } from '../../ledger/suspense.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { chargeBack } from '../../ledger/testing/fixtures.ts'
import type { MailPayload } from '../../mail/mail-payload.ts'
import { mailWords } from '../../mail/mail-texts.ts'
import { getUser } from '../../members/user-row.ts'
import { makeMember } from '../../testing/calls.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'
import { noticesTo } from '../../testing/notices.ts'

const world = usePayoutsWorld()

const ask = (call: string, as: bigint, body?: unknown) => world.calls.ask(call, { as, ...(body === undefined ? {} : { body }) })
const tell = (disputeId: string, orderId: string, isTaken: boolean) => chargeBack(world.db, disputeId, orderId, wholeRupees(30), isTaken)

test('a member’s debt and flags appear beside each decision, and neither withdrawal nor refund is approved', async () => {
  const member = await world.funded(1)
  const orderId = await world.pay(member, 30)
  const id = await world.withdraw(member, 25)
  await world.db.query(sql`insert into member_flag (member_id, kind, subject) values (${member}::bigint, 'dispute', 'dispute:one')`)
  await world.db.query(sql`insert into member_flag (member_id, kind, subject) values (${member}::bigint, 'dispute', 'dispute:two')`)
  await tell('owes', orderId, true)
  const later = await world.pay(member, 20)
  const asked = await ask('POST /wallet/refunds', member, { order_id: later, amount: 20, reason: 'changed my mind' })
  expect(asked.status).toBe(200)
  const refund = asked.body.refund.id as string
  const known = { memberFlags: ['debt', 'dispute'], owed: 24 }
  expect((await ask(`GET /admin/withdrawals?q=${id}`, world.admin)).body.withdrawals).toMatchObject([
    { id, flags: expect.any(Array), ...known },
  ])
  expect((await ask(`GET /admin/refunds?q=${later}`, world.admin)).body.refunds).toMatchObject([{ id: refund, ...known }])
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId: later, paymentId: 'paid-twice', orderAmount: paise(2000n) }))
  expect((await ask('GET /admin/suspense?q=paid-twice', world.admin)).body.suspense).toMatchObject([{ reason: 'second_payment', ...known }])
  const approveRefund = () => world.calls.ask(`POST /admin/refunds/${refund}/approve`, { as: world.admin, body: { status: 'requested' } })
  for (const { status, body } of [await world.decide(id, 'approve'), await approveRefund()])
    expect([status, body.code, body.message]).toEqual([
      409,
      'member_in_debt',
      'This member owes us for a payment that the bank took back. Reject this: the held money then pays that debt.',
    ])
  expect((await getUser(world.db, member)).wallet).toEqual({ balance: 0, owed: 24 })
  expect((await world.decide(id, 'reject', { reason: 'The payment was disputed.' })).status).toBe(200)
  expect((await getUser(world.db, member)).wallet).toEqual({ balance: 1, owed: 0 })
  expect((await ask(`GET /admin/refunds?q=${later}`, world.admin)).body.refunds).toMatchObject([{ memberFlags: ['dispute'], owed: 0 }])
  const { transactions } = (await ask('GET /wallet/transactions', member)).body
  expect(transactions.slice(0, 2)).toMatchObject([
    { type: 'debit', amount: 24, description: 'Paid for a payment the bank took back', status: 'completed' },
    { type: 'credit', amount: 25 },
  ])
  const { receipt } = (await ask(`GET /wallet/transactions/${transactions[0].id}`, member)).body
  expect(receipt).toMatchObject({ from: 'Your wallet', amount: 24, balanceAfter: 1 })
  expect((await ask('GET /admin/disputes?q=owes', world.admin)).body.disputes).toMatchObject([{ id: 'owes', isTaken: true, loss: 0 }])
  await tell('owes', orderId, false)
  expect((await getUser(world.db, member)).wallet).toEqual({ balance: 31, owed: 0 })
  expect((await approveRefund()).status).toBe(200)
})

test('a dispute about a payment that was credited to somebody else is about both members, and shows who gives the money', async () => {
  const [payer, receiver] = [await makeMember(world.db), await makeMember(world.db, { name: 'Ravi Receiver' })]
  const orderId = await world.pay(payer, 30)
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId: 'credited-elsewhere', orderAmount: paise(3000n) }))
  const { itemId } = await world.db.one<{ itemId: bigint }>(
    sql`select id as "itemId" from suspense_item where payment_id = 'credited-elsewhere'`,
  )
  await inTransaction(world.db, (tx) => creditSuspense(tx, { itemId, memberId: receiver, decidedBy: world.admin }))
  await chargeBack(world.db, 'about-both', orderId, wholeRupees(30), true, 'credited-elsewhere')
  expect((await getUser(world.db, receiver)).wallet).toEqual({ balance: 0, owed: 0 })
  expect((await ask('GET /admin/disputes?q=about-both', world.admin)).body.disputes).toMatchObject([
    { id: 'about-both', member: { name: 'Ravi Receiver' } },
  ])
  const about = await world.db.query<{ id: bigint }>(sql`
    select a.id from dispute d cross join lateral ${DISPUTED_MEMBERS} a (id) where d.id = 'about-both' order by a.id`)
  expect(about).toEqual([{ id: payer }, { id: receiver }])
})

test('an approved withdrawal is not sent once its member is in debt, and names that problem', async () => {
  const member = await makeMember(world.db)
  const orderId = await world.pay(member, 30)
  const id = await world.withdraw(member, 30)
  expect((await world.decide(id, 'approve')).status).toBe(200)
  await tell('late', orderId, true)
  await world.runDue()
  expect(world.script.sent).not.toContain(id.replaceAll('-', ''))
  expect((await ask(`GET /admin/withdrawals?q=${id}`, world.admin)).body.withdrawals).toMatchObject([
    { status: 'approved', problem: 'member_in_debt', memberFlags: ['debt'], owed: 30 },
  ])
  expect((await world.decide(id, 'retry')).body.code).toBe('member_in_debt')
  expect((await world.decide(id, 'reject', { reason: 'The payment was disputed.' })).status).toBe(200)
  expect(await world.stateOf(id)).toEqual(['rejected', 0, 0])
})

/** A member's notices and mails of a kind, as sentences. */
async function toldAs(member: bigint, what: NoticeKind): Promise<string[]> {
  await world.runDue()
  const { email } = await world.db.one<{ email: string }>(sql`select email from member where id = ${member}::bigint`)
  const mails = world.jobs.flatMap(({ kind, payload }) => {
    const told = payload as MailPayload
    return kind === 'mail' && told.to === email && told.template === what ? [mailWords(told, TEST_FRAME).paragraphs.slice(1).join(' ')] : []
  })
  const notices = (await noticesTo(world.db, member)).filter(({ kind }) => kind === what)
  return [...notices.map(({ data }) => noticeText(what, data, 'en').body), ...mails]
}

test('notices and mails about money that came back say how much of it paid a debt', async () => {
  const member = await makeMember(world.db)
  const [disputed, other] = [await world.pay(member, 30), await world.pay(member, 10)]
  const [rejected, failed] = [await world.withdraw(member, 10), await world.withdraw(member, 15)]
  const refund = (await ask('POST /wallet/refunds', member, { order_id: other, amount: 10, reason: 'changed my mind' })).body.refund.id
  expect((await world.decide(failed, 'approve')).status).toBe(200)
  await world.runDue()
  await tell('says', disputed, true)
  expect((await getUser(world.db, member)).wallet).toEqual({ balance: 0, owed: 25 })
  const reason = 'Not this one'
  expect((await world.decide(rejected, 'reject', { reason })).status).toBe(200)
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId: other, paymentId: 'paid-again', orderAmount: paise(1000n) }))
  const [item] = (await ask('GET /admin/suspense?q=paid-again', world.admin)).body.suspense
  const { memberId } = await world.db.one<{ memberId: string }>(
    sql`select public_id as "memberId" from member where id = ${member}::bigint`,
  )
  expect((await ask(`POST /admin/suspense/${item.id}/credit`, world.admin, { status: 'open', memberId })).status).toBe(200)
  expect((await ask(`POST /admin/refunds/${refund}/reject`, world.admin, { status: 'requested', reason })).status).toBe(200)
  world.gatewaySays(failed, 'failed')
  await world.pass(3600)
  expect((await getUser(world.db, member)).wallet).toEqual({ balance: 20, owed: 0 })
  const told = {
    withdrawal_rejected:
      'Your withdrawal of ₹10.00 was rejected. The money is back in your wallet. ₹10.00 of it paid what you owed. Reason: Not this one',
    payment_assigned: 'A payment of ₹10.00 was checked and is now in your wallet. ₹10.00 of it paid what you owed.',
    refund_rejected:
      'Your refund of ₹10.00 was rejected. The money is back in your wallet. ₹5.00 of it paid what you owed. Reason: Not this one',
    // Nothing was owed any more.
    withdrawal_returned: 'Your withdrawal of ₹15.00 did not go through. The money is back in your wallet.',
  } as const
  for (const [what, words] of Object.entries(told)) expect(await toldAs(member, what as NoticeKind)).toEqual([words, words])
})
