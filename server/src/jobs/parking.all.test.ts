/** One broken row in each kind of due work: other work goes on, the item is parked with an alarm, and it runs again once it is mended. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { describe, expect, test } from 'vitest'
import { DatabaseUnavailableError, type Db, sql, TransactionTimeoutError } from '../db/sql.ts'
import { operatorApp } from '../testing/operator.ts'
import { makeMember, testSecrets } from '../testing/calls.ts'
import { breakRows, endRests } from '../testing/database.ts'
import { usePayoutsWorld } from '../testing/payouts-world.ts'
import { openRoundsWorld } from '../testing/rounds-world.ts'
import { useWalletWorld } from '../testing/wallet-world.ts'
import { parkedNow } from '../commands/parked.ts'
import { createAttempt, forgetUntried, listParked, runAgain } from './parking.ts'

const parkedNames = async (db: Db): Promise<string[]> => (await listParked(db)).map(({ work, item }) => `${work} ${item}`)
const triesOf = async (db: Db, work: string, item: string): Promise<number> =>
  (await db.query<{ tries: number }>(sql`select tries from failing_work where work = ${work}::text and item = ${item}::text`))[0]?.tries ??
  0

describe('orders, disputes and events', () => {
  const world = useWalletWorld()

  test('an order that cannot be booked is parked after five tries with one alarm, and credited after it is mended and run again', async () => {
    const [bad, good] = [await makeMember(world.db), await makeMember(world.db)]
    const orderId = await world.newOrder(bad)
    await world.pay(orderId, 'success', 0)
    const mend = await breakRows(world.database, 'topup', `new.order_id = '${orderId}'`)
    expect((await world.confirm(orderId)).status).toBe(200)
    const beside = await world.newOrder(good)
    await world.pay(beside, 'success', 0)
    for (let round = 0; round < 6; round++) {
      await world.sweep()
    }
    expect(await world.balanceOf(good)).toBe(10)
    expect(await parkedNames(world.db)).toEqual([`order ${orderId}`])
    expect(world.alarms).toMatchObject([{ work: 'order', item: orderId, tries: 5 }])
    expect((await listParked(world.db))[0]?.error).toContain('broken on purpose')
    const app = operatorApp(world.db)
    expect((await app.inject('/metrics')).body).toMatch(/^roz_work_parked 1$/m)
    expect((await app.inject('/readyz')).json()).toMatchObject({ status: 'ready', parked: 1 })
    await app.close()

    await mend()
    const said: string[] = []
    const target = { databaseUrl: world.database.appUrl, dataDir: '', namedStatements: true, say: (line: string) => void said.push(line) }
    expect(await parkedNow(target, '')).toBe(1)
    expect(said[0]).toMatch(new RegExp(`^order ${orderId}: \\d tries since `))
    expect(await parkedNow(target, 'order another')).toBe(1)
    expect(await parkedNow(target, `order ${orderId}`)).toBe(0)
    await world.runDue()
    expect(await world.balanceOf(bad)).toBe(10)
    expect(await parkedNow(target, '')).toBe(0)
    expect(said.at(-1)).toBe('Nothing is parked.')
  })

  test('work that always exceeds its own time limit is parked; a database that is away parks nothing', async () => {
    const attempt = createAttempt({ db: world.db, log: { warn: () => undefined, error: () => undefined } })
    const fail = (item: string, error: Error) => attempt('order', item, () => Promise.reject(error))
    for (let round = 0; round < 5; round++) {
      await fail('slow', new TransactionTimeoutError('too long'))
      await fail('away', new DatabaseUnavailableError('away'))
    }
    expect(await parkedNames(world.db)).toEqual(['order slow'])
    await attempt('order', 'slow', async () => undefined)
    expect(await parkedNames(world.db)).toEqual([])
  })

  test('a dispute that cannot be booked blocks no other dispute', async () => {
    await world.reset()
    const disputes: string[] = []
    const members: bigint[] = []
    for (let n = 0; n < 2; n++) {
      const { member, orderId } = await world.paid()
      await world.verify(member, orderId)
      members.push(member)
      disputes.push(String((await world.control(`/orders/${orderId}/dispute`, { webhooks: 0 }))['dispute_id']))
    }
    const mend = await breakRows(world.database, 'dispute', `new.id = '${disputes[0]}'`)
    for (const disputeId of disputes) await world.disputes.jobs.check_dispute({ disputeId })
    expect(await world.balanceOf(members[1] as bigint)).toBe(0)
    await world.db.query(sql`update dispute_check set ask_at = roz_now()`)
    await world.runDue()
    expect(await triesOf(world.db, 'dispute', disputes[0] as string)).toBe(2)
    await mend()
    await world.db.query(sql`update dispute_check set ask_at = roz_now()`)
    await endRests(world.db)
    await world.runDue()
    expect(await world.balanceOf(members[0] as bigint)).toBe(0)
    expect(await triesOf(world.db, 'dispute', disputes[0] as string)).toBe(0)
  })

  test.each([
    ['the row refuses', 'P0001'],
    ['a host that is read-only refuses', '25006'],
  ] as const)('questions whose claim %s end their sweeps, and are asked later', async (_what, code) => {
    await world.reset()
    const { member, orderId } = await world.paid()
    await world.makeDue()
    await world.db.query(
      sql`insert into dispute_check (dispute_id, asked_at, ask_at) values (${`unknown ${code}`}::text, roz_now(), roz_now())`,
    )
    const mends = [
      await breakRows(world.database, 'order_check', 'true', code),
      await breakRows(world.database, 'dispute_check', 'true', code),
    ]
    await world.runDue()
    expect(await world.balanceOf(member)).toBe(0)
    expect(await triesOf(world.db, 'order', orderId)).toBe(code === 'P0001' ? 1 : 0)
    for (const mend of mends) await mend()
    await world.runDue()
    expect(await world.balanceOf(member)).toBe(10)
    expect(await world.db.query(sql`select dispute_id from dispute_check where ask_at <= roz_now()`)).toEqual([])
  })

  test('an event that cannot be cleaned blocks no other event', async () => {
    for (let n = 1; n <= 5; n++) {
      const sealed = testSecrets.encrypt(Buffer.from('{"data":{"customer_details":{"customer_phone":"9"}}}'), `gateway_event:old ${n}`)
      await world.db.query(sql`
        insert into gateway_event (event_key, type, sealed, received_at)
        values (${`old ${n}`}::text, 'X', ${sealed}::bytea, roz_now() - interval '91 days')`)
    }
    const write = await breakRows(world.database, 'gateway_event', 'true', '25006')
    await expect(world.runDue()).rejects.toThrow(DatabaseUnavailableError)
    await write()
    const mend = await breakRows(world.database, 'gateway_event', `new.event_key = 'old 3'`)
    await world.runDue()
    const left = () => world.db.query(sql`select event_key from gateway_event where cleaned_at is null and event_key like 'old %'`)
    expect(await left()).toEqual([{ event_key: 'old 3' }])
    await mend()
    await endRests(world.db)
    await world.runDue()
    expect(await left()).toEqual([])
  })

  test('an error is recorded without its NUL characters, and a failure that is no longer tried is deleted', async () => {
    const attempt = createAttempt({ db: world.db, log: { warn: () => undefined, error: () => undefined } })
    expect(await attempt('event', 'nul', () => Promise.reject(new Error('a\0b')))).toEqual({ ok: false })
    expect(await world.db.query(sql`select error from failing_work where item = 'nul'`)).toEqual([{ error: 'Error: ab' }])
    await world.db.query(sql`update failing_work set next_at = roz_now() - interval '3 days' where item = 'nul'`)
    await forgetUntried(world.db)
    expect(await triesOf(world.db, 'event', 'nul')).toBe(0)
  })
})

describe('withdrawals and refunds', () => {
  const world = usePayoutsWorld()

  test.each(['withdrawal', 'refund'] as const)('a %s whose end cannot be booked blocks no other', async (kind) => {
    const ids: string[] = []
    for (let n = 0; n < 2; n++) {
      const member = await makeMember(world.db)
      const order_id = await world.pay(member, 20)
      const body = { order_id, amount: 10, reason: 'Added too much' }
      const id =
        kind === 'withdrawal'
          ? await world.withdraw(member)
          : (await world.calls.ask('POST /wallet/refunds', { as: member, body })).body.refund.id
      await world.calls.ask(`POST /admin/${kind}s/${id}/approve`, { as: world.admin, body: { status: 'requested' } })
      ids.push(id)
    }
    await world.runDue()
    const mend = await breakRows(world.database, kind, `new.id = '${ids[0]}'`)
    for (const id of ids) {
      if (kind === 'withdrawal') world.gatewaySays(id, 'paid')
      else world.gatewayRefunds(id, 'paid')
    }
    const states = async () => {
      const table = kind === 'withdrawal' ? sql`withdrawal` : sql`refund`
      const rows = await world.db.query<{ id: string; status: string }>(sql`select id, status from ${table}`)
      return ids.map((id) => rows.find((row) => row.id === id)?.status)
    }
    for (let hour = 0; hour < 8; hour++) await world.pass(3600)
    expect(await states()).toEqual(['sending', 'paid'])
    expect(await parkedNames(world.db)).toEqual([`${kind} ${ids[0]}`])
    await mend()
    await runAgain(world.db, kind, ids[0] as string)
    await world.runDue()
    expect(await states()).toEqual(['paid', 'paid'])
    expect(await parkedNames(world.db)).toEqual([])
  })

  test('questions about withdrawals whose claim fails end their sweep, and are asked later', async () => {
    const member = await makeMember(world.db)
    await world.pay(member, 20)
    const id = await world.withdraw(member)
    await world.calls.ask(`POST /admin/withdrawals/${id}/approve`, { as: world.admin, body: { status: 'requested' } })
    await world.runDue()
    world.gatewaySays(id, 'paid')
    const mend = await breakRows(world.database, 'payout_check', 'true', '25006')
    await world.pass(3600)
    await mend()
    await world.runDue()
    expect(await world.db.query(sql`select status from withdrawal where id = ${id}::uuid`)).toEqual([{ status: 'paid' }])
  })
})

describe('days and members', () => {
  const midnight = (day: string): string => `${day}T00:00:05+05:30`
  const DAY = '2026-11-21' as IstDay

  test.each([
    ['draw', 'round', `new.day = '${DAY}' and new.status = 'drawn'`, 'closed'],
    ['settle', 'round', `new.day = '${DAY}' and new.status = 'settled'`, 'drawn'],
    ['seal_day', 'ledger_day', `new.day = '${DAY}' and new.sealed_at is not null`, undefined],
  ] as const)('a day whose %s fails blocks neither later days nor Auto Participate', async (work, table, condition, stuck) => {
    const world = await openRoundsWorld()
    const [hand, auto] = [await world.member(10), await world.member(10, { auto: true })]
    await world.join(hand)
    const mend = await breakRows(world.database, table, condition)
    await world.goTo(midnight('2026-11-22'))
    await world.goTo('2026-11-22T12:00:00+05:30')
    expect(await world.entrants('2026-11-22')).toEqual([auto])
    await world.goTo(midnight('2026-11-23'))
    await world.goTo('2026-11-23T01:00:00+05:30')
    const statuses = await world.statuses()
    expect(statuses['2026-11-22']).toBe('settled')
    if (stuck !== undefined) expect(statuses[DAY]).toBe(stuck)
    expect(await triesOf(world.db, work, DAY)).toBeGreaterThan(0)
    await mend()
    await world.goTo('2026-11-23T03:00:00+05:30')
    expect((await world.statuses())[DAY]).toBe('settled')
    expect(await world.db.query(sql`select day from ledger_day where sealed_at is null and day < '2026-11-23'`)).toEqual([])
    expect(await triesOf(world.db, work, DAY)).toBe(0)
    world.faults.length = 0
    await world.close()
  })

  test('a member for whom Auto Participate fails is parked alone, and joined after the row is mended', async () => {
    const world = await openRoundsWorld()
    const members: bigint[] = []
    for (let n = 0; n < 12; n++) members.push(await world.member(10, { auto: true }))
    const [bad = 0n, ...others] = members.slice(4).concat(members.slice(0, 4))
    const mend = await breakRows(world.database, 'wallet', `new.member_id = ${bad}`)
    await world.goTo(midnight('2026-11-22'))
    expect(await world.entrants('2026-11-22')).toEqual(others.toSorted((a, b) => Number(a - b)))
    for (let minute = 1; minute < 6; minute++) await world.goTo(`2026-11-22T00:0${minute}:00+05:30`)
    expect(await parkedNames(world.db)).toEqual([`auto_join 2026-11-22 member ${bad}`])
    await mend()
    await runAgain(world.db, 'auto_join', `2026-11-22 member ${bad}`)
    await world.goTo('2026-11-22T00:06:00+05:30')
    expect(await world.entrants('2026-11-22')).toEqual(members)
    expect(await listParked(world.db)).toEqual([])
    world.faults.length = 0
    await world.close()
  })
})
