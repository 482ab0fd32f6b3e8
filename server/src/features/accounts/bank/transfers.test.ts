/** Money added by bank transfers: each is credited once, to its order and at its amount; everything else waits in SUSPENSE for a person. */
import { randomUUID } from 'node:crypto'
import { paise, wholeRupees } from '@roz/core/money.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { giveRest } from '../../../ledger/closing.ts'
import { addMoney, chargeBack, DAY } from '../../../ledger/testing/fixtures.ts'
import { makeMember, makeStaff, publicIdOf, testSecrets, useCalls } from '../../../testing/calls.ts'
import { waitFor } from '../../../testing/wallet-world.ts'
import { creditTransfer } from '../../wallet/settle.ts'
import { createAccounts } from '../accounts.ts'
import { lockBank } from './lock.ts'
import { openTransferWorld, type ShownLine } from './testing/transfer-world.ts'
import { perFile } from '../../../testing/fixture.ts'

/** The entries that the calls leave in the staff log. */
const LOGGED = {
  confirmTransferLine: 'transfer.confirm',
  confirmTransfer: 'transfer.ask',
  approveTransfer: 'transfer.approve',
  rejectTransfer: 'transfer.reject',
} as const
const world = perFile(openTransferWorld)
afterAll(async () => {
  // Whatever happened, what was credited or waits in suspense is at the bank, and the gateway owes nothing.
  const { gateway } = await world.booked()
  expect(gateway).toBe(0n)
})
let next = 412_300_000_000
const number = (): string => String(++next)
const codes = (answers: readonly { readonly body: { readonly code?: string } }[]): string[] =>
  answers.map(({ body }) => body.code ?? 'done').sort()
const logged = async (action: string): Promise<number> =>
  (await world.db.one<{ n: number }>(sql`select count(*)::int as n from audit_log where action = ${action}::text`)).n

describe('a member', () => {
  test('gets the account and a reference; the gateway’s calls say that money is added in another way', async () => {
    const { member, orderId, reference } = await world.order(100)
    expect(reference).toMatch(/^RZ[A-HJ-NP-Z2-9]{8}$/)
    const { body } = await world.ask('GET /wallet/transfers', member)
    expect(body.account).toEqual({
      holder: 'Roz Foundation',
      number: '001234567890',
      ifsc: 'HDFC0000123',
      bank: 'HDFC Bank',
      upi: 'roz@hdfcbank',
    })
    expect(body.transfers).toMatchObject([{ order_id: orderId, reference, amount: 100, status: 'PENDING' }])
    expect((await world.ask('GET /wallet/transfers', await makeMember(world.db))).body.transfers).toEqual([])
    const refused = [
      await world.ask('POST /wallet/add', member, { amount: 10, phoneNumber: '9876543210' }),
      await world.ask('GET /wallet/checkout', member),
    ]
    for (const { status, body: said } of refused)
      expect([status, said.message]).toEqual([409, 'Money is added in another way here. Please reload the page.'])
    expect((await world.ask('POST /wallet/transfers', member, { amount: 1 })).body.fields).toHaveProperty('amount')
    expect((await world.calls.ask('POST /webhooks/cashfree', { body: {} })).status).toBeGreaterThanOrEqual(400)
  })

  test('sees an old transfer that waits before newer ones that are done', async () => {
    const { member, orderId } = await world.order(30)
    for (let newer = 0; newer < 10; newer++) await world.order(20, member)
    await world.db.query(sql`
      update topup set status = 'expired' where member_id = ${member}::bigint and order_id <> ${orderId}::text`)
    const { transfers } = (await world.ask('GET /wallet/transfers', member)).body
    expect([transfers.length, transfers[0]]).toMatchObject([10, { order_id: orderId, status: 'PENDING' }])
  })

  test('with the same key, also at once, gets one order', async () => {
    const as = await makeMember(world.db)
    const headers = { 'idempotency-key': randomUUID() }
    const both = await Promise.all([1, 2].map(() => world.calls.ask('POST /wallet/transfers', { as, body: { amount: 20 }, headers })))
    expect(both[0]?.body).toEqual(both[1]?.body)
    expect((await world.ask('GET /wallet/transfers', as)).body.transfers).toHaveLength(1)
    expect((await world.calls.ask('POST /wallet/transfers', { as, body: { amount: 30 }, headers })).body.code).toBe('idempotency_mismatch')
  })
})

type Item = { readonly id: string; readonly order_id: string; readonly source: string; readonly reason: string; readonly amount: number }
const itemsOf = async ({ orderId }: { readonly orderId: string }): Promise<Item[]> =>
  (await world.ask('GET /admin/suspense?status=open', world.finance)).body.suspense.filter((item: Item) => item.order_id === orderId)
const payByHand = async (id: string | undefined) =>
  world.ask(`POST /admin/suspense/${id}/pay`, await world.clerk(), { status: 'open', bankReference: number() })

describe('a line of the statement', () => {
  test('with the reference and the amount credits the order, once, with the entry at the bank', async () => {
    const order = await world.order(100)
    const line = await world.arrives(
      100,
      `UPI/CR/${number()}/ASHA/${order.reference.slice(0, 5)} ${order.reference.slice(5).toLowerCase()}`,
    )
    expect(line.order).toMatchObject({ reference: order.reference, amount: 100, member: { name: expect.stringContaining('Asha') } })
    const { status, body } = await world.confirmLine(line)
    expect([status, body.transfer]).toMatchObject([200, { status: 'confirmed', amount: 100, order: { reference: order.reference } }])
    expect([await world.balance(order.member), await world.suspended(order.orderId)]).toEqual(['100.00', []])
    expect(await logged(LOGGED.confirmTransferLine)).toBeGreaterThan(0)
    await world.sweep()
    expect([(await world.confirmLine(line)).body.code, await world.balance(order.member)]).toEqual(['transfer_known', '100.00'])
    expect((await world.ask('GET /wallet/transfers', order.member)).body.transfers[0].status).toBe('PAID')
    const settled = await world.db.one<{ subject: string }>(sql`select subject from bank_line where id = ${line.id}::uuid`)
    expect(settled.subject).toBe(`gateway_settled:${body.transfer.id}`)
    expect(await world.importAll()).toMatchObject({ stored: 0 })
    expect((await world.lines()).map(({ id }) => id)).not.toContain(line.id)
  })

  test('of a payout that came back is nobody’s order: no UPI ID and no account names a reference', async () => {
    const { member, reference } = await world.order(100)
    const paid = await world.order(100, member)
    await world.confirmLine(await world.arrives(100, `NEFT ${paid.reference}`))
    const letters = 'RZABCDEFGH'
    await world.db.query(sql`
      insert into bank_transfer_order (order_id, reference, amount, expires_at)
      values (${randomUUID().replaceAll('-', '')}::text, ${letters}::text, 100, roz_now())`)
    const bank = { accountNumber: '123456789012', ifscCode: 'HDFC0000123', bankName: 'HDFC Bank', accountType: 'savings' }
    const named = [
      ['upiDetail.upiId', { upiDetail: { accountHolderName: 'Asha Verma', upiId: `${reference.toLowerCase()}@okbank` } }],
      ['upiDetail.upiId', { upiDetail: { accountHolderName: 'Asha Rz', upiId: 'abcd.efgh@okbank' } }],
      ['bankDetail.accountHolderName', { bankDetail: { ...bank, accountHolderName: 'Rza Bcde Fgh' } }],
    ] as const
    for (const [field, to] of named)
      for (const call of ['withdraw', 'close'] as const) {
        const path = call === 'withdraw' ? 'POST /wallet/withdraw' : 'POST /user/close'
        const { status, body } = await world.ask(path, member, { ...to, ...(call === 'withdraw' ? { amount: 100 } : {}) })
        expect([call, status, body.fields]).toEqual([call, 400, { [field]: expect.any(String) }])
      }
    const to = { upiDetail: { accountHolderName: 'Mirza Ahmed Hasan', upiId: 'mirza@okbank' } }
    expect((await world.ask('POST /wallet/withdraw', member, { amount: 100, ...to })).status).toBe(200)
  })

  test('confirmed by two persons at once credits once', async () => {
    const order = await world.order(100)
    const line = await world.arrives(100, `NEFT ${order.reference}`)
    const clerks = [await world.clerk(), await world.clerk(), await world.clerk()]
    expect(codes(await Promise.all(clerks.map((as) => world.confirmLine(line, as))))).toEqual(['done', 'transfer_known', 'transfer_known'])
    expect(await world.balance(order.member)).toBe('100.00')
  })

  test('with another amount goes to suspense, and no sweep takes it for the order’s', async () => {
    const order = await world.order(100)
    const line = await world.arrives(90, `NEFT ${order.reference}`)
    expect((await world.confirmLine(line)).body.transfer).toMatchObject({ status: 'confirmed', amount: 90 })
    await world.sweep()
    expect(await world.suspended(order.orderId)).toEqual([{ reason: 'other_amount', amount: 9000n, status: 'open' }])
    expect(await world.balance(order.member)).toBe('0.00')
    expect((await world.ask('GET /wallet/transfers', order.member)).body.transfers[0].status).toBe('PENDING')
    const { suspense } = (await world.ask('GET /admin/suspense', world.finance)).body
    const item = (suspense as { id: string; order_id: string; source: string }[]).find(({ order_id: id }) => id === order.orderId)
    expect(item?.source).toBe('transfer')
    const decide = async (what: string, body: object) =>
      world.ask(`POST /admin/suspense/${item?.id}/${what}`, await world.clerk(), { status: 'open', ...body })
    expect((await decide('refund', {})).body).toMatchObject({
      code: 'suspense_no_source',
      message: 'This money came from a bank account: it has no payment to refund.',
    })
    expect((await decide('pay', { bankReference: number() })).body.code).toBe('suspense_by_wallet')
    expect((await decide('credit', { memberId: await publicIdOf(world.db, order.member) })).status).toBe(200)
    await world.sweep()
    expect(await world.balance(order.member)).toBe('90.00')
    // The member withdraws money; nothing is refunded.
    expect((await world.ask('GET /wallet/refunds', order.member)).body.refundable).toEqual([])
  })

  test('without a reference, or with two, goes to suspense', async () => {
    const [one, two] = [await world.order(100), await world.order(100)]
    const lines = [await world.arrives(100, 'NEFT ASHA VERMA'), await world.arrives(100, `NEFT ${one.reference} ${two.reference}`)]
    for (const line of lines) {
      expect(line.order).toBeNull()
      const { body } = await world.confirmLine(line)
      expect(body.transfer).toMatchObject({ status: 'confirmed', order: null })
    }
    expect([await world.balance(one.member), await world.balance(two.member)]).toEqual(['0.00', '0.00'])
    const { n } = await one2(sql`select count(*)::int as n from suspense_item where reason = 'unknown_order'`)
    expect(n).toBe(2)
  })

  test('is no order’s only because somebody names it: the line must have its reference', async () => {
    const [rightful, other] = [await world.order(100), await world.order(100)]
    const line = await world.arrives(100, `NEFT ${rightful.reference}`)
    for (const reference of [other.reference, null]) {
      const { body } = await world.ask(`POST /admin/transfers/lines/${line.id}/confirm`, world.finance, { reference })
      expect(body.code).toBe('changed_since_seen')
    }
    expect((await world.ask(`POST /admin/transfers/lines/${randomUUID()}/confirm`, world.finance, { reference: null })).body.code).toBe(
      'bank_line_not_found',
    )
    expect((await world.confirmLine(line)).status).toBe(200)
    expect([await world.balance(rightful.member), await world.balance(other.member)]).toEqual(['100.00', '0.00'])
  })

  test('for an order that is paid already goes to suspense', async () => {
    const order = await world.order(50)
    for (const rupees of [50, 50])
      expect((await world.confirmLine(await world.arrives(rupees, `NEFT ${order.reference}`))).status).toBe(200)
    await world.sweep()
    expect([await world.balance(order.member), await world.suspended(order.orderId)]).toEqual([
      '50.00',
      [{ reason: 'second_payment', amount: 5000n, status: 'open' }],
    ])
  })

  test('for a closed account goes to suspense', async () => {
    const order = await world.order(50)
    expect((await world.ask('DELETE /user', order.member)).status, 'the account is closed').toBeLessThan(300)
    expect((await world.confirmLine(await world.arrives(50, `NEFT ${order.reference}`))).status).toBe(200)
    await world.sweep()
    expect(await world.suspended(order.orderId)).toEqual([{ reason: 'closed_account', amount: 5000n, status: 'open' }])
  })

  test('for a closed account in debt pays the debt first; the rest is a transfer too, and is not refunded', async () => {
    const order = await world.order(50)
    const former = await addMoney(world.db, order.member, wholeRupees(20))
    await inTransaction(world.db, (tx) => giveRest(tx, { memberId: order.member, ref: randomUUID() }))
    await chargeBack(world.db, 'of-a-former-gateway', former, wholeRupees(20))
    expect((await world.ask('DELETE /user', order.member)).status, 'the account is closed').toBeLessThan(300)
    expect((await world.confirmLine(await world.arrives(50, `NEFT ${order.reference}`))).status).toBe(200)
    expect(await world.suspended(order.orderId)).toEqual([
      { reason: 'closed_account', amount: 5000n, status: 'taken' },
      { reason: 'closed_account', amount: 3000n, status: 'open' },
    ])
    const { suspense } = (await world.ask('GET /admin/suspense?status=open', world.finance)).body
    const rest = (suspense as { id: string; order_id: string; source: string }[]).find(({ order_id: id }) => id === order.orderId)
    expect(rest?.source).toBe('transfer')
    expect((await world.ask(`POST /admin/suspense/${rest?.id}/refund`, world.finance, { status: 'open' })).body.code).toBe(
      'suspense_no_source',
    )
  })

  test('of another amount is paid by hand once its member has left', async () => {
    const order = await world.order(100)
    expect((await world.confirmLine(await world.arrives(90, `NEFT ${order.reference}`))).status).toBe(200)
    expect((await world.ask('DELETE /user', order.member)).status, 'the account is closed').toBeLessThan(300)
    const [item] = await itemsOf(order)
    expect(item).toMatchObject({ reason: 'closed_account', source: 'transfer', amount: 90 })
    expect((await payByHand(item?.id)).body.item).toMatchObject({ status: 'paid', reason: 'closed_account', amount: 90 })
    expect(await world.suspended(order.orderId)).toEqual([{ reason: 'closed_account', amount: 9000n, status: 'paid' }])
  })

  test('that came twice pays the debt of its member who has left, and the rest is paid by hand', async () => {
    const order = await world.order(50)
    expect((await world.confirmLine(await world.arrives(50, `NEFT ${order.reference}`))).status).toBe(200)
    const former = await addMoney(world.db, order.member, wholeRupees(20))
    await inTransaction(world.db, (tx) => giveRest(tx, { memberId: order.member, ref: randomUUID() }))
    await chargeBack(world.db, 'of-a-former-gateway-too', former, wholeRupees(20))
    expect((await world.ask('DELETE /user', order.member)).status, 'the account is closed').toBeLessThan(300)
    expect((await world.confirmLine(await world.arrives(50, `NEFT ${order.reference}`))).status).toBe(200)
    expect((await payByHand((await itemsOf(order))[0]?.id)).body.code).toBe('suspense_decided')
    const [rest] = await itemsOf(order)
    expect((await payByHand(rest?.id)).body.item).toMatchObject({ status: 'paid', amount: 30 })
    expect(await world.suspended(order.orderId)).toEqual([
      { reason: 'closed_account', amount: 5000n, status: 'taken' },
      { reason: 'closed_account', amount: 3000n, status: 'paid' },
    ])
  })

  test('that was closed with a reason is still listed and confirmed if it has a reference, for a member may wait for it', async () => {
    const order = await world.order(50)
    const utr = number()
    const own = await world.arrives(50, `IMPS/${utr}/${order.reference}`)
    const strange = await world.arrives(40, 'INTEREST OF JULY')
    for (const line of [own, strange]) {
      const { id } = await findingOf(line)
      const body = { status: 'open', reason: 'Interest of July' }
      expect((await world.ask(`POST /admin/findings/${id}/close`, await world.clerk(), body)).status).toBe(200)
    }
    const closed = (await world.closedLines()).find(({ id }) => id === own.id) ?? expect.unreachable()
    expect(closed).toEqual({ ...own, isClosed: true, seen: closed.seen })
    for (const { id } of [...(await world.lines()), ...(await world.closedLines())]) expect(id).not.toBe(strange.id)
    expect((await world.lines()).map(({ id }) => id)).not.toContain(own.id)
    expect((await world.typed(order, 50, utr)).body.code).toBe('transfer_has_line')
    // Somebody who saw no reason beside it confirms nothing.
    expect([(await world.confirmLine(own)).body.code, await world.balance(order.member)]).toEqual(['changed_since_seen', '0.00'])
    expect([(await world.confirmLine(closed)).status, await world.balance(order.member)]).toEqual([200, '50.00'])
    const { findings } = (await world.ask('GET /admin/findings?status=past', world.finance)).body
    const about = findings.find(({ subject }: Finding) => subject === `bank_line:${own.id}`)
    expect(about).toMatchObject({ status: 'closed', endedAt: expect.any(String) })
    expect((await world.closedLines()).map(({ id }) => id)).not.toContain(own.id)
  })

  test.each(['', '&status=closed'])('is on one page of the list, whatever other lines lie between: %s', async (status) => {
    const order = await world.order(50)
    const lines = [
      await world.arrives(50, `NEFT ${order.reference}`),
      await world.arrives(41, 'INTEREST OF AUGUST'),
      await world.arrives(50, status === '' ? 'NEFT ASHA VERMA' : `NEFT ${order.reference} ASHA VERMA`),
    ]
    const [older, other, newer] = lines as [ShownLine, ShownLine, ShownLine]
    for (const line of status === '' ? [other] : lines) {
      const { id } = await findingOf(line)
      await world.ask(`POST /admin/findings/${id}/close`, await world.clerk(), { status: 'open', reason: 'Interest of August' })
    }
    const listed: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await world.ask(`GET /admin/transfers/lines?limit=1${status}${cursor && `&cursor=${cursor}`}`, world.finance)
      listed.push(...page.body.lines.map((line: ShownLine) => line.id))
      cursor = page.body.nextCursor
    }
    const all = await (status === '' ? world.lines() : world.closedLines())
    expect(listed).toEqual(all.map((line) => line.id))
    expect(listed).toEqual(expect.arrayContaining([newer.id, older.id]))
    expect(listed).not.toContain(other.id)
    const ours = all.filter(({ id }) => id === older.id || id === newer.id)
    expect(ours).toHaveLength(2)
    for (const line of ours) expect((await world.confirmLine(line)).status).toBe(200)
  })
})

type Finding = { readonly id: string; readonly subject: string }
/** The open finding of a line without an entry. */
async function findingOf({ id }: Pick<ShownLine, 'id'>): Promise<Finding> {
  const { findings } = (await world.ask('GET /admin/findings', world.finance)).body as { findings: Finding[] }
  const found = findings.find(({ subject }) => subject === `bank_line:${id}`)
  if (found === undefined) throw new Error('the line has no open finding')
  return found
}
const one2 = (what: ReturnType<typeof sql>) => world.db.one<{ n: number }>(what)

describe('a number that is typed', () => {
  test('credits the order once, however it is written', async () => {
    const order = await world.order(100)
    const utr = number()
    const typed = await world.typed(order, 100, utr)
    expect(typed.body.transfer, typed.text).toMatchObject({ status: 'confirmed', bankReference: utr })
    for (const written of [utr, `00${utr}`, `${utr.slice(0, 4)}-${utr.slice(4)}`])
      expect((await world.typed(await world.order(100), 100, written)).body.code).toBe('transfer_known')
    expect(await world.balance(order.member)).toBe('100.00')
  })

  test('and the later line with this number exclude each other, whatever separators the bank writes', async () => {
    const [order, other] = [await world.order(100), await world.order(100)]
    const utr = number()
    await world.typed(order, 100, utr)
    expect(await world.arrivesKnown(100, `UPI/CR/000${utr}/ASHA`)).toMatchObject({ stored: 1, matched: 1 })
    const typed = number()
    await world.typed(other, 100, typed)
    const line = await world.arrives(100, `IMPS ${typed.slice(0, 3)} ${typed.slice(3)} ${other.reference}`)
    expect((await world.confirmLine(line)).body.code).toBe('transfer_known')
    expect([await world.balance(order.member), await world.suspended(other.orderId)]).toEqual(['100.00', []])
  })

  test('that a statement has is refused, also when the line has its entry', async () => {
    const order = await world.order(100)
    const utr = number()
    const line = await world.arrives(100, `IMPS/${utr}/${order.reference}`)
    const refused = await world.typed(order, 100, utr)
    expect([refused.status, refused.body.message]).toEqual([409, 'A statement has this transfer. Confirm its line instead.'])
    await world.confirmLine(line)
    expect((await world.typed(await world.order(100), 100, utr)).body.code).toBe('transfer_has_line')
    expect(await world.balance(order.member)).toBe('100.00')
  })

  test('and its line, confirmed at once, credit once', async () => {
    const order = await world.order(100)
    const utr = number()
    const line = await world.arrives(100, `IMPS/${utr}/${order.reference}`)
    const [a, b, c] = [await world.clerk(), await world.clerk(), await world.clerk()]
    const answers = await Promise.all([world.typed(order, 100, utr, a), world.confirmLine(line, b), world.typed(order, 100, utr, c)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect([await world.balance(order.member), await world.suspended(order.orderId)]).toEqual(['100.00', []])
  })

  test('is refused if the line is stored between the look at the statement and the lock', async () => {
    const order = await world.order(100)
    const utr = number()
    const waiters = async (): Promise<number> =>
      (await one2(sql`select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%bank_comparison%'`)).n
    const running: Promise<unknown>[] = []
    // The import waits for the lock first. The number is looked for before its line is stored, and judged after.
    await inTransaction(world.db, async (tx) => {
      await lockBank(tx)
      running.push(world.arrivesKnown(100, `IMPS/${utr}/${order.reference}`))
      await waitFor('the import', async () => (await waiters()) === 1)
      running.push(world.typed(order, 100, utr))
      await waitFor('the typed number', async () => (await waiters()) === 2)
    })
    const [stored, typed] = (await Promise.all(running)) as [{ stored: number }, { body: { code?: string } }]
    expect([stored.stored, typed.body.code, await world.balance(order.member)]).toEqual([1, 'transfer_has_line', '0.00'])
  })

  test('typed by two persons at once credits once', async () => {
    const order = await world.order(100)
    const utr = number()
    const clerks = [await world.clerk(), await world.clerk()]
    expect(codes(await Promise.all(clerks.map((as) => world.typed(order, 100, utr, as))))).toEqual(['done', 'transfer_known'])
    expect(await world.balance(order.member)).toBe('100.00')
  })

  test('is refused with its reason: an unknown order, another amount, a day to come, a short number, no amount', async () => {
    const order = await world.order(100)
    const unknown = await world.typed({ reference: 'RZAAAAAAAA' }, 100, number())
    expect([unknown.status, unknown.body.message]).toEqual([404, 'No order has this reference. Compare it with the bank again.'])
    const other = await world.typed(order, 90, number())
    expect([other.status, other.body.message]).toEqual([
      409,
      'The order is for ₹100.00. Another amount is confirmed by its line of the statement.',
    ])
    const body = { reference: order.reference, amount: 100, bankReference: number(), day: DAY }
    const fieldsOf = async (change: object) =>
      Object.entries((await world.ask('POST /admin/transfers', world.finance, { ...body, ...change })).body.fields)
    expect(await fieldsOf({ day: '2099-01-01' })).toEqual([['day', expect.any(String)]])
    // Words that many lines have, the end of a number, and an IFSC: a line that contains the number is this transfer.
    for (const bankReference of ['NEFTCR', 'NEFTCREDIT', '00012345678', '300123', 'YESB0000001'])
      expect(await fieldsOf({ bankReference })).toEqual([
        [
          'bankReference',
          "Please enter the bank's number of the transfer, not an IFSC code: 9 to 50 letters and digits, at least 6 of them digits",
        ],
      ])
    expect(await fieldsOf({ reference: 'RZ1' })).toEqual([
      ['reference', 'Please enter the reference that the payer wrote, for example RZAB2CD3EF'],
    ])
    expect(await fieldsOf({ amount: 0 })).toEqual([['amount', expect.any(String)]])
  })
})

describe('who confirms', () => {
  test('above the limit a second person, who is not the first; it is credited then', async () => {
    const order = await world.order(600)
    const [first, second] = [await world.clerk(), await world.clerk()]
    const utr = number()
    const { transfer } = (await world.typed(order, 600, utr, first)).body
    expect([transfer.status, await world.balance(order.member)]).toEqual(['asked', '0.00'])
    expect(await logged(LOGGED.confirmTransfer)).toBeGreaterThan(0)
    expect((await world.typed(order, 600, utr, second)).body.code).toBe('transfer_known')
    const approve = (as: bigint) => world.ask(`POST /admin/transfers/${transfer.id}/approve`, as)
    expect((await approve(first)).body.code).toBe('second_person_needed')
    expect((await approve(await makeStaff(world.db, 'finance', '1 hour'))).body.code).toBe('role_too_new')
    expect(codes(await Promise.all([approve(second), approve(await world.clerk())]))).toEqual(['done', 'transfer_final'])
    expect([await world.balance(order.member), await logged(LOGGED.approveTransfer)]).toEqual(['600.00', 1])
    expect((await world.ask(`POST /admin/transfers/${randomUUID()}/approve`, second)).body.code).toBe('transfer_not_found')
  })

  test('rejected, it credits nothing, and its line can be confirmed again', async () => {
    const order = await world.order(600)
    const line = await world.arrives(600, `NEFT ${order.reference}`)
    const { transfer } = (await world.confirmLine(line)).body
    expect(transfer.status).toBe('asked')
    expect((await world.lines()).map(({ id }) => id)).not.toContain(line.id)
    const second = await world.clerk()
    const reject = () => world.ask(`POST /admin/transfers/${transfer.id}/reject`, second, { reason: 'Not this member’s' })
    expect((await reject()).body.transfer).toMatchObject({ status: 'rejected', reason: 'Not this member’s' })
    expect([(await reject()).body.code, await logged(LOGGED.rejectTransfer)]).toEqual(['transfer_final', 1])
    expect((await world.lines()).map(({ id }) => id)).toContain(line.id)
    expect(await world.balance(order.member)).toBe('0.00')
  })

  test('not while the statement got the number that waits', async () => {
    const order = await world.order(600)
    const utr = number()
    const { transfer } = (await world.typed(order, 600, utr)).body
    await world.arrives(600, `IMPS/${utr}/${order.reference}`)
    expect((await world.ask(`POST /admin/transfers/${transfer.id}/approve`, await world.clerk())).body.code).toBe('transfer_known')
    expect(await world.balance(order.member)).toBe('0.00')
  })

  test('nobody their own money, nobody without the step-up, and nobody of another role', async () => {
    const order = await world.order(100)
    const own = await world.clerk()
    await world.db.query(sql`
      update member set email = (select replace(email, '@', '+own@') from member where id = ${order.member}::bigint) where id = ${own}::bigint`)
    expect((await world.typed(order, 100, number(), own)).body.code).toBe('own_money')
    const line = await world.arrives(100, `NEFT ${order.reference}`)
    expect((await world.confirmLine(line, own)).body.code).toBe('own_money')
    for (const role of ['support', 'editor', 'auditor'] as const)
      expect((await world.confirmLine(line, await makeStaff(world.db, role))).body.code).toBe('forbidden')
    const stale = await world.calls.ask(`POST /admin/transfers/lines/${line.id}/confirm`, {
      as: world.finance,
      isStale: true,
      body: { reference: order.reference },
    })
    expect(stale.body.code).toBe('step_up_required')
    expect(await world.balance(order.member)).toBe('0.00')
  })
})

describe('after PAYMENTS names a gateway', () => {
  const accountsOf = (db: Db) =>
    createAccounts({ db, secrets: testSecrets, approvalAbove: paise(50_000n), transfers: { areOffered: false, credit: creditTransfer } })
  const calls = useCalls(world, (db) => accountsOf(db).handlers)
  const ask = async (call: string, body?: object) => calls.ask(call, { as: await world.clerk(), ...(body === undefined ? {} : { body }) })

  test('the portal lists a late transfer by its reference, and it is confirmed; a line without one may be a settlement', async () => {
    const order = await world.order(100)
    const [late, other] = [await world.arrives(100, `NEFT ${order.reference}`), await world.arrives(90, 'CASHFREE SETTLEMENT')]
    const confirm = ({ id }: ShownLine, reference: string | null) => ask(`POST /admin/transfers/lines/${id}/confirm`, { reference })
    const { lines } = (await ask('GET /admin/transfers/lines?limit=100')).body as { lines: ShownLine[] }
    expect([lines.find(({ id }) => id === late.id), lines.every((line) => line.order !== null)]).toEqual([late, true])
    expect((await confirm(other, null)).body.code).toBe('other_way_to_pay')
    expect((await confirm(late, order.reference)).body.transfer.status).toBe('confirmed')
    expect([await world.balance(order.member), await accountsOf(world.db).hasTransfers()]).toEqual(['100.00', true])
  })

  test('a number is typed, and a transfer that waits gets its second voice', async () => {
    const [small, large] = [await world.order(100), await world.order(600)]
    const { transfer } = (await world.typed(large, 600, number())).body
    const body = { reference: small.reference, amount: 100, bankReference: number(), day: DAY }
    expect((await ask('POST /admin/transfers', body)).body.transfer.status).toBe('confirmed')
    expect((await ask(`POST /admin/transfers/${transfer.id}/approve`)).body.transfer.status).toBe('confirmed')
    expect([await world.balance(small.member), await world.balance(large.member)]).toEqual(['100.00', '600.00'])
  })
})

describe('the first voice of somebody who gets another role', () => {
  const editor = async (person: bigint) => {
    const { id } = await world.db.one<{ id: string }>(sql`select public_id as id from member where id = ${person}::bigint`)
    return world.ask(`PUT /admin/staff/${id}`, world.owner, { role: 'editor' })
  }

  test('about a transfer ends: it is rejected, and its line is confirmed by others', async () => {
    const order = await world.order(600)
    const line = await world.arrives(600, `NEFT ${order.reference}`)
    const [first, second, third] = [await world.clerk(), await world.clerk(), await world.clerk()]
    const { transfer } = (await world.confirmLine(line, first)).body
    expect([transfer.status, (await editor(first)).status]).toEqual(['asked', 200])
    expect((await world.ask(`POST /admin/transfers/${transfer.id}/approve`, second)).body.code).toBe('transfer_final')
    const { transfers } = (await world.ask('GET /admin/transfers?status=rejected', world.finance)).body
    expect(transfers[0]).toMatchObject({ id: transfer.id, reason: expect.stringContaining('has left or changed role') })
    const again = (await world.confirmLine(line, second)).body.transfer
    expect((await world.ask(`POST /admin/transfers/${again.id}/approve`, third)).body.transfer.status).toBe('confirmed')
    expect(await world.balance(order.member)).toBe('600.00')
  })

  test('about a transfer ends or counts, if the second voice comes at the same time', async () => {
    const order = await world.order(600)
    const [first, second] = [await world.clerk(), await world.clerk()]
    const { transfer } = (await world.typed(order, 600, number(), first)).body
    const [approved, changed] = await Promise.all([world.ask(`POST /admin/transfers/${transfer.id}/approve`, second), editor(first)])
    expect([changed.status, await world.balance(order.member)]).toEqual([200, approved.status === 200 ? '600.00' : '0.00'])
    expect(approved.body.code ?? 'done').toMatch(/^(done|transfer_final)$/)
  })

  test('about a finding ends: two others close it', async () => {
    const line = await world.arrives(600, 'NEFT SOMEBODY')
    const [first, second, third] = [await world.clerk(), await world.clerk(), await world.clerk()]
    const { id } = await findingOf(line)
    const close = async (as: bigint, status: string) =>
      (await world.ask(`POST /admin/findings/${id}/close`, as, { status, reason: `Interest, says ${as}` })).body
    expect((await close(first, 'open')).finding.status).toBe('awaiting_second')
    await editor(first)
    expect(await findingOf(line)).toMatchObject({ status: 'open', closedBy: null, reason: null })
    expect((await close(second, 'open')).finding.status).toBe('awaiting_second')
    expect((await close(third, 'awaiting_second')).finding.status).toBe('closed')
  })
})

test('what waits for finance is on the list of work: lines that came in, and transfers that need another person', async () => {
  const order = await world.order(600)
  const line = await world.arrives(50, 'NEFT SOMEBODY')
  const [first, second] = [await world.clerk(), await world.clerk()]
  const counts = async (as: bigint) => {
    const { todo } = (await world.ask('GET /admin/todo', as)).body as { todo: { code: string; count: number; isLate: boolean }[] }
    const of = (code: string) => todo.find((item) => item.code === code)
    const second = (await world.ask('GET /admin/transfers?status=to_second', as)).body.transfers as { id: string }[]
    return { lines: of('transfers')?.count ?? 0, late: of('transfers')?.isLate, asked: of('transfers_second')?.count ?? 0, second }
  }
  const before = await counts(second)
  const { transfer } = (await world.typed(order, 600, number(), first)).body
  const [own, other] = [await counts(first), await counts(second)]
  expect([own.asked, own.second.length]).toEqual([before.asked, before.asked])
  expect([other.asked, other.second.length, other.second[0]?.id]).toEqual([before.asked + 1, before.asked + 1, transfer.id])
  expect([other.lines, other.late]).toEqual([(await world.lines()).length, false])
  expect((await world.ask(`POST /admin/transfers/${transfer.id}/reject`, second, { reason: 'A test' })).status).toBe(200)
  expect((await world.confirmLine(line)).status).toBe(200)
  const done = await counts(second)
  expect([done.asked, done.lines]).toEqual([before.asked, other.lines - 1])
})

test('an order that expired is still credited when its transfer comes', async () => {
  const order = await world.order(100)
  await world.database.setClock(new Date(Date.parse(`${DAY}T06:30:00Z`) + 11 * 86_400_000))
  await world.sweep()
  expect((await world.ask('GET /wallet/transfers', order.member)).body.transfers[0].status).toBe('EXPIRED')
  expect((await world.typed(order, 100, number())).status).toBe(200)
  await world.sweep()
  expect([await world.balance(order.member), (await world.ask('GET /wallet/transfers', order.member)).body.transfers[0].status]).toEqual([
    '100.00',
    'PAID',
  ])
})

test('the reconciliation knows no gateway: nothing is owed, and no reading of settlements is late', async () => {
  const order = await world.order(100)
  const before = (await world.ask('GET /admin/reconciliation', world.finance)).body
  await world.typed(order, 100, number())
  await world.db.query(sql`update gateway_reading set due_at = roz_now() - interval '3 days'`)
  const { balances, check, reconciliation } = (await world.ask('GET /admin/reconciliation', world.finance)).body
  expect(balances).toMatchObject({ gateway: 0, fees: 0, bank: before.balances.bank + 100 })
  expect([check.isLate, reconciliation[0].owed]).toEqual([false, 0])
})
