/** AutoPay in the portal: the list, its figures, the to-do list's conditions, and the stop by the team. */
import { api } from '@roz/contract/api.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import { addDays } from '@roz/core/ist-day.ts'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { useAutopayWorld, SET_UP } from '../../testing/autopay-world.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { insertSeenSettlement } from '../../testing/seen-settlement.ts'

const world = useAutopayWorld()
const staff = new Map<StaffRole, bigint>()
beforeAll(async () => {
  for (const role of ['owner', 'support', 'auditor'] as const) staff.set(role, await makeStaff(world.db, role))
})
afterEach(() => world.forget())

const LOGGED = { adminStopAutopay: 'autopay.stop' } as const
type Shown = Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string }
const as = (role: StaffRole): bigint => staff.get(role) ?? 0n
const list = async (query = '', role: StaffRole = 'auditor'): Promise<Shown[]> =>
  (await world.calls.ask(`GET /admin/autopay?limit=100${query}`, { as: as(role) })).body['mandates']
const find = async (id: string, query = ''): Promise<Shown | undefined> => (await list(query)).find((one) => one.id === id)
const todo = async (code: string): Promise<number> => {
  const { body } = await world.calls.ask('GET /admin/todo', { as: as('owner') })
  return (body['todo'] as { code: string; count: number }[]).find((line) => line.code === code)?.count ?? 0
}
const stop = (id: string, body: object = {}, more: { role?: StaffRole; isStale?: boolean } = {}) =>
  world.calls.ask(`POST /admin/autopay/${id}/stop`, {
    as: as(more.role ?? 'support'),
    isStale: more.isStale ?? false,
    body: { status: 'on', reason: 'The payer asked by phone.', ...body },
  })

describe('the list', () => {
  test('shows each mandate with its debits; it is searched, narrowed, paged and fetched as a table', async () => {
    const { memberId, mandate } = await world.low()
    await world.nextMorning()
    const id = mandate.asked.mandateId
    const charge = world.only(mandate)
    expect(await find(id)).toMatchObject({
      status: 'on',
      amount: 30,
      payer: 'ra…@okbank',
      gatewayStatus: 'ACTIVE',
      failures: 0,
      open: { day: charge.day, orderId: charge.chargeId },
      last: { amount: 30 },
      failed: null,
      isLate: false,
      isUnknown: false,
      isUncancelled: false,
      member: { name: expect.stringMatching(/^Asha/) },
    })
    world.end(charge, 'failed')
    await world.at(charge.day, '10:30:00')
    expect(await find(id)).toMatchObject({
      open: null,
      failures: 1,
      failed: { day: charge.day, reason: 'DEBIT FAILED | Insufficient Funds' },
    })
    const other = await makeMember(world.db)
    await world.call('POST /autopay', other, SET_UP)
    expect((await list('&status=setup')).map(({ status }) => status)).toEqual(['setup'])
    expect((await list(`&q=${id}`)).map((one) => one.id)).toEqual([id])
    const [{ email }] = (await world.db.query<{ email: string }>(sql`select email from member where id = ${memberId}::bigint`)) as [
      { email: string },
    ]
    expect((await list(`&q=${email}`)).map((one) => one.id)).toEqual([id])
    const ids = (await list()).map((one) => one.id)
    expect((await list('&order=oldest')).map((one) => one.id)).toEqual(ids.toReversed())
    const first = await world.calls.ask('GET /admin/autopay?limit=1', { as: as('auditor') })
    const second = await world.calls.ask(`GET /admin/autopay?limit=1&cursor=${first.body['nextCursor']}`, { as: as('auditor') })
    expect([first, second].flatMap(({ body }) => body['mandates'] as Shown[]).map((one) => one.id)).toEqual(ids.slice(0, 2))
    const table = await world.calls.ask('GET /admin/autopay.csv', { as: as('auditor') })
    expect([table.status, table.text.split('\r\n').filter((line) => line.includes(id)).length]).toEqual([200, 1])
  })

  test('its figures count states, debits without an end, and failures a day', async () => {
    const figures = async () => (await world.calls.ask('GET /admin/autopay/figures', { as: as('auditor') })).body
    const before = await figures()
    const { charge } = await world.raised()
    expect((await figures())['open']).toBe(Number(before['open']) + 1)
    world.end(charge, 'failed')
    await world.at(charge.day, '10:30:00')
    const after = await figures()
    expect((after['days'] as { day: string; failed: number; paid: number }[]).find(({ day }) => day === charge.day)).toMatchObject({
      failed: 1,
      paid: 0,
      amount: 0,
    })
    expect((after['states'] as { status: string; count: number }[]).find(({ status }) => status === 'on')?.count).toBeGreaterThan(0)
  })

  test('its figures have what the gateway kept of a day’s debits, once they are settled', async () => {
    const { charge } = await world.raised()
    world.end(charge, 'paid')
    await world.at(charge.day, '10:30:00')
    const ofDay = async () => {
      const { body } = await world.calls.ask('GET /admin/autopay/figures', { as: as('auditor') })
      return (body['days'] as { day: string }[]).find(({ day }) => day === charge.day)
    }
    expect(await ofDay()).toMatchObject({ paid: 1, amount: 30, fee: 0 })
    const id = await insertSeenSettlement(world.db, { amount: 29.31, fee: 0.69 })
    await world.db.query(sql`
      insert into gateway_settlement_event (settlement_id, position, event_id, kind, word, is_credit, amount, settled, fee, subject, ours)
      values (${id}::text, 1, '1', 'payment', 'PAYMENT', true, 3000, 2931, 69, ${`payment:sub_${charge.cfPaymentId}`}::text, 3000)`)
    expect(await ofDay()).toMatchObject({ paid: 1, amount: 30, fee: 0.69 })
    await world.db.query(sql`update gateway_settlement_seen set state = 'failed' where settlement_id = ${id}::text`)
    expect(await ofDay()).toMatchObject({ fee: 0 })
  })
})

describe('the to-do list', () => {
  test('names a debit without an end five days after its day, and not before', async () => {
    const { mandate, charge } = await world.raised()
    charge.state = 'pending'
    await world.at(addDays(charge.day, 5), '23:00:00')
    const before = await todo('autopay_late')
    expect(await find(mandate.asked.mandateId, '&status=late')).toBe(undefined)
    await world.at(addDays(charge.day, 6), '00:30:00')
    expect(await todo('autopay_late')).toBe(before + 1)
    expect(await find(mandate.asked.mandateId, '&status=late')).toMatchObject({ isLate: true })
    world.end(charge, 'failed')
    await world.at(addDays(charge.day, 7), '01:00:00')
    expect(await todo('autopay_late')).toBe(before)
  })

  test('names a mandate whose status we do not know, until the gateway names a known one', async () => {
    const { mandate } = await world.setUp()
    mandate.status = 'UNKNOWN'
    mandate.word = 'ON_HOLD'
    await world.hearOf(mandate)
    expect(await todo('autopay_unknown')).toBe(1)
    expect(await find(mandate.asked.mandateId, '&status=unknown')).toMatchObject({
      status: 'on',
      gatewayStatus: 'ON_HOLD',
      isUnknown: true,
    })
    world.model.move(mandate, 'ACTIVE')
    await world.hearOf(mandate)
    expect(await todo('autopay_unknown')).toBe(0)
  })

  test('names a stop that the gateway has not confirmed for a day', async () => {
    const { memberId, mandate } = await world.setUp()
    world.model.faults.cancelIgnored = true
    await world.call('POST /autopay/stop', memberId)
    await world.moveTo(world.nowMs() + 23 * 3_600_000)
    expect(await todo('autopay_uncancelled')).toBe(0)
    await world.moveTo(world.nowMs() + 2 * 3_600_000)
    expect(await todo('autopay_uncancelled')).toBe(1)
    expect(await find(mandate.asked.mandateId, '&status=uncancelled')).toMatchObject({ status: 'stopping', isUncancelled: true })
    world.model.faults.cancelIgnored = false
    await world.later(3700)
    expect(await todo('autopay_uncancelled')).toBe(0)
  })
})

describe('the stop by the team', () => {
  test('ends the mandate and its open debit at the gateway, tells the member once, and leaves a line with the reason', async () => {
    const { memberId, mandate, charge } = await world.raised()
    const id = mandate.asked.mandateId
    expect((await stop(id)).body).toMatchObject({ mandate: { id, status: 'stopping' } })
    await world.later()
    expect([await world.stateOf(memberId), mandate.status, charge.state]).toEqual(['stopped', 'CANCELLED', 'cancelled'])
    expect((await world.told(memberId)).filter((kind) => kind.startsWith('autopay_stopped'))).toEqual(['autopay_stopped_by_us'])
    expect((await world.mails(memberId)).filter((kind) => kind.startsWith('autopay_stopped'))).toEqual(['autopay_stopped_by_us'])
    const log = await world.db.query(sql`
      select actor_id as actor, before, after from audit_log where action = ${LOGGED.adminStopAutopay}::text and subject = ${`member:${memberId}`}::text`)
    expect(log).toEqual([{ actor: as('support'), before: { state: 'on' }, after: { reason: 'The payer asked by phone.', mandate: id } }])
    await world.nextMorning()
    expect(await world.debits(memberId)).toHaveLength(1)
  })

  test('twice at once stops it once; a state that has changed since, or an unknown mandate, is refused', async () => {
    const { memberId, mandate } = await world.setUp()
    const id = mandate.asked.mandateId
    expect((await stop(id, { status: 'paused' })).body).toMatchObject({ code: 'changed_since_seen' })
    const answers = await Promise.all([stop(id), stop(id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    await world.later()
    expect((await world.told(memberId)).filter((kind) => kind === 'autopay_stopped_by_us')).toHaveLength(1)
    expect((await stop(id, { status: 'stopped' })).body).toMatchObject({ code: 'changed_since_seen' })
    expect((await stop('f'.repeat(32))).body).toMatchObject({ code: 'not_found' })
    expect((await stop('no-id')).body).toMatchObject({ code: 'not_found' })
  })

  test('needs a reason, a fresh factor, and a role that cares for members', async () => {
    const { memberId, mandate } = await world.setUp()
    const id = mandate.asked.mandateId
    expect((await stop(id, { reason: '' })).body).toMatchObject({ code: 'invalid_input', fields: { reason: expect.any(String) } })
    expect((await stop(id, {}, { isStale: true })).body).toMatchObject({ code: 'step_up_required' })
    expect((await stop(id, {}, { role: 'auditor' })).status).toBe(403)
    expect(await world.stateOf(memberId)).toBe('on')
  })

  test('is all that the team can do: no call of theirs raises a debit or resumes a mandate', () => {
    const writes = Object.values(api).filter(({ path, method }) => path.startsWith('/admin/autopay') && method !== 'GET')
    expect(writes.map(({ path }) => path)).toEqual(['/admin/autopay/{id}/stop'])
  })
})
