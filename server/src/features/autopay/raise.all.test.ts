import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise, wholeRupees } from '@roz/core/money.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { type Sql, sql } from '../../db/sql.ts'
import { readDebt } from '../../ledger/debts.ts'
import { chargeBack } from '../../ledger/testing/fixtures.ts'
import { useAutopayWorld } from '../../testing/autopay-world.ts'
import type { Work } from '../../jobs/parking.ts'
import { settleMandate } from './check.ts'
import type { AutopayDeps } from './deps.ts'
import { raiseDue, sendCharge } from './raise.ts'

const world = useAutopayWorld()
afterEach(() => world.forget())

test('a low wallet is topped up: raised two days ahead, announced, paid, booked once, and not again for 27 days', async () => {
  const { memberId, mandate } = await world.low()
  await world.nextMorning()
  const day = addDays(world.today(), 2)
  expect(await world.balanceOf(memberId)).toBe(4)
  expect(await world.debits(memberId)).toMatchObject([{ day, status: 'open' }])
  const charge = world.only(mandate)
  expect([charge.amount, charge.day, charge.state]).toEqual([3000n, day, 'initialized'])
  expect((await world.own(memberId)).mandate.next).toEqual({ day, amount: 30 })
  expect(await world.told(memberId)).toEqual(['autopay_added', 'autopay_on', 'autopay_raised'])

  await world.at(addDays(day, -1), '09:00:00')
  await world.at(day, '09:00:00')
  expect(world.model.chargesOf(mandate)).toHaveLength(1)
  world.end(charge, 'paid')
  await world.at(day, '10:30:00')
  expect(await world.balanceOf(memberId)).toBe(32)
  expect(await world.topups(memberId)).toEqual(['captured', 'captured'])
  await world.at(day, '17:30:00')
  expect(await world.balanceOf(memberId)).toBe(32)
  expect(await world.told(memberId)).toEqual(['autopay_added', 'autopay_on', 'autopay_raised', 'autopay_added'])

  await world.leave(memberId, 5)
  await world.at(addDays(day, 1), '07:00:00')
  expect(await world.debits(memberId)).toHaveLength(1)
  const { transactions } = (await world.call('GET /wallet/transactions', memberId)).body
  expect(transactions.filter((one: { description: string }) => one.description === 'Added by AutoPay')).toHaveLength(2)
})

test('a debit that comes after a midnight with an empty wallet joins that day’s round', async () => {
  const { memberId, charge } = await world.raised()
  await world.at(addDays(charge.day, -1), '09:00:00')
  await world.leave(memberId, 0)
  await world.at(charge.day, '09:00:00')
  expect(await world.balanceOf(memberId)).toBe(0)
  world.end(charge, 'paid')
  await world.at(charge.day, '10:30:00')
  expect(await world.balanceOf(memberId)).toBe(29)
})

const tomorrow = (): Promise<void> => world.nextMorning()

describe('nothing is raised', () => {
  /** The conditions of a debit hold, but for what `prepare` changes. */
  const unless = async (prepare: (memberId: bigint, id: string) => Promise<unknown>): Promise<number> => {
    const { memberId } = await world.low()
    const [mandate] = await world.db.query<{ id: string }>(sql`select id from autopay_mandate where member_id = ${memberId}::bigint`)
    await prepare(memberId, mandate?.id ?? '')
    await tomorrow()
    return (await world.debits(memberId)).length
  }
  const set = (change: Sql) => (_memberId: bigint, id: string) =>
    world.db.query(sql`update autopay_mandate set ${change} where id = ${id}::uuid`)
  const setWallet = (change: Sql) => (memberId: bigint) =>
    world.db.query(sql`update wallet set ${change} where member_id = ${memberId}::bigint`)

  test.each<[string, (memberId: bigint, id: string) => Promise<unknown>]>([
    ['for a wallet with ₹5', async (memberId) => world.addMoney(memberId, 1)],
    ['without Auto Participate', setWallet(sql`auto_join = false`)],
    ['for a suspended member', setWallet(sql`may_move = false`)],
    ['before its day', set(sql`not_before = ist_day(roz_now()) + 4`)],
    ['before the first debit is paid', set(sql`not_before = null`)],
    ['after the last day of the mandate', set(sql`expires_at = roz_now() + interval '2 days'`)],
    ['of another amount than the limits allow now', set(sql`amount = 4000`)],
    ['while the member pauses it', async (memberId) => world.call('POST /autopay/pause', memberId)],
    ['once the member has joined 365 times this year', setWallet(sql`join_year = 2026, year_joins = 365`)],
  ])('%s', async (_name, prepare) => {
    expect(await unless(prepare)).toBe(0)
  })

  test.each<[string, (memberId: bigint, id: string) => Promise<unknown>]>([
    [
      'on hold',
      (memberId) => world.db.query(sql`update member set held_at = roz_now(), held_about = 'staff' where id = ${memberId}::bigint`),
    ],
    [
      'in debt',
      async (memberId) => {
        const orderId = await world.addMoney(memberId, 30)
        await world.leave(memberId, 4)
        await chargeBack(world.db, 'debt-of-a-payer', orderId, wholeRupees(30), true)
        expect(await readDebt(world.db, memberId)).toBe(2600n)
      },
    ],
  ])('for a member %s it goes on', async (_name, prepare) => {
    expect(await unless(prepare)).toBe(1)
  })

  test.each<[string, Sql, Sql]>([
    ['amount_not_allowed', sql`amount = 4000`, sql`auto_join = true`],
    ['auto_participate_off', sql`amount = 3000`, sql`auto_join = false`],
  ])('and the member is told why: %s', async (idle, mandate, wallet) => {
    const { memberId } = await world.low()
    expect((await world.own(memberId)).idle).toBeNull()
    await world.db.query(sql`update autopay_mandate set ${mandate} where member_id = ${memberId}::bigint`)
    await world.db.query(sql`update wallet set ${wallet} where member_id = ${memberId}::bigint`)
    expect(await world.own(memberId)).toMatchObject({ idle, mandate: { state: 'on', next: null } })
  })

  test('from 20:30 to 06:00; at 06:00 it is', async () => {
    const { memberId } = await world.low()
    const today = world.today()
    await world.at(today, '20:30:00')
    await world.at(today, '21:00:00')
    await world.at(addDays(today, 1), '00:00:01')
    await world.at(addDays(today, 1), '05:59:00')
    expect(await world.debits(memberId)).toEqual([])
    await world.at(addDays(today, 1), '06:00:01')
    expect(await world.debits(memberId)).toMatchObject([{ day: addDays(today, 3), status: 'open' }])
  })

  test('before today’s Auto Participate has run', async () => {
    const { memberId } = await world.low()
    const day = addDays(world.today(), 1)
    await world.at(day, '00:00:01')
    await world.db.query(sql`update wallet set auto_join = true where member_id = ${memberId}::bigint`)
    const [told] = await world.db.query(sql`select from auto_join_told where day = ${day}::date`)
    expect(told).toEqual({})
    // The morning of a day on which the clockwork has not come so far.
    await world.database.setClock(new Date(startOfDayMs(addDays(day, 1)) + 7 * 3_600_000))
    const { raised } = await raiseAlone()
    expect(raised).toBe(false)
    await world.nextMorning()
  })

  test.each<Switches>([{ autopayOn: false }, { topupsOn: false }])('by a server with %o', async (switches) => {
    const { memberId } = await world.low()
    const day = addDays(world.today(), 1)
    await world.at(day, '05:00:00')
    await world.database.setClock(new Date(startOfDayMs(day) + 7 * 3_600_000))
    expect(await raiseAlone(switches)).toEqual({ raised: false })
    expect(await raiseAlone()).toEqual({ raised: true })
    expect(await world.debits(memberId)).toHaveLength(1)
  })
})

type Switches = Partial<Pick<AutopayDeps, 'autopayOn' | 'topupsOn'>>
/** The dependencies of the due work of debits, for a process of its own. */
const depsAlone = (switches: Switches = {}): AutopayDeps =>
  ({
    db: world.db,
    mandates: world.model.gateway,
    attempt: async (_work: Work, _item: string, run: () => Promise<unknown>) => ({ ok: true, value: await run() }),
    topupLimits: { min: paise(1000n), max: paise(3000n) },
    below: paise(500n),
    autopayOn: true,
    topupsOn: true,
    warn: () => undefined,
    alarm: () => undefined,
    ...switches,
  }) as unknown as AutopayDeps

/** The due work of debits alone, as in a process whose clockwork is behind. */
const raiseAlone = async (switches?: Switches): Promise<{ raised: boolean }> => {
  const before = world.model.calls.length
  const raised = await raiseDue(depsAlone(switches))
  return { raised: raised || world.model.calls.length > before }
}

test('at the end of a year the joins of the debit’s year count', async () => {
  await world.at('2026-12-28' as IstDay, '12:00:00')
  const { memberId } = await world.low()
  await world.db.query(sql`update wallet set join_year = 2026, year_joins = 364 where member_id = ${memberId}::bigint`)
  await world.at('2026-12-29' as IstDay, '07:00:00')
  // The 365th of 2026 was joined, and the debit would be of 31 December.
  expect(await world.debits(memberId)).toEqual([])
  await world.at('2026-12-30' as IstDay, '07:00:00')
  expect(await world.debits(memberId)).toMatchObject([{ day: '2027-01-01', status: 'open' }])
})

test('by several processes at once is one debit', async () => {
  const { memberId, mandate } = await world.low()
  const day = addDays(world.today(), 1)
  await world.at(day, '05:00:00')
  await world.database.setClock(new Date(startOfDayMs(day) + 7 * 3_600_000))
  await Promise.all([raiseAlone(), raiseAlone(), raiseAlone(), raiseAlone()])
  await world.nextMorning()
  expect(await world.debits(memberId)).toHaveLength(1)
  expect(world.model.chargesOf(mandate)).toHaveLength(1)
})

test('the schema refuses a second debit while the first one has no end', async () => {
  const { memberId } = await world.low()
  await tomorrow()
  const second = crypto.randomUUID().replaceAll('-', '')
  await world.db.query(sql`insert into topup (order_id, member_id, amount) values (${second}::text, ${memberId}::bigint, 3000)`)
  await expect(
    world.db.query(sql`
      insert into autopay_charge (order_id, mandate_id, kind, day, status)
      select ${second}::text, id, 'charge', ist_day(roz_now()) + 2, 'raising' from autopay_mandate where member_id = ${memberId}::bigint`),
  ).rejects.toMatchObject({ code: '23505' })
})

test('a clock that is set back raises no second debit', async () => {
  const { memberId } = await world.low()
  await tomorrow()
  const day = world.today()
  await world.at(addDays(day, 1), '07:00:00')
  await world.at(day, '08:00:00')
  expect(await world.debits(memberId)).toHaveLength(1)
  await world.at(addDays(day, 2), '07:00:00')
  expect(await world.debits(memberId)).toHaveLength(1)
})

describe('an answer that is lost', () => {
  test('after the gateway took the debit: it is found under its own id', async () => {
    const { memberId, mandate } = await world.low()
    world.model.losses.raiseCharge = ['take']
    await tomorrow()
    expect(await world.debits(memberId)).toMatchObject([{ status: 'raising' }])
    await world.later(130)
    expect(await world.debits(memberId)).toMatchObject([{ status: 'open' }])
    expect(world.model.chargesOf(mandate)).toHaveLength(1)
    expect(await world.told(memberId)).toContain('autopay_raised')
  })

  test('before the gateway took it: the same id is sent again, only after repeated questions', async () => {
    const { memberId, mandate } = await world.low()
    world.model.losses.raiseCharge = ['drop']
    await tomorrow()
    const [debit] = await world.debits(memberId)
    const sent = (): number => world.model.calls.filter(({ call, id }) => call === 'raiseCharge' && id === debit?.orderId).length
    await world.later(130)
    expect([sent(), world.model.chargesOf(mandate).length]).toEqual([1, 0])
    await world.later(130)
    expect([sent(), world.model.chargesOf(mandate).length]).toEqual([2, 1])
    await world.later(130)
    expect(await world.debits(memberId)).toMatchObject([{ orderId: debit?.orderId, status: 'open' }])
    expect(world.only(mandate).chargeId).toBe(debit?.orderId)
  })

  test.each<Switches>([{ autopayOn: false }, { topupsOn: false }])(
    'before the gateway took it, and then the server restarts with %o: the debit is not sent again',
    async (switches) => {
      const { memberId, mandate } = await world.low()
      world.model.losses.raiseCharge = ['drop']
      await tomorrow()
      const [row] = await world.db.query<{ id: string }>(sql`select id from autopay_mandate where member_id = ${memberId}::bigint`)
      // The gateway must not know the debit for a minute.
      for (const seconds of [130, 200]) {
        await world.database.setClock(new Date(world.nowMs() + seconds * 1000))
        await settleMandate(depsAlone(switches), row?.id ?? '')
      }
      expect(await world.debits(memberId)).toMatchObject([{ status: 'cancelled' }])
      expect(world.model.chargesOf(mandate)).toEqual([])
    },
  )

  test.each(['pause', 'stop'])('before the gateway took it: after a %s it is not sent, also by whoever read it before', async (wish) => {
    const { memberId, mandate } = await world.low()
    world.model.losses.raiseCharge = ['drop']
    await tomorrow()
    const [{ orderId, day } = expect.unreachable()] = await world.debits(memberId)
    const [row = expect.unreachable()] = await world.db.query<{ id: string }>(
      sql`select id from autopay_mandate where member_id = ${memberId}::bigint`,
    )
    expect((await world.call(`POST /autopay/${wish}`, memberId)).status).toBe(200)
    await sendCharge(depsAlone(), { id: row.id, amount: paise(3000n) }, { orderId, mandateId: row.id, day })
    expect(world.model.chargesOf(mandate)).toEqual([])
    for (const seconds of [130, 130, 130]) await world.later(seconds)
    expect(await world.debits(memberId)).toMatchObject([{ status: 'cancelled' }])
    expect(await world.told(memberId)).not.toContain('autopay_raised')
  })

  test('until it is too late: the debit is given up, and counts as no failure', async () => {
    const { memberId, mandate } = await world.low()
    world.model.losses.raiseCharge = ['drop']
    await tomorrow()
    const day = addDays(world.today(), 2)
    world.model.losses.raiseCharge = ['drop', 'drop', 'drop', 'drop', 'drop', 'drop', 'drop', 'drop']
    await world.later(130)
    await world.at(addDays(day, -1), '20:31:00')
    await world.later(3600)
    expect(await world.debits(memberId)).toMatchObject([{ status: 'cancelled' }])
    expect(world.model.chargesOf(mandate)).toEqual([])
    expect(await world.told(memberId)).not.toContain('autopay_failed')
    world.model.losses.raiseCharge = []
    await world.nextMorning()
    expect(await world.debits(memberId)).toMatchObject([{ status: 'cancelled' }, { status: 'open' }])
  })
})

test('a gateway that wants fewer calls is not called until it may be', async () => {
  const { memberId, mandate } = await world.low()
  const day = addDays(world.today(), 1)
  await world.at(day, '05:00:00')
  world.model.losses.raiseCharge = ['slow']
  await world.at(day, '07:00:00')
  expect(await world.debits(memberId)).toMatchObject([{ status: 'raising' }])
  await world.later(130)
  await world.later(130)
  expect(world.model.chargesOf(mandate)).toHaveLength(1)
})

test('a refused debit is none: it fails no bank, and the next one waits', async () => {
  const { memberId, mandate } = await world.low()
  world.model.meanwhile.raiseCharge = () => world.model.move(mandate, 'CUSTOMER_CANCELLED')
  await tomorrow()
  expect(await world.debits(memberId)).toMatchObject([{ status: 'cancelled', failureReason: 'subscription_status_invalid' }])
  await world.later()
  // The payer had stopped it in the UPI app.
  expect(await world.stateOf(memberId)).toBe('payer_stopped')
  expect(await world.told(memberId)).toContain('autopay_payer_stopped')
  expect(await world.told(memberId)).not.toContain('autopay_failed')
})
