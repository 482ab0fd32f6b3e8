/** Settlements by themselves: read each morning, matched with our entries, proposed, recorded by a press; and what does not fit. */
import { randomBytes, randomUUID } from 'node:crypto'
import { bankDaysBefore } from '@roz/core/bank-days.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { runAudit } from '../../ledger/audit.ts'
import { readBalances } from '../../ledger/balances.ts'
import { closeWallet } from '../../ledger/closing.ts'
import { bookArrival } from '../../ledger/gateway-settlements.ts'
import { suspend } from '../../ledger/suspense.ts'
import { captureTopup, createTopup } from '../../ledger/topups.ts'
import { newOrderId } from '../../ledger/testing/fixtures.ts'
import { bookPayout, holdWithdrawal } from '../../ledger/withdrawals.ts'
import { forgetAlone } from '../../testing/database.ts'
import { makeMember } from '../../testing/calls.ts'
import { openSettlementWorld, useSettlementWorld } from '../../testing/settlement-world.ts'
import { compareSettlement } from './judge.ts'
import { settleMorning } from './testing/morning.ts'

const world = useSettlementWorld({ APPROVAL_ABOVE: '100' })
beforeEach(async () => {
  await world.control('/faults', {})
  world.alarms.length = 0
  await forgetAlone(world.database)
})

const record = (id: string, seen: object, as = world.finance) => world.ask(`POST /admin/gateway-settlements/${id}/record`, as, seen)
const check = async () => (await world.ask('GET /admin/reconciliation')).body.check
const balances = async () => {
  const { GATEWAY, BANK } = await readBalances(world.db)
  return { gateway: Number(-GATEWAY), bank: Number(-BANK) }
}
const goesBack = (id: string) => world.control(`/settlements/${id}`, { status: 'REVERSED', webhooks: 0 })
/** A settlement of ₹10 that went back after it was recorded. */
async function returned() {
  await world.paid(10)
  const first = await world.settle()
  await world.nextMorning()
  await record(first, { amount: 9.77, fee: 0.23 })
  const before = await balances()
  await goesBack(first)
  return { first, before }
}
/** Records everything that waits, and closes every finding: the next test begins with an empty list. */
const clear = () => settleMorning(world)

describe('a settlement', () => {
  test('is read at six in the morning, proposed as the gateway says, and recorded with its report by a press', async () => {
    await world.paid(10)
    const second = await world.paid(20)
    const id = await world.settle()
    await world.moveTo(world.now() + 60_000)
    expect(await world.settlements()).toEqual([])
    await world.nextMorning()
    const [seen] = await world.settlements('?status=to_record')
    expect(seen).toMatchObject({
      id,
      state: 'to_record',
      status: 'SUCCESS',
      paid: 29.31,
      kept: 0.69,
      amount: 29.31,
      fee: 0.69,
      events: 2,
      findings: 0,
    })
    expect(await check()).toMatchObject({ isLate: false, open: 0, difference: 0, toRecord: 1 })

    const before = await balances()
    const { status, body } = await record(id, { amount: 29.31, fee: 0.69 })
    expect([status, body.entry]).toMatchObject([
      200,
      { status: 'booked', purpose: id, receipts: [], settlement: { day: seen?.['day'], fee: 0.69 } },
    ])
    expect(await balances()).toEqual({ gateway: before.gateway - 3000, bank: before.bank + 2931 })
    expect(await world.settlements('?status=to_record')).toEqual([])
    expect((await world.settlements())[0]).toMatchObject({ id, state: 'recorded' })
    expect((await record(id, { amount: 29.31, fee: 0.69 })).body.code).toBe('changed_since_seen')

    const report = (await world.ask(`GET /admin/gateway-settlements/${id}`)).body.report as string
    expect(JSON.parse(report)).toMatchObject({ settlement: { id, amount_paise: 2931 }, events: [{ type: 'PAYMENT' }, { type: 'PAYMENT' }] })
    expect(report).toContain(second)
    const [proof] = await world.db.query(sql`
      select from evidence where kind = 'gateway_settled' and ref = ${body.entry.id}::text and hash = sha256(convert_to(${report}::text, 'UTF8'))`)
    expect(proof).toBeDefined()
    // Neither the payer's phone nor a name is kept.
    expect(report).not.toMatch(/9876543210|Asha/)
  })

  test('above the limit, its fee included, waits for another person', async () => {
    await world.paid(101)
    const id = await world.settle()
    await world.nextMorning()
    const [seen] = (await world.settlements('?status=to_record')) as [{ amount: number; fee: number }]
    const { entry } = (await record(id, { amount: seen.amount, fee: seen.fee })).body
    expect(entry).toMatchObject({ status: 'requested', needsSecond: true })
    expect((await world.settlements())[0]).toMatchObject({ id, state: 'requested' })
    const decide = (as: bigint) =>
      world.ask(`POST /admin/house-entries/${entry.id}/approve`, as, {
        status: 'requested',
        ...(entry.seen === undefined ? {} : { seen: entry.seen }),
      })
    expect((await decide(world.finance)).body.code).toBe('own_request')
    expect((await decide(world.owner)).body.entry).toMatchObject({ status: 'booked' })
    expect((await world.settlements())[0]).toMatchObject({ id, state: 'recorded' })
  })

  test('is recorded once, by whichever of two presses and whichever number', async () => {
    await world.paid(10)
    const id = await world.settle()
    await world.nextMorning()
    const both = await Promise.all([record(id, { amount: 9.77, fee: 0.23 }), record(id, { amount: 9.77, fee: 0.23 }, world.owner)])
    expect(both.map(({ body }) => body.code ?? body.entry.status).sort()).toEqual(['booked', 'changed_since_seen'])
    const { utr } = await world.db.one<{ utr: string }>(sql`select utr from gateway_settlement_seen where settlement_id = ${id}::text`)
    const typed = await world.db.query(sql`select from gateway_settlement where reference = ${utr}::text`)
    expect(typed).toEqual([])
    const { judgeSettlement } = await import('../../ledger/gateway-settlements.ts')
    const again = await inTransaction(world.db, (tx) => judgeSettlement(tx, { reference: utr, amount: 1n as never, fee: 0n as never }))
    expect(again).toBe('settlement_known')
  })

  test('is not recorded in other amounts than were seen, and an unknown one not at all', async () => {
    await world.paid(10)
    const id = await world.settle()
    await world.nextMorning()
    expect((await record(id, { amount: 9.78, fee: 0.22 })).body.code).toBe('changed_since_seen')
    expect((await record('7', { amount: 9.77, fee: 0.23 })).body.code).toBe('settlement_not_found')
    await clear()
  })

  test('of many payments is read page by page', async () => {
    const member = await makeMember(world.db)
    for (let n = 0; n < 60; n++) await world.paid(10, member)
    const id = await world.settle()
    await world.nextMorning()
    expect((await world.settlements())[0]).toMatchObject({ id, state: 'to_record', events: 60, findings: 0, paid: 586.2, kept: 13.8 })
    await clear()
  })

  test('is read sooner after a webhook, which alone says nothing', async () => {
    await world.paid(10)
    const id = await world.settle()
    expect(await world.webhook('SETTLEMENT_SUCCESS')).toBe(200)
    await world.readAll()
    expect((await world.settlements())[0]).toMatchObject({ id, state: 'to_record' })
    await clear()
  })
})

describe('findings', () => {
  const only = async () => {
    const found = await world.findings()
    expect(found).toHaveLength(1)
    return found[0] as { id: string; kind: string; amount: number; detail: string; status: string; settlement: string; seen: string }
  }

  test('sums that do not meet what was paid', async () => {
    await world.control('/faults', { settlement_off: true })
    await world.paid(10)
    const id = await world.settle()
    await world.nextMorning()
    expect(await only()).toMatchObject({
      kind: 'sums',
      settlement: id,
      amount: -1,
      detail: 'paid 877, events 977; fee 23, events 23 (paise)',
    })
    expect(await check()).toMatchObject({ open: 1, difference: -1 })
    await closeWithReason({ kind: 'sums', settlement: id, amount: -1 })
    await clear()
  })

  /** The only finding, closed with a reason: its amount and the day of its settlement stay. */
  async function closeWithReason(finding: object): Promise<void> {
    const { id } = await only()
    const [seen] = await world.settlements()
    const reason = 'Their mail of today names it'
    const closed = await world.ask(`POST /admin/findings/${id}/close`, world.finance, { status: 'open', reason })
    expect(closed.status).toBe(200)
    expect(await world.findings()).toEqual([])
    expect((await world.findings('?status=past'))[0]).toMatchObject({ ...finding, day: seen?.['day'], status: 'closed', reason })
  }

  test('an adjustment that the gateway adds; what it paid is recorded whole, though it owed less', async () => {
    await world.paid(10)
    const id = await world.settle({ adjustment: 40, remarks: 'A fee given back' })
    await world.nextMorning()
    expect(await only()).toMatchObject({ kind: 'adjustment', amount: 40 })
    const [seen] = await world.settlements('?status=to_record')
    expect(seen).toMatchObject({ id, amount: 49.77, fee: 0.23 })
    const before = await balances()
    expect((await record(id, { amount: 49.77, fee: 0.23 })).body).toMatchObject({ entry: { status: 'booked' } })
    expect(await balances()).toEqual({ gateway: before.gateway - 5000, bank: before.bank + 4977 })
    await clear()
  })

  test.each([-2, 1])('an adjustment of ₹%d, with the gateway’s words', async (adjustment) => {
    await world.paid(10)
    const settlement = await world.settle({ adjustment, remarks: 'Rental of a device' })
    await world.nextMorning()
    const finding = { kind: 'adjustment', amount: adjustment, detail: expect.stringMatching(/^OTHER_ADJUSTMENT \d+ Rental of a device$/) }
    expect(await only()).toMatchObject({ ...finding, settlement, status: 'open' })
    await closeWithReason(finding)
    await clear()
  })

  test.each(['open', 'closed'])('a payment that we do not know, until we know it; meanwhile its finding was %s', async (meanwhile) => {
    const member = await makeMember(world.db)
    const { body } = await world.ask('POST /wallet/add', member, { amount: 10, phoneNumber: '9876543210' })
    await world.control(`/orders/${body.order_id}/pay`, { outcome: 'success', webhooks: 0 })
    // The money is taken, and nobody told us: the sweep would ask only later.
    await world.db.query(sql`update order_check set ask_at = null`)
    await world.settle()
    await world.nextMorning()
    expect(await only()).toMatchObject({ kind: 'unknown_payment', amount: 10 })
    if (meanwhile === 'closed') await closeWithReason({ kind: 'unknown_payment' })
    await world.ask(`GET /wallet/verify/${body.order_id}`, member)
    // By then a payment that no settlement has is missing.
    for (let days = 0; days < 10; days++) await world.nextMorning()
    expect(await world.findings()).toEqual([])
    const told = meanwhile === 'open' ? { status: 'ended', closedBy: null } : { status: 'closed' }
    expect((await world.findings('?status=past'))[0]).toMatchObject({ kind: 'unknown_payment', ...told })
    await clear()
  })

  test('another amount: the payer paid a surcharge', async () => {
    await world.control('/faults', { surcharge: 1 })
    await world.paid(10)
    await world.settle()
    await world.nextMorning()
    expect(await only()).toMatchObject({
      kind: 'other_amount',
      amount: 1,
      detail: expect.stringMatching(/ours 1000, theirs 1100 \(paise\)$/),
    })
    await clear()
  })

  test('another rate than agreed', async () => {
    const other = await openSettlementWorld({ GATEWAY_FEE_BASIS_POINTS: '160' })
    await other.paid(100)
    await other.settle()
    await other.nextMorning()
    const [found] = await other.findings()
    expect(found).toMatchObject({ kind: 'other_rate', amount: 0, detail: expect.stringMatching(/^charged 230, expected 189 \(paise\)/) })
    await other.close()
  })

  test('an entry that no settlement has after four bank days, until one has it', async () => {
    const orderId = await world.paid(10)
    const paid = await world.paid(20)
    await world.settle({ order_ids: [paid] })
    const day = world.today()
    const isOld = (today: IstDay): boolean => bankDaysBefore(today, 4) >= day
    while (!isOld(addDays(world.today(), 1))) await world.nextMorning()
    expect(await world.findings()).toEqual([])
    await world.nextMorning()
    const { paymentId } = await world.db.one<{ paymentId: string }>(
      sql`select payment_id as "paymentId" from topup where order_id = ${orderId}::text`,
    )
    expect(await only()).toMatchObject({ kind: 'missing', subject: `payment:${paymentId}`, amount: -10 })
    await world.settle()
    await world.nextMorning()
    expect(await world.findings()).toEqual([])
    await clear()
  })

  test('a settlement that failed alarms, and what it had comes again', async () => {
    await world.paid(10)
    const failed = await world.settle({ status: 'FAILED', reason: 'Account frozen' })
    await world.nextMorning()
    expect(await only()).toMatchObject({ kind: 'failed', settlement: failed, amount: 0, detail: 'FAILED' })
    expect(world.alarms).toMatchObject([{ finding: 'failed', subject: `settlement:${failed}` }])
    const again = await world.settle()
    await world.nextMorning()
    expect((await world.settlements('?status=to_record')).map(({ id }) => id)).toEqual([again])
    expect(world.alarms).toHaveLength(1)
    await clear()
  })

  test('a recorded settlement that goes back alarms; the same again is covered, and a larger one is recorded less it', async () => {
    const { first, before } = await returned()
    await world.nextMorning()
    expect(await only()).toMatchObject({ kind: 'came_back', amount: 10 })
    expect(world.alarms).toMatchObject([{ finding: 'came_back' }])
    expect((await world.settlements()).find(({ id }) => id === first)).toMatchObject({ state: 'came_back' })

    const second = await world.settle()
    await world.nextMorning()
    expect((await world.settlements()).find(({ id }) => id === second)).toMatchObject({ state: 'covered' })
    expect([await world.findings(), await world.settlements('?status=to_record'), await balances()]).toEqual([[], [], before])

    // It goes back once more, and comes with another payment.
    await goesBack(second)
    await world.paid(20)
    await world.nextMorning()
    expect((await world.findings()).map(({ kind }) => kind)).toEqual(['came_back'])
    const third = await world.settle()
    await world.nextMorning()
    const [seen] = await world.settlements('?status=to_record')
    expect(seen).toMatchObject({ id: third, paid: 29.31, amount: 19.54, fee: 0.46 })
    expect((await record(third, { amount: 19.54, fee: 0.46 })).body.entry).toMatchObject({ status: 'booked' })
    expect(await world.findings()).toEqual([])
    expect((await balances()).bank).toBe(before.bank + 1954)
    await world.nextMorning()
    expect([await world.findings(), await world.settlements('?status=to_record')]).toEqual([[], []])
  })

  test('one that goes back before smaller ones is taken off each of them, as far as it reaches', async () => {
    const { first, before } = await returned()
    // The payment comes again, with a deduction: less than what went back.
    const second = await world.settle({ adjustment: -6, remarks: 'Chargeback fees' })
    await world.nextMorning()
    const toRecord = async () => (await world.settlements('?status=to_record'))[0]
    expect(await toRecord()).toMatchObject({ id: second, paid: 3.77, kept: 0.23, amount: 0.01, fee: 0 })
    expect((await record(second, { amount: 0.01, fee: 0 })).body.entry).toMatchObject({ status: 'booked' })
    const cameBack = async () => (await world.findings()).filter(({ kind }) => kind === 'came_back')
    await world.nextMorning()
    expect(await cameBack()).toMatchObject([{ settlement: first, amount: 6.01 }])

    await world.paid(20)
    const third = await world.settle()
    await world.nextMorning()
    expect(await toRecord()).toMatchObject({ id: third, paid: 19.54, kept: 0.46, amount: 13.53, fee: 0.46 })
    expect((await record(third, { amount: 13.53, fee: 0.46 })).body.entry).toMatchObject({ status: 'booked' })
    expect(await cameBack()).toEqual([])
    // The first settlement is in the books, and the bank has the other two.
    expect((await balances()).bank).toBe(before.bank - 977 + 377 + 1954)

    // The smaller one goes back too, with what was taken off it.
    await goesBack(second)
    await world.nextMorning()
    expect(await cameBack()).toMatchObject([{ settlement: second, amount: 4 }])
    await world.paid(10)
    const fourth = await world.settle()
    await world.nextMorning()
    expect(await toRecord()).toMatchObject({ id: fourth, paid: 19.54, kept: 0.46, amount: 15.77, fee: 0.23 })
    await clear()
    expect(await cameBack()).toEqual([])
  })

  test('is closed with a reason; above the limit by two persons; and opens again if its amount changes', async () => {
    await world.paid(300)
    await world.settle({ adjustment: -101, remarks: 'Chargeback fees' })
    await world.nextMorning()
    const { id, seen } = await only()
    const close = (as: bigint, status = 'open', more: object = { seen }) =>
      world.ask(`POST /admin/findings/${id}/close`, as, { status, reason: 'Fee of July, by their mail', ...more })
    expect((await world.ask(`POST /admin/findings/${id}/close`, world.finance, { status: 'open', reason: ' ' })).body.code).toBe(
      'invalid_input',
    )
    // The amount changes between the look and the press.
    await world.db.query(sql`update money_finding set difference = difference - 5000 where id = ${id}::uuid`)
    expect((await close(world.finance)).body.code).toBe('changed_since_seen')
    await world.db.query(sql`update money_finding set difference = difference + 5000, detail = 'Other words' where id = ${id}::uuid`)
    expect((await close(world.finance)).body.code).toBe('changed_since_seen')
    const other = await only()
    expect((await close(world.finance, 'open', { seen: other.seen })).body.finding).toMatchObject({
      status: 'awaiting_second',
      reason: 'Fee of July, by their mail',
    })
    // A client of before names no `seen`.
    expect((await close(world.finance, 'awaiting_second', {})).body.code).toBe('second_person_needed')
    const second = () => close(world.owner, 'awaiting_second', { seen: other.seen })
    const both = await Promise.all([second(), second()])
    expect(both.map(({ body }) => body.code ?? body.finding.status).sort()).toEqual(['changed_since_seen', 'closed'])
    expect((await close(world.owner, 'closed', {})).body.code).toBe('finding_final')
    expect(
      (await world.ask('POST /admin/findings/00000000-0000-4000-8000-000000000000/close', world.owner, { status: 'open', reason: 'None' }))
        .body.code,
    ).toBe('finding_not_found')
    await world.nextMorning()
    expect(await world.findings()).toEqual([])
    await world.db.query(sql`update money_finding set difference = difference - 1 where id = ${id}::uuid`)
    await world.db.query(sql`
      insert into money_finding (kind, subject, settlement_id, difference) select 'sums', 'x', settlement_id, 5 from money_finding where id = ${id}::uuid`)
    await world.nextMorning()
    expect(await only()).toMatchObject({ kind: 'adjustment', amount: -101, status: 'open', reason: null })
    await clear()
  })

  test('are named on the list of work, and an unread morning is late', async () => {
    await world.paid(10)
    await world.settle({ adjustment: -2 })
    await world.nextMorning()
    const { todo } = (await world.ask('GET /admin/todo')).body
    expect(todo).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'settlements', count: 1 }),
        expect.objectContaining({ code: 'findings', count: 1 }),
      ]),
    )
    await clear()
    await world.control('/faults', { api: 'bank_failure' })
    await world.moveTo(startOfDayMs(world.today()) + 38 * 3_600_000)
    expect(await check()).toMatchObject({ isLate: true })
    await world.control('/faults', {})
    await world.nextMorning()
    expect(await check()).toMatchObject({ isLate: false })
  })

  test('of SUSPENSE a payment that no settlement has, but not money that came back for a closed account', async () => {
    const member = await makeMember(world.db)
    await world.paid(20, member)
    await world.settle()
    await world.nextMorning()
    await clear()
    const withdrawal = randomUUID()
    await inTransaction(world.db, async (tx) => {
      await holdWithdrawal(tx, { id: withdrawal, memberId: member, amount: wholeRupees(20), bankAccountId: 1n })
      await bookPayout(tx, { id: withdrawal, word: 'paid' })
      await closeWallet(tx, member)
      await tx.query(sql`update member set deleted_at = roz_now(), email = null, name = 'Closed account' where id = ${member}::bigint`)
      await bookPayout(tx, { id: withdrawal, word: 'reversed' })
      await suspend(tx, { orderId: 'strange', paymentId: 'strange-payment', orderAmount: wholeRupees(10) }, 'unknown_order')
    })
    const [returned] = await world.db.query(sql`select from suspense_item where payment_id = ${`wd_reversed:${withdrawal}`}::text`)
    expect(returned).toBeDefined()
    await world.nextMorning(9)
    expect(await only()).toMatchObject({ kind: 'missing', subject: 'payment:strange-payment', amount: -10 })
    await clear()
  })

  test('a debit whose number an order’s payment has too is unknown until it is booked, and then its own', async () => {
    const orderId = await world.paid(20)
    await world.settle()
    await world.nextMorning()
    await clear()
    const { paymentId } = await world.db.one<{ paymentId: string }>(
      sql`select payment_id as "paymentId" from topup where order_id = ${orderId}::text`,
    )
    const settled = 'of-a-debit'
    await world.db.query(sql`
      with seen as (
        insert into gateway_settlement_seen (settlement_id, state, status, amount, fee, own_fee, events_read_at, report, report_hash)
        values (${settled}::text, 'paid', 'SUCCESS', 3000, 0, 0, roz_now(), 'a debit', sha256('a debit')))
      insert into gateway_settlement_event (settlement_id, position, event_id, kind, word, is_credit, amount, settled, fee, order_id, payment_id)
      values (${settled}::text, 1, ${paymentId}::text, 'payment', 'PAYMENT', true, 3000, 3000, 0, 'an order of the gateway', ${paymentId}::text)`)
    const compared = () => inTransaction(world.db, (tx) => compareSettlement(tx, { gatewayFee: 0, alarm: () => undefined }, settled))
    await compared()
    expect(await only()).toMatchObject({ kind: 'unknown_payment', amount: 30 })
    const debit = { orderId: newOrderId(), paymentId: `sub_${paymentId}`, orderAmount: wholeRupees(30) }
    const memberId = await makeMember(world.db)
    await inTransaction(world.db, async (tx) => {
      await createTopup(tx, { orderId: debit.orderId, memberId, amount: debit.orderAmount })
      await captureTopup(tx, debit)
    })
    await compared()
    expect(await world.findings()).toEqual([])
    await clear()
  })

  test('of bank transfers from the time before the gateway none: their money is at our bank', async () => {
    const memberId = await makeMember(world.db)
    const orders = [newOrderId(), newOrderId()]
    for (const [index, orderId] of orders.entries()) {
      const id = randomUUID()
      const paid = { orderId, paymentId: gatewayIdOf(id), orderAmount: wholeRupees(10) }
      const reference = `41230000000${index + 1}`
      await world.db.query(sql`
        insert into bank_transfer (id, order_id, amount, day, bank_number, status, asked_by, decided_by, decided_at)
        values (${id}::uuid, ${orderId}::text, 1000, ist_day(roz_now()), ${reference}::text, 'confirmed', ${world.finance}::bigint,
          ${world.finance}::bigint, roz_now())`)
      await inTransaction(world.db, async (tx) => {
        if (index === 0) await createTopup(tx, { orderId, memberId, amount: wholeRupees(10) })
        const { result } = await captureTopup(tx, paid)
        expect(result).toBe(index === 0 ? 'credited' : 'suspense')
        await bookArrival(tx, { id, reference, amount: wholeRupees(10), evidence: [randomBytes(32)] })
      })
    }
    await world.nextMorning(9)
    expect(await world.findings()).toEqual([])
  })

  test('a refund that failed, was paid after all, and went back: each time that books and gateway differ, and no longer', async () => {
    const member = await makeMember(world.db)
    const orderId = await world.paid(30, member)
    const asked = await world.ask('POST /wallet/refunds', member, { order_id: orderId, amount: 10, reason: 'Paid too much' })
    const { id, seen } = asked.body.refund
    expect((await world.ask(`POST /admin/refunds/${id}/approve`, world.finance, { status: 'requested', seen })).status).toBe(200)
    await world.moveTo(world.now() + 60_000)
    const refundId = String(id).replaceAll('-', '')
    const plays = (status: string) => world.control(`/refunds/${refundId}`, { status, webhooks: 0, force: true })
    const tells = async (): Promise<void> => {
      await world.webhook('REFUND_STATUS_WEBHOOK', { refund: { order_id: orderId, refund_id: refundId } })
      await world.moveTo(world.now() + 60_000)
    }
    const booked = async () =>
      (await world.db.query<{ kind: string }>(sql`select kind from transfer where ref = ${id}::text order by transfer_id`)).map(
        ({ kind }) => kind,
      )
    for (const status of ['FAILED', 'SUCCESS']) {
      await plays(status)
      await tells()
    }
    expect(await booked()).toEqual(['refund_hold', 'refund_failed', 'refund_conflict'])
    await world.settle()
    await world.nextMorning()
    expect(await world.findings()).toEqual([])

    // The bank sends it back, and nobody tells us.
    await world.db.query(sql`update payout_check set ask_at = null where id = ${id}::uuid`)
    await plays('FAILED')
    await world.settle()
    await world.nextMorning()
    expect(await only()).toMatchObject({ kind: 'unknown_refund', amount: 10 })
    await tells()
    expect(await booked()).toEqual(['refund_hold', 'refund_failed', 'refund_conflict', 'refund_conflict_back'])
    await world.nextMorning()
    expect(await world.findings()).toEqual([])
    await clear()
  })

  test('a recorded settlement that went back is one again if the entry that would correct it is rejected', async () => {
    const { first } = await returned()
    await world.paid(150)
    const second = await world.settle()
    await world.nextMorning()
    expect((await world.findings()).map(({ kind }) => kind)).toEqual(['came_back'])
    const [seen] = (await world.settlements('?status=to_record')) as [{ id: string; paid: number; amount: number; fee: number }]
    expect(seen.id).toBe(second)
    expect(seen.amount).toBeCloseTo(seen.paid - 9.77, 2)
    const { entry } = (await record(second, { amount: seen.amount, fee: seen.fee })).body
    expect([entry.status, await world.findings()]).toEqual(['requested', []])
    const rejected = { status: 'requested', seen: entry.seen, reason: 'Asked too early' }
    expect((await world.ask(`POST /admin/house-entries/${entry.id}/reject`, world.owner, rejected)).status).toBe(200)
    await world.nextMorning()
    expect(await only()).toMatchObject({ kind: 'came_back', subject: `settlement:${first}`, amount: 10, status: 'open' })
    await clear()
    expect(await world.findings()).toEqual([])
  })
})

test('a gateway that asks for a pause gets it, and the reading goes on where it was', async () => {
  await world.paid(10)
  const id = await world.settle()
  await world.control('/faults', { rate: 1 })
  await world.nextMorning()
  expect((await world.settlements('?status=to_record')).map((one) => one['id'])).toEqual([id])
  await clear()
})

test('a pause that the gateway asks for between two pages of a settlement loses no entry and doubles none', async () => {
  const paged = await openSettlementWorld({}, undefined, undefined, 2)
  const payments: string[] = []
  for (let n = 0; n < 5; n++) payments.push(String(await paged.paid(10)))
  const id = await paged.settle()
  await paged.control('/faults', { rate: 1 })
  const count = async (): Promise<number> =>
    (await paged.db.one<{ n: number }>(sql`select count(*)::int as n from gateway_settlement_event where settlement_id = ${id}::text`)).n
  await paged.moveTo(startOfDayMs(addDays(paged.today(), 1)) + 6 * 3_600_000)
  const seen = new Set<number>()
  // The gateway takes one call a minute. We would make three: the second is refused, mostly between two pages.
  for (let minute = 0; minute < 15; minute++) {
    await paged.moveTo(paged.now() + 60_000)
    seen.add(await count())
  }
  expect([...seen].filter((entries) => entries > 0)).toEqual([2, 4, 5])
  const [read] = await paged.db.query<{ entries: number; different: number; last: number; isRead: boolean }>(sql`
    select count(*)::int as entries, count(distinct e.event_id)::int as different, max(e.position) as last, bool_and(s.events_read_at is not null) as "isRead"
      from gateway_settlement_event e join gateway_settlement_seen s using (settlement_id) where e.settlement_id = ${id}::text`)
  expect(read).toEqual({ entries: payments.length, different: payments.length, last: payments.length, isRead: true })
  await paged.close()
})

test('after three weeks of readings that failed, what was settled in each of them is read', async () => {
  await world.nextMorning()
  await world.paid(10)
  await world.control('/faults', { api: 'bank_failure' })
  const after = (days: number) => world.moveTo(startOfDayMs(addDays(world.today(), days)) + 6 * 3_600_000)
  await after(1)
  await after(2)
  const early = await world.settle()
  await after(18)
  await world.control('/faults', {})
  await world.nextMorning()
  expect((await world.settlements()).map(({ id }) => id)).toContain(early)
  await clear()
})

test('when all is recorded the gateway owes nothing but what is closed, and the audit holds', async () => {
  await world.settle().catch(() => undefined)
  await world.nextMorning()
  await clear()
  const { explained } = await world.db.one<{ explained: bigint }>(
    sql`select coalesce(sum(difference), 0)::bigint as explained from money_finding where closed_at is not null and ended_at is null`,
  )
  expect((await balances()).gateway + Number(explained)).toBe(0)
  expect(await runAudit(world.db)).toEqual([])
})
