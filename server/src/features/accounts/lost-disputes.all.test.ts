/** Disputes and refunds that only a settlement tells us of: their webhooks were lost, or they were made by hand at the gateway. */
import { randomUUID } from 'node:crypto'
import { addDays } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { beforeEach, expect, test } from 'vitest'
import { type Dispute, GatewayRefusedError } from '../../adapters/payments/port.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createAttempt } from '../../jobs/parking.ts'
import { runAudit } from '../../ledger/audit.ts'
import { readBalances } from '../../ledger/balances.ts'
import { rejectRefund } from '../../ledger/refunds.ts'
import { refundSuspense } from '../../ledger/suspense.ts'
import { makeMember } from '../../testing/calls.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useSettlementWorld } from '../../testing/settlement-world.ts'
import { findDispute, settleDispute } from '../disputes/settle-dispute.ts'
import { compareSettlement } from './judge.ts'
import { lookForMissing } from './missing.ts'
import { settleMorning } from './testing/morning.ts'

const world = useSettlementWorld()
beforeEach(async () => {
  await world.control('/faults', { lose: true })
  await forgetAlone(world.database)
})

const payer = async (): Promise<{ member: bigint; orderId: string }> => {
  const member = await makeMember(world.db)
  return { member, orderId: await world.paid(30, member) }
}
/** Raises a dispute that nobody tells us of. */
const raise = async (orderId: string, stage: string, amount?: number): Promise<string> =>
  String((await world.control(`/orders/${orderId}/dispute`, { stage, ...(amount === undefined ? {} : { amount }) }))['dispute_id'])
/** A dispute that the bank decided against us. */
const lose = async (orderId: string, amount?: number): Promise<string> => {
  const id = await raise(orderId, 'CHARGEBACK', amount)
  await move(id, 'MERCHANT_LOST')
  return id
}
const win = (disputeId: string) => world.control(`/disputes/${disputeId}`, { step: 'MERCHANT_WON', force: true })
/** Settles what is open, beside a payment that covers what was taken. */
const settleMuch = async (): Promise<string> => {
  await world.paid(100)
  return world.settle()
}
const compare = (settlement: string) =>
  inTransaction(world.db, (tx) => compareSettlement(tx, { gatewayFee: 0, alarm: () => undefined }, settlement))
const move = (disputeId: string, step: string) => world.control(`/disputes/${disputeId}`, { step })
const balanceOf = async (member: bigint): Promise<bigint> =>
  (await world.db.one<{ balance: bigint }>(sql`select balance from wallet where member_id = ${member}::bigint`)).balance
const booked = (disputeId: string) =>
  world.db.query(
    sql`select kind, sum(amount)::int as amount from transfer where subject_of(ref) = ${disputeId}::text group by kind order by kind`,
  )
const gatewayOwes = async (): Promise<number> => Number(-(await readBalances(world.db)).GATEWAY)
const kinds = async (query = ''): Promise<unknown[]> =>
  (await world.findings(query)).map(({ kind, status }) => `${String(kind)} ${String(status)}`)

test.each(['DISPUTE', 'CHARGEBACK', 'RETRIEVAL'])(
  'a lost %s whose webhooks were lost is found by its settlement, and booked once; so is what the gateway gives back',
  async (stage) => {
    const { member, orderId } = await payer()
    await world.settle()
    const id = await raise(orderId, stage)
    await move(id, 'MERCHANT_LOST')
    await world.paid(100)
    await world.settle()
    await world.nextMorning()
    expect(await booked(id)).toEqual([{ kind: 'chargeback', amount: 3000 }])
    expect(await balanceOf(member)).toBe(0n)
    // The finding was open for as long as nobody here knew the dispute.
    expect([await kinds(), (await kinds('?status=past'))[0]]).toEqual([[], 'unknown_dispute ended'])
    await settleMorning(world)
    expect(await gatewayOwes()).toBe(0)

    await win(id)
    await world.paid(100)
    await world.settle()
    await world.nextMorning()
    expect(await booked(id)).toEqual([
      { kind: 'chargeback', amount: 3000 },
      { kind: 'chargeback_back', amount: 3000 },
    ])
    expect(await balanceOf(member)).toBe(3000n)
    await settleMorning(world)
    expect([await kinds(), await gatewayOwes()]).toEqual([[], 0])
  },
)

test('the late webhook and the reading, at once, book the dispute once', async () => {
  const { member, orderId } = await payer()
  const id = await raise(orderId, 'DISPUTE')
  await move(id, 'MERCHANT_LOST')
  await world.paid(100)
  await world.settle()
  const late = () =>
    world.webhook('DISPUTE_CLOSED', { dispute: { dispute_id: id }, order_details: { order_id: orderId, cf_payment_id: 1 } })
  const [, ...answers] = await Promise.all([world.nextMorning(), late(), late(), late()])
  expect(answers).toEqual([200, 200, 200])
  await world.readAll()
  expect(await booked(id)).toEqual([{ kind: 'chargeback', amount: 3000 }])
  expect([await kinds(), await balanceOf(member)]).toEqual([[], 0n])
  await settleMorning(world)
  expect(await gatewayOwes()).toBe(0)
})

test('a gateway that does not say which dispute it was is asked again the next morning, until it does', async () => {
  const { orderId } = await payer()
  const id = await raise(orderId, 'CHARGEBACK')
  await move(id, 'MERCHANT_ACCEPTED')
  await world.paid(100)
  const settlement = await world.settle()
  // As if the morning's question had found nothing.
  await world.db.query(sql`
    insert into job (kind, key, payload, due_at, done_at)
    values ('find_dispute', ${`${settlement}:${id}:${addDays(world.today(), 1)}`}::text, '{}', roz_now(), roz_now())`)
  await world.nextMorning()
  expect([await kinds(), await booked(id)]).toEqual([['unknown_dispute open'], []])
  await world.nextMorning()
  expect([await kinds(), await booked(id)]).toEqual([[], [{ kind: 'chargeback', amount: 3000 }]])
  await settleMorning(world)
})

test('a second dispute of a payment, as large as one that was settled and won, is found too', async () => {
  const { member, orderId } = await payer()
  const first = await lose(orderId)
  await settleMuch()
  await world.nextMorning()
  await win(first)
  await settleMuch()
  await world.nextMorning()
  await settleMorning(world)
  const second = await lose(orderId)
  await settleMuch()
  await world.nextMorning()
  expect([await booked(second), await kinds(), await balanceOf(member)]).toEqual([[{ kind: 'chargeback', amount: 3000 }], [], 0n])
  await settleMorning(world)
  expect(await gatewayOwes()).toBe(0)
})

test('a dispute that takes the money again after it was returned is matched turn by turn', async () => {
  const { member, orderId } = await payer()
  const id = await lose(orderId)
  const nextMorning = async (): Promise<void> => {
    await settleMuch()
    await world.nextMorning()
    await settleMorning(world)
  }
  await nextMorning()
  await win(id)
  await nextMorning()
  await world.control(`/disputes/${id}`, { step: 'CREATED', stage: 'PRE_ARBITRATION' })
  await move(id, 'MERCHANT_LOST')
  await nextMorning()
  expect([await kinds(), await balanceOf(member), await gatewayOwes()]).toEqual([[], 0n, 0])
  expect(await booked(id)).toEqual([
    { kind: 'chargeback', amount: 6000 },
    { kind: 'chargeback_back', amount: 3000 },
  ])
})

test('two equal disputes of a payment, whose events have other ids, are one of each event', async () => {
  const { orderId } = await payer()
  const ids = [await lose(orderId, 10), await lose(orderId, 10)]
  const settlement = await settleMuch()
  await world.nextMorning()
  const ofDisputes = sql`settlement_id = ${settlement}::text and kind = 'dispute'`
  await world.db.query(
    sql`update gateway_settlement_event set event_id = 'event-' || event_id, subject = null, ours = null where ${ofDisputes}`,
  )
  await Promise.all([compare(settlement), compare(settlement)])
  const matched = await world.db.query<{ subject: string }>(
    sql`select subject from gateway_settlement_event where ${ofDisputes} order by subject`,
  )
  expect(matched.map(({ subject }) => subject)).toEqual(ids.map((id) => `dispute:${id}`).toSorted())
  expect(await kinds()).toEqual([])
  await settleMorning(world)
})

test('a dispute that was taken and won before anybody asked about it is nothing, once both events are there', async () => {
  const { member, orderId } = await payer()
  const id = await lose(orderId)
  await settleMuch()
  await win(id)
  await world.nextMorning()
  expect([await kinds(), await booked(id)]).toEqual([['unknown_dispute open'], []])
  await settleMuch()
  await world.nextMorning()
  expect([await kinds(), await booked(id), await balanceOf(member)]).toEqual([[], [], 3000n])
  await settleMorning(world)
  expect(await gatewayOwes()).toBe(0)
})

/** A dispute that our books have as a loss, until a failed refund gave its payment back to SUSPENSE and a decision covered the loss from there. */
async function loseCovered(): Promise<string> {
  const { orderId } = await payer()
  await world.control(`/orders/${orderId}/pay`, { outcome: 'success', again: true, webhooks: 0 })
  expect(await world.webhook('PAYMENT_SUCCESS_WEBHOOK', { order: { order_id: orderId } })).toBe(200)
  await world.moveTo(world.now() + 60_000)
  const { itemId } = await world.db.one<{ itemId: bigint }>(
    sql`select id as "itemId" from suspense_item where order_id = ${orderId}::text and reason = 'second_payment'`,
  )
  const refund = (refundId: string) =>
    inTransaction(world.db, (tx) =>
      refundSuspense(tx, { itemId, refundId, reason: 'Paid twice', approver: { by: world.finance, limit: paise(0n) } }),
    )
  const refundId = randomUUID()
  expect(await refund(refundId)).toMatchObject({ ok: true, value: { approval: 'first' } })
  const id = await lose(orderId)
  await settleMuch()
  await world.nextMorning()
  expect(await inTransaction(world.db, (tx) => rejectRefund(tx, { id: refundId, reason: 'Disputed' }))).toMatchObject({ ok: true })
  expect(await refund(randomUUID())).toEqual({ ok: false, code: 'suspense_decided' })
  // The loss, its cover, and the same amount out of SUSPENSE.
  expect(await booked(id)).toEqual([
    { kind: 'chargeback', amount: 6000 },
    { kind: 'chargeback_back', amount: 3000 },
  ])
  await settleMorning(world)
  expect([await kinds(), await gatewayOwes()]).toEqual([[], 0])
  return id
}

test('a dispute whose loss was covered from SUSPENSE is found when it is won, though nobody tells us', async () => {
  const id = await loseCovered()
  // As after 60 days: nobody asks about it any more.
  await world.db.query(sql`update dispute_check set ask_at = null where dispute_id = ${id}::text`)
  await win(id)
  await settleMuch()
  await world.nextMorning()
  expect((await booked(id)).at(-1)).toEqual({ kind: 'chargeback_back', amount: 6000 })
  await settleMorning(world)
  expect([await kinds(), await gatewayOwes()]).toEqual([[], 0])
})

test('a dispute whose loss was covered from SUSPENSE, and which the gateway takes twice, is a finding', async () => {
  const id = await loseCovered()
  const settlement = await settleMuch()
  await world.nextMorning()
  await world.db.query(sql`
    insert into gateway_settlement_event (settlement_id, position, event_id, kind, word, is_credit, amount, settled, fee, order_id, payment_id)
    select ${settlement}::text, 1000, event_id, kind, word, is_credit, amount, settled, fee, order_id, payment_id
      from gateway_settlement_event where event_id = ${id}::text and kind = 'dispute'`)
  await compare(settlement)
  expect((await kinds()).toSorted()).toEqual(['sums open', 'twice open'])
  await world.db.query(sql`delete from gateway_settlement_event where settlement_id = ${settlement}::text and position = 1000`)
  await compare(settlement)
  expect(await kinds()).toEqual([])
  await settleMorning(world)
})

const disputeDeps = (gateway: Partial<Parameters<typeof settleDispute>[0]['gateway']>) => {
  const warned: string[] = []
  const log = { warn: () => undefined, error: () => undefined }
  const deps = {
    db: world.db,
    gateway: { fetchDispute: async () => undefined, listDisputes: async () => [], ...gateway },
    attempt: createAttempt({ db: world.db, log }),
    warn: (_: object, message: string) => void warned.push(message),
    alarm: () => undefined,
  }
  return { deps, warned }
}

test('a dispute that is booked while the books are compared waits for nothing, and is compared again', async () => {
  const { orderId } = await payer()
  const { orderId: other } = await payer()
  const id = await lose(orderId)
  const first = await settleMuch()
  await world.refundByHand(other, 'by0hand0while0it0looks00')
  const last = await settleMuch()
  // As if this morning's question had found nothing.
  await world.db.query(sql`
    insert into job (kind, key, payload, due_at, done_at)
    values ('find_dispute', ${`${first}:${id}:${addDays(world.today(), 1)}`}::text, '{}', roz_now(), roz_now())`)
  await world.nextMorning()
  expect((await kinds()).toSorted()).toEqual(['unknown_dispute open', 'unknown_refund open'])

  const { paymentId } = await world.db.one<{ paymentId: string }>(
    sql`select payment_id as "paymentId" from topup where order_id = ${orderId}::text`,
  )
  const told: Dispute = {
    disputeId: id,
    orderId,
    paymentId,
    amount: paise(3000n),
    currency: 'INR',
    type: 'CHARGEBACK',
    status: 'CHARGEBACK_MERCHANT_LOST',
    state: 'lost',
    isTaken: true,
    respondByMs: undefined,
    toldAtMs: undefined,
  }
  // The look is past the first settlement, and waits at the last one.
  let look: Promise<void> | undefined
  await inTransaction(world.db, async (tx) => {
    await tx.query(sql`select from gateway_settlement_seen where settlement_id = ${last}::text for update`)
    look = lookForMissing(world.db, { gatewayFee: 0, alarm: () => undefined })
    await expect
      .poll(
        async () =>
          (await world.db.query(sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)).length,
      )
      .toBe(1)
    expect(await settleDispute(disputeDeps({ fetchDispute: async () => told }).deps, id)).toBe(true)
    expect(await world.webhook('SETTLEMENT_SUCCESS')).toBe(200)
  })
  await look
  expect(await booked(id)).toEqual([{ kind: 'chargeback', amount: 3000 }])
  await world.readAll()
  expect(await kinds()).toEqual(['unknown_refund open'])
  await settleMorning(world)
})

test('a gateway that refuses to list the disputes of a payment is asked again the next morning', async () => {
  const listDisputes = async (): Promise<never> => {
    throw new GatewayRefusedError('refused', 400, 'payment_id_invalid')
  }
  const { deps, warned } = disputeDeps({ listDisputes })
  expect(await findDispute(deps, { eventId: '1', paymentId: '2' })).toBe(true)
  expect(warned).toEqual(['the gateway refused to list the disputes of a payment; the next morning asks again'])
})

test('a refund that somebody made in the gateway’s dashboard is a finding with its number', async () => {
  const { orderId } = await payer()
  await world.refundByHand(orderId, 'by0hand0in0the0dashboard')
  await world.paid(100)
  await world.settle()
  await world.nextMorning()
  expect(await world.findings()).toMatchObject([{ kind: 'unknown_refund', amount: -10, status: 'open' }])
})

test('the audit holds', async () => {
  expect(await runAudit(world.db)).toEqual([])
})
