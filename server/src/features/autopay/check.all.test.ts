/** How debits end: paid, failed, late, twice, and after somebody stopped them. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { cancelOpenCharge } from '../../ledger/autopay.ts'
import { reinstateMember, suspendMember } from '../../ledger/suspension.ts'
import { createTopup } from '../../ledger/topups.ts'
import { useAutopayWorld } from '../../testing/autopay-world.ts'
import { makeMember } from '../../testing/calls.ts'
import type { ModelCharge, ModelMandate } from '../../testing/model-mandates.ts'

const world = useAutopayWorld()
afterEach(() => world.forget())

type Raised = { memberId: bigint; mandate: ModelMandate; charge: ModelCharge; day: IstDay }
/** A member with an open debit, raised in the morning: ₹4 in the wallet. */
async function raised(): Promise<Raised> {
  const { memberId, mandate, charge } = await world.raised()
  return { memberId, mandate, charge, day: charge.day }
}
const statuses = async (memberId: bigint): Promise<string[]> => (await world.debits(memberId)).map(({ status }) => status)

describe('a failure', () => {
  test('delays the next debit by three days, then by seven; after the third it rests until the member tries again', async () => {
    const { memberId, mandate, charge, day } = await raised()
    world.end(charge, 'failed')
    await world.at(day, '10:30:00')
    expect(await statuses(memberId)).toEqual(['failed'])
    expect((await world.told(memberId)).at(-1)).toBe('autopay_failed')
    expect((await world.debits(memberId))[0]?.failureReason).toBe('DEBIT FAILED | Insufficient Funds')

    await world.at(addDays(day, 1), '07:00:00')
    const second = world.model.chargesOf(mandate)[1] as ModelCharge
    expect(second.day).toBe(addDays(day, 3))
    world.end(second, 'failed')
    await world.at(second.day, '10:30:00')
    for (const days of [1, 2, 3, 4]) await world.at(addDays(second.day, days), '07:00:00')
    expect(await statuses(memberId)).toEqual(['failed', 'failed'])

    // ₹1 a day: without money Auto Participate joins no more, and AutoPay goes on.
    await world.at(addDays(second.day, 5), '07:00:00')
    const third = world.model.chargesOf(mandate)[2] as ModelCharge
    expect(third.day).toBe(addDays(second.day, 7))
    world.end(third, 'failed')
    await world.at(third.day, '10:30:00')
    expect(await world.stateOf(memberId)).toBe('resting')
    expect((await world.told(memberId)).at(-1)).toBe('autopay_resting')
    await world.at(addDays(third.day, 9), '07:00:00')
    expect(await statuses(memberId)).toEqual(['failed', 'failed', 'failed'])

    expect((await world.call('POST /autopay/retry', memberId)).body).toMatchObject({ autopay: { mandate: { state: 'on' } } })
    await world.runDue()
    expect(await statuses(memberId)).toEqual(['failed', 'failed', 'failed', 'open'])
    expect(await world.topups(memberId)).toEqual(['captured', 'failed', 'failed', 'failed', 'pending'])
  })

  test('that turns into a payment is booked, clears the count, and cancels the debit that followed', async () => {
    const { memberId, mandate, charge, day } = await raised()
    world.end(charge, 'failed')
    await world.at(day, '10:30:00')
    await world.at(addDays(day, 1), '07:00:00')
    const second = world.model.chargesOf(mandate)[1] as ModelCharge
    world.end(charge, 'paid')
    await world.hearOf(mandate)
    await world.later()
    expect(await statuses(memberId)).toEqual(['paid', 'cancelled'])
    expect(second.state).toBe('cancelled')
    expect(await world.balanceOf(memberId)).toBeGreaterThanOrEqual(30)
    const [row] = await world.db.query(
      sql`select failures, not_before >= ist_day(roz_now()) + 26 as "isFar" from autopay_mandate where member_id = ${memberId}::bigint`,
    )
    expect(row).toEqual({ failures: 0, isFar: true })
  })

  test('that the gateway takes back and reports again counts once', async () => {
    const { memberId, mandate, charge, day } = await raised()
    world.end(charge, 'failed')
    await world.at(day, '10:30:00')
    for (const [state, status] of [
      ['pending', 'open'],
      ['failed', 'failed'],
    ] as const) {
      world.end(charge, state)
      await world.hearOf(mandate)
      expect(await statuses(memberId)).toEqual([status])
    }
    const [row] = await world.db.query(
      sql`select failures, not_before::text as "notBefore" from autopay_mandate where member_id = ${memberId}::bigint`,
    )
    expect(row).toEqual({ failures: 1, notBefore: addDays(day, 3) })
  })

  test('reported after a payment changes nothing, and an operator hears of it', async () => {
    const { memberId, mandate, charge, day } = await raised()
    world.end(charge, 'paid')
    await world.at(day, '10:30:00')
    const before = await world.balanceOf(memberId)
    world.end(charge, 'failed')
    await world.hearOf(mandate)
    expect([await statuses(memberId), await world.balanceOf(memberId)]).toEqual([['paid'], before])
    expect(world.alarms).toContain('the gateway contradicts us about a debit that was paid')
  })
})

describe('a word that we do not know', () => {
  const CONTRADICTS = 'the gateway contradicts us about a debit that was paid'
  test('about a debit that was paid changes nothing, and an operator hears of it', async () => {
    const { memberId, mandate, charge, day } = await raised()
    world.end(charge, 'paid')
    await world.at(day, '10:30:00')
    const before = await world.balanceOf(memberId)
    world.alarms.length = 0
    Object.assign(charge, { state: 'pending', word: 'REVERSED_BY_BANK' })
    await world.hearOf(mandate)
    expect([await statuses(memberId), await world.balanceOf(memberId)]).toEqual([['paid'], before])
    expect(world.alarms).toContain(CONTRADICTS)
  })

  test('about the first debit, which was paid, is told too', async () => {
    const { memberId, mandate } = await world.setUp()
    world.alarms.length = 0
    Object.assign(mandate.charges[0] ?? {}, { state: 'pending', word: 'REVERSED_BY_BANK' })
    await world.hearOf(mandate)
    expect(await world.topups(memberId)).toEqual(['captured'])
    expect(world.alarms).toContain(CONTRADICTS)
  })

  test('about the mandate does not delay the questions about its debit', async () => {
    const { memberId, mandate, charge, day } = await raised()
    Object.assign(mandate, { status: 'UNKNOWN', word: 'ON_HOLD' })
    await world.hearOf(mandate)
    await world.at(addDays(day, -1), '09:00:00')
    await world.at(day, '09:00:00')
    world.end(charge, 'paid')
    await world.at(day, '10:30:00')
    expect(await statuses(memberId)).toEqual(['paid'])
  })
})

test('a debit without an end stays open: it is asked about for five days, then an operator hears of it, and no second one is raised', async () => {
  const { memberId, mandate, charge, day } = await raised()
  charge.state = 'pending'
  for (const days of [0, 1, 2, 3, 4, 5]) await world.at(addDays(day, days), '12:00:00')
  expect(world.alarms).not.toContain('a debit has no end five days after its day')
  await world.at(addDays(day, 6), '00:30:00')
  expect(world.alarms).toContain('a debit has no end five days after its day')
  expect(await statuses(memberId)).toEqual(['open'])
  world.end(charge, 'paid')
  await world.at(addDays(day, 7), '01:00:00')
  expect(await statuses(memberId)).toEqual(['paid'])
  expect(world.model.chargesOf(mandate)).toHaveLength(1)
})

test('a debit that the gateway takes twice is credited once; the other payment waits for a person', async () => {
  const { memberId, mandate, charge, day } = await raised()
  world.end(charge, 'paid')
  world.model.debitAgain(mandate, charge)
  await world.at(day, '10:30:00')
  await world.hearOf(mandate)
  expect(await world.topups(memberId)).toEqual(['captured', 'captured'])
  expect(await world.suspended(memberId)).toEqual([{ reason: 'second_payment', amount: 3000n }])
})

test('a debit that nobody here raised goes to SUSPENSE, and an operator hears of it', async () => {
  const { memberId, mandate, charge } = await raised()
  const strange = { ...charge, chargeId: 'b'.repeat(32), cfPaymentId: '77', state: 'paid' as const }
  mandate.charges.push(strange)
  await world.hearOf(mandate)
  const items = await world.db.query(sql`select reason, amount from suspense_item where order_id = ${strange.chargeId}::text`)
  expect(items).toEqual([{ reason: 'unknown_order', amount: 3000n }])
  expect(world.alarms).toContain('the gateway has a paid debit that we never raised: it is in SUSPENSE')
  expect(await statuses(memberId)).toEqual(['open'])
})

test('a debit that we never raised credits nobody, also where its id is the open order of another member', async () => {
  const { mandate } = await raised()
  const other = await makeMember(world.db)
  const orderId = crypto.randomUUID().replaceAll('-', '')
  await inTransaction(world.db, (tx) => createTopup(tx, { orderId, memberId: other, amount: paise(3000n) }))
  mandate.charges.push({ ...world.only(mandate), chargeId: orderId, cfPaymentId: 'strange-2', state: 'paid' })
  await world.hearOf(mandate)
  expect([await world.balanceOf(other), await world.topups(other)]).toEqual([0, ['created']])
  expect(await world.suspended(other)).toEqual([{ reason: 'unknown_order', amount: 3000n }])
})

test('a debit of another amount is not credited', async () => {
  const { memberId, charge, day } = await raised()
  charge.amount = 2900n as typeof charge.amount
  world.end(charge, 'paid')
  await world.at(day, '10:30:00')
  expect([await statuses(memberId), await world.topups(memberId)]).toEqual([['paid'], ['captured', 'failed']])
  expect(await world.suspended(memberId)).toEqual([{ reason: 'other_amount', amount: 2900n }])
})

describe('money added by hand', () => {
  const enough = (memberId: bigint): Promise<void> => inTransaction(world.db, (tx) => cancelOpenCharge(tx, memberId))

  test('cancels a debit that the bank has not begun', async () => {
    const { memberId, charge } = await raised()
    await world.addMoney(memberId, 10)
    await enough(memberId)
    await world.later()
    expect([charge.state, await statuses(memberId)]).toEqual(['cancelled', ['cancelled']])
    const [row] = await world.db.query(sql`select failures from autopay_mandate where member_id = ${memberId}::bigint`)
    expect(row).toEqual({ failures: 0 })
  })

  test('on the day of a debit that the bank has begun changes nothing: it is booked', async () => {
    const { memberId, charge, day } = await raised()
    await world.at(day, '09:00:00')
    charge.state = 'pending'
    await enough(memberId)
    await world.later()
    world.end(charge, 'paid')
    await world.at(day, '10:31:00')
    expect(await statuses(memberId)).toEqual(['paid'])
  })
})

describe('stop', () => {
  test('stops at once here, cancels debit and mandate at the gateway, and ends once the gateway says so', async () => {
    const { memberId, mandate, charge } = await raised()
    expect((await world.call('POST /autopay/stop', memberId)).body).toMatchObject({
      autopay: { mandate: { state: 'stopping', next: null } },
    })
    await world.later()
    expect([charge.state, mandate.status, await world.stateOf(memberId)]).toEqual(['cancelled', 'CANCELLED', 'stopped'])
    expect(await statuses(memberId)).toEqual(['cancelled'])
    expect((await world.told(memberId)).at(-1)).toBe('autopay_stopped')
    expect((await world.call('POST /autopay/stop', memberId)).status).toBe(200)
  })

  test('is asked for again until the gateway does it', async () => {
    const { memberId, mandate } = await raised()
    world.model.faults.cancelIgnored = true
    await world.call('POST /autopay/stop', memberId)
    await world.later()
    expect(await world.stateOf(memberId)).toBe('stopping')
    world.model.faults.cancelIgnored = false
    await world.later(3700)
    expect([await world.stateOf(memberId), mandate.status]).toEqual(['stopped', 'CANCELLED'])
  })

  test('before a payment that the bank has begun: the payment is booked', async () => {
    const { memberId, mandate, charge, day } = await raised()
    await world.at(day, '09:00:00')
    charge.state = 'pending'
    await world.call('POST /autopay/stop', memberId)
    await world.later()
    expect(await world.stateOf(memberId)).toBe('stopped')
    world.end(charge, 'paid')
    await world.hearOf(mandate)
    expect([await statuses(memberId), await world.topups(memberId)]).toEqual([['paid'], ['captured', 'captured']])
  })

  test('at the moment of a raise: either no debit is raised, or it is cancelled', async () => {
    const { memberId, mandate } = await world.low()
    world.model.meanwhile.raiseCharge = async () => void (await world.call('POST /autopay/stop', memberId))
    await world.nextMorning()
    await world.later()
    await world.later()
    expect(await world.stateOf(memberId)).toBe('stopped')
    expect(world.model.chargesOf(mandate).map(({ state }) => state)).toEqual(['cancelled'])
  })
})

describe('pause', () => {
  test('by the member cancels the open debit; the mandate stays, and resumes', async () => {
    const { memberId, mandate, charge } = await raised()
    expect((await world.call('POST /autopay/pause', memberId)).body).toMatchObject({ autopay: { mandate: { state: 'paused' } } })
    await world.later()
    expect([charge.state, mandate.status]).toEqual(['cancelled', 'ACTIVE'])
    await world.nextMorning()
    expect(await statuses(memberId)).toEqual(['cancelled'])
    expect((await world.call('POST /autopay/resume', memberId)).body).toMatchObject({ autopay: { mandate: { state: 'on' } } })
    await world.runDue()
    expect(await statuses(memberId)).toEqual(['cancelled', 'open'])
  })

  test('in the UPI app is told once, raises nothing, and ends to the member’s own pause', async () => {
    const { memberId, mandate, charge } = await raised()
    world.model.move(mandate, 'CUSTOMER_PAUSED')
    await world.hearOf(mandate)
    await world.hearOf(mandate)
    expect(await world.stateOf(memberId)).toBe('payer_paused')
    expect((await world.told(memberId)).filter((kind) => kind === 'autopay_payer_paused')).toHaveLength(1)
    // An open debit is only asked about.
    expect(charge.state).toBe('initialized')
    await world.call('POST /autopay/pause', memberId)
    world.model.move(mandate, 'ACTIVE')
    await world.hearOf(mandate)
    expect(await world.stateOf(memberId)).toBe('paused')
  })
})

test('a third failure during a pause in the UPI app is told once the payer resumes it', async () => {
  const { memberId, mandate, charge, day } = await raised()
  await world.db.query(sql`update autopay_mandate set failures = 2 where member_id = ${memberId}::bigint`)
  world.model.move(mandate, 'CUSTOMER_PAUSED')
  await world.hearOf(mandate)
  world.end(charge, 'failed')
  await world.at(day, '10:30:00')
  expect([await world.stateOf(memberId), await statuses(memberId)]).toEqual(['payer_paused', ['failed']])
  const resting = async (): Promise<number> => (await world.told(memberId)).filter((kind) => kind === 'autopay_resting').length
  expect(await resting()).toBe(0)
  for (const status of ['ACTIVE', 'CUSTOMER_PAUSED', 'ACTIVE'] as const) {
    world.model.move(mandate, status)
    await world.hearOf(mandate)
  }
  expect([await world.stateOf(memberId), await resting()]).toEqual(['resting', 1])
})

test('stopped in the UPI app: nothing more is raised, and another one can be set up', async () => {
  const { memberId, mandate, charge, day } = await raised()
  world.model.move(mandate, 'CUSTOMER_CANCELLED')
  await world.hearOf(mandate)
  expect([await world.stateOf(memberId), charge.state]).toEqual(['payer_stopped', 'initialized'])
  world.end(charge, 'failed')
  await world.at(day, '10:30:00')
  expect(await statuses(memberId)).toEqual(['failed'])
  expect((await world.told(memberId)).slice(-1)).toEqual(['autopay_payer_stopped'])
  const [wallet] = await world.db.query(sql`select auto_join as "autoJoin" from wallet where member_id = ${memberId}::bigint`)
  expect(wallet).toEqual({ autoJoin: true })
  expect((await world.call('POST /autopay', memberId, { phoneNumber: '9876543210', consent: true })).status).toBe(200)
})

test('a suspension cancels the open debit, and raises none; the mandate stays', async () => {
  const { memberId, mandate, charge } = await raised()
  await inTransaction(world.db, (tx) => suspendMember(tx, memberId))
  await world.later()
  expect([charge.state, mandate.status]).toEqual(['cancelled', 'ACTIVE'])
  await world.nextMorning()
  expect(await statuses(memberId)).toEqual(['cancelled'])
  await inTransaction(world.db, (tx) => reinstateMember(tx, memberId))
  await world.nextMorning()
  expect(await statuses(memberId)).toEqual(['cancelled', 'open'])
})

test('a payment after a suspension is booked', async () => {
  const { memberId, charge, day } = await raised()
  charge.state = 'pending'
  await inTransaction(world.db, (tx) => suspendMember(tx, memberId))
  world.end(charge, 'paid')
  await world.at(day, '10:30:00')
  expect([await statuses(memberId), await world.topups(memberId)]).toEqual([['paid'], ['captured', 'captured']])
})

test('thirty days before its end the member is told, once, and then it ends', async () => {
  const { memberId, mandate } = await world.setUp()
  const [row] = await world.db.query<{ day: IstDay }>(
    sql`update autopay_mandate set expires_at = roz_now() + interval '31 days' where member_id = ${memberId}::bigint returning ist_day(expires_at)::text as day`,
  )
  await world.hearOf(mandate)
  expect(await world.told(memberId)).not.toContain('autopay_expiring')
  await world.at(addDays(world.today(), 2), '12:00:00')
  await world.at(addDays(world.today(), 20), '12:00:00')
  expect((await world.told(memberId)).filter((kind) => kind === 'autopay_expiring')).toHaveLength(1)
  world.model.move(mandate, 'COMPLETED')
  await world.at(addDays(row?.day as IstDay, 2), '12:00:00')
  expect(await world.stateOf(memberId)).toBe('ended')
})

test('thirty days before its end a member who has paused it is told too', async () => {
  const { memberId, mandate } = await world.setUp()
  await world.call('POST /autopay/pause', memberId)
  await world.db.query(sql`update autopay_mandate set expires_at = roz_now() + interval '29 days' where member_id = ${memberId}::bigint`)
  await world.hearOf(mandate)
  expect([await world.stateOf(memberId), (await world.told(memberId)).at(-1)]).toEqual(['paused', 'autopay_expiring'])
})
