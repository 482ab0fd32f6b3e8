/** Settlements of the gateway and the reconciliation list: rights, refusals, two persons, privacy, and the figures of each day. */
import { addDays, nextDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { addMoney, DAY, newMember, openDay } from '../../ledger/testing/fixtures.ts'
import { forgetAlone } from '../../testing/database.ts'
import { useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld({ approvalAbove: 40 })
const TODAY = nextDay(DAY)
/** The gateway owes ₹100 of yesterday and ₹50 of today. The limit of one person is ₹40. */
beforeAll(async () => {
  await addMoney(world.db, await newMember(world.db), wholeRupees(100))
  await openDay(world.database, TODAY)
  await addMoney(world.db, await newMember(world.db), wholeRupees(50))
})

const SETTLED = { reference: 'utr0001', day: DAY, amount: 30, fee: 0.7 }
const ask = async (fields: object = {}, as = world.staff.finance) =>
  world.calls.ask('POST /admin/settlements', { as, body: { ...SETTLED, receipts: [await world.bill()], ...fields } })
const decide = (id: string, action: 'approve' | 'reject', as = world.staff.owner) =>
  world.calls.ask(`POST /admin/house-entries/${id}/${action}`, {
    as,
    body: { status: 'requested', ...(action === 'reject' ? { reason: 'The report is of June' } : {}) },
  })
const reconcile = async (query = '') => (await world.calls.ask(`GET /admin/reconciliation${query}`, { as: world.staff.auditor })).body

test('the list has each day with what changed what the gateway owes, newest first', async () => {
  const none = { refunded: 0, disputed: 0, settled: 0, fee: 0 }
  const [today, yesterday] = [
    { day: TODAY, captured: 50, ...none, owed: 150 },
    { day: DAY, captured: 100, ...none, owed: 100 },
  ]
  expect(await reconcile()).toEqual({
    balances: { gateway: 150, bank: 0, fees: 0, payoutsPending: 0, refundsPending: 0, suspense: 0 },
    reconciliation: [today, yesterday],
    check: { readAt: null, isLate: false, open: 0, difference: 0, toRecord: 0 },
    bankCheck: null,
    approvalAbove: 40,
    nextCursor: null,
  })
  const first = await reconcile('?limit=1')
  expect(first.reconciliation).toEqual([today])
  expect(await reconcile(`?limit=1&cursor=${first.nextCursor}`)).toMatchObject({ reconciliation: [yesterday], nextCursor: null })
  const broken = await world.calls.ask('GET /admin/reconciliation?cursor=x', { as: world.staff.auditor })
  expect([broken.status, broken.body.code]).toEqual([400, 'invalid_input'])
})

test('the days download as a table, to the roles that read the list', async () => {
  const { text } = await world.calls.ask('GET /admin/reconciliation.csv', { as: world.staff.auditor })
  expect(text.trimEnd().split('\r\n')).toEqual([
    'day,captured,refunded,disputed,settled,fee,owed',
    `${TODAY},50,0,0,0,0,150`,
    `${DAY},100,0,0,0,0,100`,
  ])
  const refused = await world.calls.ask('GET /admin/reconciliation.csv', { as: world.staff.editor })
  expect(refused.body.code).toBe('forbidden')
})

test('only finance and owners record a settlement; an editor does not even read the list', async () => {
  for (const role of ['editor', 'support', 'auditor'] as const) expect((await ask({}, world.staff[role])).body.code).toBe('forbidden')
  const read = await world.calls.ask('GET /admin/reconciliation', { as: world.staff.editor })
  expect(read.body.code).toBe('forbidden')
})

test('a settlement is refused by its own fields', async () => {
  for (const [fields, field] of [
    [{ reference: 'a b' }, 'reference'],
    [{ day: '2026-02-30' }, 'day'],
    [{ day: addDays(TODAY, 1) }, 'day'],
    [{ amount: 0 }, 'amount'],
    [{ fee: -0.01 }, 'fee'],
    [{ receipts: [] }, 'receipts'],
  ] as const) {
    const { body } = await ask(fields)
    expect([body.code, Object.keys(body.fields)]).toEqual(['invalid_input', [field]])
  }
  expect((await ask({ receipts: ['f'.repeat(64)] })).body.code).toBe('receipt_not_found')
  expect((await ask({ amount: 149.5, fee: 0.51 })).body.code).toBe('settlement_exceeds_owed')
})

test('a small one is booked at once: the gateway owes less, the bank has more, and the report stays private', async () => {
  const { body } = await ask()
  expect(body.entry).toMatchObject({
    kind: 'gateway_settled',
    amount: 30,
    purpose: 'UTR0001',
    status: 'booked',
    settlement: { day: DAY, fee: 0.7 },
  })
  expect(await reconcile()).toMatchObject({
    balances: { gateway: 119.3, bank: 30, fees: 0.7 },
    reconciliation: [{ day: TODAY, settled: 30, fee: 0.7, owed: 119.3 }, { owed: 100 }],
  })
  const { hash } = body.entry.receipts[0]
  expect((await world.calls.ask(`GET /receipts/${hash}`)).body.code).toBe('receipt_not_found')
  expect((await world.calls.ask(`GET /admin/receipts/${hash}`, { as: world.staff.auditor })).status).toBe(200)
  const table = await world.calls.ask('GET /admin/house-entries.csv?q=utr0001', { as: world.staff.auditor })
  const [head, row] = table.text.trimEnd().split('\r\n')
  expect(head).toMatch(/,receipts,settled_on,fee$/)
  expect(row).toMatch(new RegExp(`,gateway_settled,30,booked,UTR0001,.*,${DAY},0.7$`))
  const lines = await world.db.query(
    sql`select action, after ->> 'fee' as fee from audit_log where subject = ${`outlay:${body.entry.id}`}::text`,
  )
  expect(lines).toEqual([{ action: 'gateway_settled.book', fee: '0.7' }])
})

test('the same number is recorded once, in whatever case and with whatever separators it is written', async () => {
  expect((await ask()).body.code).toBe('settlement_known')
  for (const reference of ['UTR-0001', 'utr/00-01']) expect((await ask({ reference, amount: 1 })).body.code).toBe('settlement_known')
  expect((await ask({ reference: 'UTR0001', amount: 1 })).body.code).toBe('settlement_known')
  const both = await Promise.all([ask({ reference: 'UTR0002', amount: 1 }), ask({ reference: 'utr0002', amount: 1 })])
  expect(both.map(({ body }) => body.code ?? body.entry.status).sort()).toEqual(['booked', 'settlement_known'])
})

test('above the limit, its fee included, another person approves it', async () => {
  // On a new day of the person, so that the fee alone exceeds the limit.
  await forgetAlone(world.database)
  const { entry } = (await ask({ reference: 'UTR-0003', amount: 39.5, fee: 0.51 })).body
  expect(entry).toMatchObject({ status: 'requested', needsSecond: true })
  for (const reference of ['UTR0003', 'UTR-0003']) expect((await ask({ reference, amount: 1 })).body.code).toBe('settlement_known')
  expect((await decide(entry.id, 'approve', world.staff.finance)).body.code).toBe('own_request')
  const answers = await Promise.all([decide(entry.id, 'approve'), decide(entry.id, 'approve')])
  expect(answers.map(({ body }) => body.code ?? 'booked').sort()).toEqual(['booked', 'changed_since_seen'])
  expect((await reconcile()).balances).toMatchObject({ gateway: 77.59, bank: 70.5, fees: 1.91 })
})

test('a rejected one books nothing, and its number can be requested again', async () => {
  const { entry } = (await ask({ reference: 'UTR0004', amount: 50 })).body
  expect((await decide(entry.id, 'reject')).body.entry).toMatchObject({ status: 'rejected' })
  const again = (await ask({ reference: 'UTR0004', amount: 50 })).body.entry
  expect(again.status).toBe('requested')
  // Meanwhile, on another day of the person, a smaller one takes what the gateway owes.
  await forgetAlone(world.database)
  expect((await ask({ reference: 'UTR0005', amount: 38, fee: 0 })).body.entry.status).toBe('booked')
  expect((await decide(again.id, 'approve')).body.code).toBe('settlement_exceeds_owed')
})

test('a day with books is read from them, and the days since go on from there', async () => {
  const { gateway } = (await reconcile()).balances
  // A paisa less than the transfers say, so that the source shows.
  const flows = [
    { from: 'GATEWAY', kind: 'topup', paise: 9999, to: 'MEMBERS' },
    { from: 'MEMBERS', kind: 'join', paise: 100, to: `POOL:${DAY}` },
    { from: 'REFUNDS_PENDING', kind: 'refund_paid', paise: 1000, to: 'GATEWAY' },
    { from: 'GATEWAY', kind: 'refund_reversed', paise: 400, to: 'MEMBERS' },
    { from: 'LOSSES', kind: 'chargeback', paise: 300, to: 'GATEWAY' },
    { from: 'BANK', kind: 'gateway_settled', paise: 2000, to: 'GATEWAY' },
    { from: 'GATEWAY_FEES', kind: 'gateway_settled', paise: 50, to: 'GATEWAY' },
  ]
  const bytes = Buffer.from(JSON.stringify({ flows, accounts: [{ account: 'GATEWAY', closing: -7049 }] }))
  await world.db.query(sql`insert into books_day (day, bytes, help_in, help_out) values (${DAY}::date, ${bytes}::bytea, 0, 0)`)
  const [today, yesterday] = (await reconcile()).reconciliation
  expect(yesterday).toEqual({ day: DAY, captured: 99.99, refunded: 6, disputed: 3, settled: 20, fee: 0.5, owed: 70.49 })
  expect(today.owed).toBeCloseTo(gateway - 100 + 70.49, 2)
})

test('a number of a settlement that was read is recorded as the gateway writes it', async () => {
  await world.db.query(sql`
    insert into gateway_settlement_seen (settlement_id, state, status, utr, amount, fee, own_fee) values ('77001', 'paid', 'SUCCESS', 'NB0009', 100, 0, 0)`)
  expect((await ask({ reference: 'nb-0009', amount: 1, fee: 0 })).body.entry).toMatchObject({ status: 'booked', purpose: 'NB0009' })
  for (const reference of ['77001', '77-001']) expect((await ask({ reference, amount: 1, fee: 0 })).body.code).toBe('settlement_known')
})
