import { addDays } from '@roz/core/ist-day.ts'
import { GatewayRefusedError } from '../../adapters/payments/port.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { takePlace } from '../../jobs/autopay-pace.ts'
import { openAutopayWorld, useAutopayWorld, SET_UP } from '../../testing/autopay-world.ts'
import { makeMember } from '../../testing/calls.ts'

const world = useAutopayWorld()
afterEach(() => world.forget())

const begin = (as: bigint, body: object = SET_UP) => world.call('POST /autopay', as, body)

describe('a setup', () => {
  test('is on once the gateway says so: its first debit is the first top-up, and Auto Participate is on', async () => {
    const memberId = await makeMember(world.db)
    expect((await world.own(memberId)).mandate).toBe(null)
    const begun = await begin(memberId)
    const mandate = world.model.newest()
    expect(begun.body).toMatchObject({ sessionId: `session_${mandate.asked.mandateId}`, checkout: { mode: 'sandbox' } })
    expect(mandate.asked).toMatchObject({ amount: 3000n, phone: '9876543210', returnUrl: expect.stringMatching(/\/autopay\/return$/) })
    expect(await world.stateOf(memberId)).toBe('setup')
    world.model.authorise(mandate)
    await world.later()
    const { mandate: own } = await world.own(memberId)
    expect(own).toMatchObject({ state: 'on', amount: 30, payer: 'ra…@okbank', last: { day: world.today(), amount: 30 }, next: null })
    expect(await world.balanceOf(memberId)).toBe(30)
    const [wallet] = await world.db.query(sql`select auto_join as "autoJoin" from wallet where member_id = ${memberId}::bigint`)
    expect(wallet).toEqual({ autoJoin: true })
    expect(await world.told(memberId)).toEqual(['autopay_added', 'autopay_on'])
    expect(await world.mails(memberId)).toEqual(['autopay_added', 'autopay_on'])
  })

  test('in two tabs at once makes one mandate', async () => {
    const memberId = await makeMember(world.db)
    const before = world.model.mandates.size
    const [one, other] = await Promise.all([begin(memberId), begin(memberId)])
    expect(one.body['sessionId']).toBe(other.body['sessionId'])
    expect(world.model.mandates.size).toBe(before + 1)
    world.model.authorise(world.model.newest())
    await world.later()
    expect((await begin(memberId)).body).toMatchObject({ code: 'changed_since_seen' })
    expect(await world.balanceOf(memberId)).toBe(30)
  })

  test('whose answer was lost goes on under the same id', async () => {
    const memberId = await makeMember(world.db)
    const before = world.model.mandates.size
    for (const loss of ['take', 'drop'] as const) {
      world.model.losses.createMandate = [loss]
      expect((await begin(memberId)).body).toMatchObject({ code: 'gateway_unavailable' })
    }
    expect((await begin(memberId)).status).toBe(200)
    expect(world.model.mandates.size).toBe(before + 1)
  })

  test('that the gateway refuses has lapsed, and another one can be made', async () => {
    const memberId = await makeMember(world.db)
    world.model.meanwhile.createMandate = () => Promise.reject(new GatewayRefusedError('refused', 400, 'subscription_invalid'))
    expect((await begin(memberId)).body).toMatchObject({ code: 'gateway_unavailable' })
    expect([await world.stateOf(memberId), await world.topups(memberId)]).toEqual(['lapsed', ['failed']])
    expect((await begin(memberId)).status).toBe(200)
  })

  test('without the consent, or without a phone, is refused by field', async () => {
    const memberId = await makeMember(world.db)
    expect((await begin(memberId, { ...SET_UP, consent: false })).body).toMatchObject({
      code: 'invalid_input',
      fields: { consent: expect.any(String) },
    })
    expect((await begin(memberId, { consent: true })).body).toMatchObject({
      code: 'invalid_input',
      fields: { phoneNumber: expect.any(String) },
    })
  })

  test('that nobody finishes ends after a day, and a late approval is cancelled at the gateway', async () => {
    const memberId = await makeMember(world.db)
    await begin(memberId)
    const mandate = world.model.newest()
    await world.at(addDays(world.today(), 1), '13:30:00')
    expect([await world.stateOf(memberId), await world.topups(memberId)]).toEqual(['lapsed', ['failed']])
    expect(mandate.status).toBe('CANCELLED')
    // The payer pressed in the UPI app before the cancellation reached the bank.
    world.model.authorise(mandate)
    expect(await world.webhook(mandate)).toBe(200)
    await world.later()
    expect([await world.stateOf(memberId), mandate.status]).toEqual(['lapsed', 'CANCELLED'])
    expect([await world.balanceOf(memberId), await world.topups(memberId)]).toEqual([30, ['captured']])
  })
})

test('a page asks the gateway only while it leaves places to debits that are due', async () => {
  const memberId = await makeMember(world.db)
  await begin(memberId)
  const [auth] = await world.db.query<{ id: string; mandateId: string }>(sql`
    select auth_order_id as id, id as "mandateId" from autopay_mandate where member_id = ${memberId}::bigint`)
  await world.later()
  for (let n = 0; n < 8; n++) await takePlace(world.db, 'read')
  const due = () => world.db.query(sql`select ask_at as at, asks from autopay_check where mandate_id = ${auth?.mandateId ?? ''}::uuid`)
  const [calls, before] = [world.model.calls.length, await due()]
  expect(await world.stateOf(memberId)).toBe('setup')
  expect((await world.call(`GET /wallet/verify/${auth?.id}`, memberId)).body['status']).toBe('PENDING')
  expect([world.model.calls.length, await due()]).toEqual([calls, before])
  await world.later(8)
  await world.stateOf(memberId)
  expect(world.model.calls.length).toBeGreaterThan(calls)
})

describe('the first debit', () => {
  const begun = async () => {
    const memberId = await makeMember(world.db)
    await begin(memberId)
    return { memberId, mandate: world.model.newest() }
  }

  test('after failed attempts the successful one is booked', async () => {
    const { memberId, mandate } = await begun()
    world.model.authorise(mandate, 'failed')
    await world.later()
    expect([await world.stateOf(memberId), await world.topups(memberId)]).toEqual(['setup', ['failed']])
    world.model.authorise(mandate)
    await world.later()
    expect([await world.stateOf(memberId), await world.balanceOf(memberId)]).toEqual(['on', 30])
  })

  test('two successful attempts: the second payment waits for a person', async () => {
    const { memberId, mandate } = await begun()
    world.model.authorise(mandate)
    world.model.authorise(mandate)
    await world.later(16)
    await world.hearOf(mandate)
    expect(await world.balanceOf(memberId)).toBe(30)
    expect(await world.suspended(memberId)).toEqual([{ reason: 'second_payment', amount: 3000n }])
  })

  test('paid before the mandate is active: the money is booked, and the gateway is asked on', async () => {
    const { memberId, mandate } = await begun()
    world.model.authorise(mandate, 'paid', 'INITIALIZED')
    await world.later(16)
    expect([await world.stateOf(memberId), await world.balanceOf(memberId)]).toEqual(['setup', 30])
    world.model.move(mandate, 'ACTIVE')
    await world.later(60)
    expect(await world.stateOf(memberId)).toBe('on')
  })

  test('of a mandate paused in the UPI app before anyone asked: it is set up all the same', async () => {
    const { memberId, mandate } = await begun()
    world.model.authorise(mandate, 'paid', 'CUSTOMER_PAUSED')
    await world.later(16)
    expect([await world.stateOf(memberId), await world.balanceOf(memberId)]).toEqual(['payer_paused', 30])
    const [wallet] = await world.db.query(sql`select auto_join as "autoJoin" from wallet where member_id = ${memberId}::bigint`)
    expect(wallet).toEqual({ autoJoin: true })
    expect(await world.told(memberId)).toEqual(['autopay_added', 'autopay_on', 'autopay_payer_paused'])
  })

  test('of another amount waits for a person; the mandate is on', async () => {
    const { memberId, mandate } = await begun()
    world.model.faults.authPaise = 100n
    world.model.authorise(mandate)
    world.model.faults.authPaise = undefined
    await world.later(16)
    expect([await world.stateOf(memberId), await world.balanceOf(memberId), await world.topups(memberId)]).toEqual(['on', 0, ['failed']])
    expect(await world.suspended(memberId)).toEqual([{ reason: 'other_amount', amount: 100n }])
  })

  test('in another currency waits for a person', async () => {
    const { memberId, mandate } = await begun()
    world.model.authorise(mandate).currency = 'USD'
    await world.later(16)
    expect([await world.balanceOf(memberId), await world.suspended(memberId)]).toEqual([0, [{ reason: 'other_currency', amount: 3000n }]])
  })

  test('while the bank approves, the member sees it, and nothing is raised', async () => {
    const { memberId, mandate } = await begun()
    world.model.authorise(mandate, 'pending', 'BANK_APPROVAL_PENDING')
    await world.later()
    expect(await world.stateOf(memberId)).toBe('bank')
  })

  test('a status that we do not know changes nothing, and an operator hears of it', async () => {
    const { memberId, mandate } = await begun()
    mandate.status = 'UNKNOWN'
    mandate.word = 'ON_HOLD'
    await world.later(16)
    expect(await world.stateOf(memberId)).toBe('setup')
    expect(world.alarms).toContain('the gateway names a status of a mandate that we do not know')
  })
})

describe('webhooks', () => {
  test('twice, early, of an unknown mandate and unsigned: each is answered, and one payment is one credit', async () => {
    const memberId = await makeMember(world.db)
    await begin(memberId)
    const mandate = world.model.newest()
    expect(await world.webhook(mandate)).toBe(200)
    await world.later(16)
    expect(await world.stateOf(memberId)).toBe('setup')
    world.model.authorise(mandate)
    const body = { type: 'SUBSCRIPTION_AUTH_STATUS', mandateId: mandate.asked.mandateId }
    expect(await Promise.all([world.sendWebhook(body), world.sendWebhook(body)])).toEqual([200, 200])
    const [{ count }] = (await world.db.query<{ count: number }>(
      sql`select count(*)::int as count from gateway_event where order_id = ${mandate.asked.mandateId}::text and type = 'SUBSCRIPTION_AUTH_STATUS'`,
    )) as [{ count: number }]
    expect(count).toBe(1)
    await world.later()
    expect([await world.stateOf(memberId), await world.balanceOf(memberId)]).toEqual(['on', 30])
    expect(await world.sendWebhook({ type: 'SUBSCRIPTION_STATUS_CHANGED', mandateId: 'f'.repeat(32) })).toBe(200)
    expect(await world.sendWebhook({ type: 'SUBSCRIPTION_STATUS_CHANGED' })).toBe(200)
    expect((await world.calls.ask('POST /webhooks/cashfree-autopay', { body: body })).body).toMatchObject({ code: 'webhook_signature' })
  })
})

test('with AUTOPAY off nothing is offered and nothing set up', async () => {
  const off = await openAutopayWorld({ AUTOPAY: 'off' })
  try {
    const memberId = await makeMember(off.db)
    expect(await off.own(memberId)).toEqual({ offered: false, amount: 30, below: 5, idle: null, mandate: null })
    expect((await off.call('POST /autopay', memberId, SET_UP)).body).toMatchObject({ code: 'topups_paused' })
    for (const wish of ['pause', 'resume', 'retry', 'stop'])
      expect((await off.call(`POST /autopay/${wish}`, memberId)).body).toMatchObject({ code: 'not_found' })
    expect(off.model.calls).toEqual([])
    // One from before is still paused, resumed and stopped.
    const order = crypto.randomUUID().replaceAll('-', '')
    await off.db.query(sql`insert into topup (order_id, member_id, amount) values (${order}::text, ${memberId}::bigint, 3000)`)
    await off.db.query(sql`
      insert into autopay_mandate (id, member_id, state, amount, terms_version, auth_order_id, expires_at)
      values (gen_random_uuid(), ${memberId}::bigint, 'on', 3000, 'test', ${order}::text, roz_now() + interval '3 years')`)
    for (const [wish, state] of [
      ['pause', 'paused'],
      ['resume', 'on'],
      ['stop', 'stopping'],
    ] as const)
      expect((await off.call(`POST /autopay/${wish}`, memberId)).body).toMatchObject({
        autopay: { offered: false, idle: state === 'on' ? 'switched_off' : null, mandate: { state } },
      })
    // Screens have AutoPay while one is open, its status is unknown, or its debit has no end.
    const shown = async (state: string, isUnknown: boolean) => {
      await off.db.query(sql`
        update autopay_mandate set state = ${state}::text, unknown_since = case when ${isUnknown}::boolean then roz_now() end`)
      return off.services.hasAutopay()
    }
    expect([await shown('stopping', false), await shown('stopped', true), await shown('stopped', false)]).toEqual([true, true, false])
    await off.db.query(sql`
      insert into autopay_charge (order_id, mandate_id, kind, day, status)
      select ${order}::text, id, 'charge', ist_day(roz_now()), 'open' from autopay_mandate`)
    expect(await shown('stopped', false)).toBe(true)
  } finally {
    await off.close()
  }
})
