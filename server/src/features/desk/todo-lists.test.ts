/** Each line of the to-do list counts the rows of the list that it opens, for each role that may read both. */
import { READERS, STAFF, type StaffRole, TREASURY } from '@roz/contract/roles.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { readFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Sql, sql } from '../../db/sql.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { insertOutlay, insertStory } from '../../testing/help.ts'
import { insertFinding, insertSeenSettlement } from '../../testing/seen-settlement.ts'
import { openServicesWorld, type ServicesWorld } from '../../testing/services-world.ts'
import { insertLine } from '../../testing/statement.ts'
import { TRANSFER_ACCOUNT } from '../../testing/wallet-world.ts'

/** The list behind each line: its call, its rows, and the roles that read the line. */
const LISTS = {
  withdrawals: ['admin/withdrawals?status=to_decide', 'withdrawals', READERS],
  withdrawals_second: ['admin/withdrawals?status=to_second', 'withdrawals', READERS],
  payouts_by_hand: ['admin/withdrawals?status=by_hand', 'withdrawals', READERS],
  failed_payouts: ['admin/withdrawals?status=not_sent', 'withdrawals', READERS],
  refunds: ['admin/refunds?status=to_decide', 'refunds', READERS],
  refunds_second: ['admin/refunds?status=to_second', 'refunds', READERS],
  failed_refunds: ['admin/refunds?status=not_sent', 'refunds', READERS],
  transfers: ['admin/transfers/lines?', 'lines', READERS],
  transfers_second: ['admin/transfers?status=to_second', 'transfers', READERS],
  suspense: ['admin/suspense?status=to_decide', 'suspense', READERS],
  disputes: ['admin/disputes?status=to_answer', 'disputes', READERS],
  autopay_late: ['admin/autopay?status=late', 'mandates', READERS],
  autopay_unknown: ['admin/autopay?status=unknown', 'mandates', READERS],
  autopay_uncancelled: ['admin/autopay?status=uncancelled', 'mandates', READERS],
  settlements: ['admin/gateway-settlements?status=to_record', 'settlements', READERS],
  findings: ['admin/findings?status=open', 'findings', READERS],
  stories: ['impact/stories-admin?status=late', 'stories', STAFF],
  stories_language: ['impact/stories-admin?status=lacks_language', 'stories', STAFF],
  help_cases: ['admin/help-cases?status=untouched', 'cases', STAFF],
  help_language: ['admin/disbursements?status=lacks_language', 'disbursements', STAFF],
  untold_help: ['admin/disbursements?status=untold', 'disbursements', STAFF],
  help_waiting: ['admin/rounds?status=help_waiting', 'rounds', STAFF],
  outlays: ['admin/disbursements?status=to_approve', 'disbursements', TREASURY],
  house_entries: ['admin/house-entries?status=to_approve', 'entries', TREASURY],
  messages: ['admin/messages?status=unanswered', 'messages', READERS],
} as const

let world: ServicesWorld
const staff = new Map<StaffRole, bigint>()
const run = (statement: Sql) => world.database.db.query(statement)
beforeAll(async () => {
  world = await openServicesWorld({ settings: { PAYMENTS: 'bank-transfer', ...TRANSFER_ACCOUNT } })
  for (const role of STAFF) staff.set(role, await makeStaff(world.database.db, role))
})
afterAll(async () => {
  await world.calls.close()
  await world.services.worker.stop()
  // This file writes rows without their money, which the audit would report.
  await world.database.dropUnaudited()
})

const person = (role: StaffRole): bigint => staff.get(role) ?? 0n

async function insertWithdrawals(member: bigint): Promise<void> {
  await run(sql`
    insert into bank_account (member_id, account_mac, details_mac, sealed, bank_name, last_four)
    values (${member}::bigint, sha256('a'), sha256('b'), 'x', 'Sample Bank', '1234') on conflict do nothing`)
  await run(sql`
    insert into withdrawal (id, member_id, amount, bank_account_id, status, problem, first_approved_by, first_approved_at, shown_to, shown_at)
    select gen_random_uuid(), ${member}::bigint, 1000, (select min(id) from bank_account where member_id = ${member}::bigint), v.status, v.problem,
           v.first_by, case when v.first_by is not null then roz_now() end, v.shown, case when v.shown is not null then roz_now() end
      from (values ('requested', null, null::bigint, null::bigint), ('requested', null, ${person('finance')}::bigint, null),
                   ('requested', null, ${person('owner')}::bigint, null), ('approved', null, null, null), ('approved', 'beneficiary_invalid', null, null),
                   ('sending', 'beneficiary_invalid', null, null), ('approved', 'beneficiary_invalid', null, ${person('finance')}::bigint)) v (status, problem, first_by, shown)`)
}

async function insertRefunds(member: bigint): Promise<void> {
  await run(sql`
    insert into refund (id, order_id, member_id, amount, reason, status, problem, first_approved_by, first_approved_at)
    select gen_random_uuid(), 'o' || ${member}::bigint || v.status || coalesce(v.problem, '') || coalesce(v.first_by, 0), ${member}::bigint, 500, 'Twice', v.status, v.problem,
           v.first_by, case when v.first_by is not null then roz_now() end
      from (values ('requested', null, null::bigint), ('requested', null, ${person('finance')}::bigint), ('requested', null, ${person('owner')}::bigint),
                   ('approved', null, null), ('approved', 'refund_refused', null), ('sending', 'refund_refused', null)) v (status, problem, first_by)`)
}

/** Two lines that came in with the reference of an order; one was closed with a reason. */
async function insertLines(member: bigint): Promise<void> {
  const order = randomUUID().replaceAll('-', '')
  await run(sql`insert into topup (order_id, member_id, amount) values (${order}::text, ${member}::bigint, 500)`)
  await run(sql`
    insert into bank_transfer_order (order_id, reference, amount, expires_at) values (${order}::text, 'RZAB2CD3EF', 500, roz_now() + interval '1 day')`)
  const [, closed] = [await insertLine(world.database.db, 5, 'NEFT RZAB2CD3EF'), await insertLine(world.database.db, 5, 'NEFT RZAB2CD3EF')]
  await run(sql`
    insert into money_finding (kind, subject, difference, closed_by, closed_at, reason)
    values ('bank_line', ${`bank_line:${closed}`}::text, 500, ${person('finance')}::bigint, roz_now(), 'A loan')`)
}

/** Each waits for another reason, and one for none. */
async function insertMandates(): Promise<void> {
  for (const [state, days, isUnknown] of [
    ['on', 7, false],
    ['on', 2, true],
    ['stopping', 2, false],
    ['on', 2, false],
  ] as const) {
    const member = await makeMember(world.database.db)
    const [auth, order] = [crypto.randomUUID().replaceAll('-', ''), crypto.randomUUID().replaceAll('-', '')]
    await run(
      sql`insert into topup (order_id, member_id, amount) select o, ${member}::bigint, 3000 from unnest(array[${auth}::text, ${order}::text]) o`,
    )
    await run(sql`
      with made as (
        insert into autopay_mandate (id, member_id, state, amount, terms_version, auth_order_id, expires_at, stopping_at, unknown_since)
        values (gen_random_uuid(), ${member}::bigint, ${state}::text, 3000, 'test', ${auth}::text, roz_now() + interval '3 years',
          case when ${state}::text = 'stopping' then roz_now() - interval '25 hours' end, case when ${isUnknown}::boolean then roz_now() end) returning id)
      insert into autopay_charge (order_id, mandate_id, kind, day, status)
      select ${order}::text, id, 'charge', ist_day(roz_now()) - ${days}::int, 'open' from made`)
  }
}

test('every line counts as many items as its list has rows, in each role', async () => {
  const { db } = world.database
  const today = ((await run(sql`select ist_day(roz_now())::text as day`))[0] as { day: IstDay }).day
  const [asha, held] = [await makeMember(db), await makeMember(db)]
  for (const member of [asha, held]) {
    await insertWithdrawals(member)
    await insertRefunds(member)
  }
  await run(sql`update member set suspended_at = roz_now() where id = ${held}::bigint`)
  await run(sql`
    insert into suspense_item (payment_id, order_id, amount, reason, first_by, first_at, first_act, first_member)
    values ('p1', 'o1', 500, 'unknown_order', null, null, null, null),
           ('p2', 'o2', 500, 'unknown_order', ${person('finance')}::bigint, roz_now(), 'credit', ${asha}::bigint),
           ('p3', 'o3', 500, 'unknown_order', ${person('owner')}::bigint, roz_now(), 'credit', ${asha}::bigint)`)
  await run(sql`
    insert into dispute (id, order_id, payment_id, amount, type, status, state)
    values ('d1', 'd1', 'd1', 1000, 'CHARGEBACK', 'CHARGEBACK_CREATED', 'open'),
           ('d2', 'd2', 'd2', 1000, 'CHARGEBACK', 'CHARGEBACK_DOCS_RECEIVED', 'open'), ('d3', 'd3', 'd3', 1000, 'CHARGEBACK', 'CHARGEBACK_CREATED', 'lost')`)
  for (const [by, rows] of [
    ['finance', 2],
    ['owner', 1],
  ] as const)
    await run(sql`
      insert into bank_transfer (id, order_id, amount, day, bank_number, status, asked_by)
      select gen_random_uuid(), repeat('a', 32), 60000, ist_day(roz_now()), 'UTR000000' || upper(${by}::text) || n, 'asked', ${person(by)}::bigint from generate_series(1, ${rows}::int) n`)
  await insertLines(asha)
  await insertMandates()
  await run(sql`
    insert into contact_message (ticket, name, email, message, status)
    select 'ROZ-ABCDE' || left(upper(s), 1), 'Asha', 'asha@example.org', 'Hello', s from unnest(array['new', 'closed']) s`)
  for (const [askedBy, status] of [
    ['editor', 'requested'],
    ['finance', 'requested'],
    ['editor', 'booked'],
  ] as const)
    await insertOutlay(db, { status, askedBy: person(askedBy), decidedBy: person('owner') })
  for (const by of ['finance', 'owner'] as const)
    await run(sql`
      insert into outlay (id, kind, amount_paise, purpose, needs_second, asked_by)
      values (gen_random_uuid(), 'platform_out', 500, 'server rent', true, ${person(by)}::bigint)`)
  await insertSeenSettlement(world.database.db, { amount: 9, fee: 0.2 })
  for (const rupees of [1, 2]) await insertFinding(world.database.db, rupees)
  for (const days of [2, 3, 30]) await insertStory(world.database.db, { roundDay: addDays(today, -days) })
  // After three days without an act a request waits; one that is younger or over does not.
  for (const [number, days, stage] of [
    ['3F9A', 4, 'new'],
    ['3F9B', 2, 'new'],
    ['3F9C', 9, 'withdrawn'],
  ] as const)
    await run(sql`
      insert into help_case (number, kind, for_whom, district, state, language, stage, touched_at)
      values (${number}::text, 'food', 'self', 'Pune', 'MH', 'en', ${stage}::text, roz_now() - ${days}::int * interval '1 day')`)
  // Without a language, a public story and a scheduled one wait; a draft does not.
  for (const [isActive, isScheduled] of [
    [true, false],
    [false, true],
    [false, false],
  ] as const)
    await run(sql`
      insert into story (id, day, title, description, charity_name, charity_description, lacks, is_active, published_at, publish_at)
      select gen_random_uuid(), ${today}::date, 'Books', 'For a school', 'Roz', 'Help', '{hi}', ${isActive}::boolean,
             case when ${isActive}::boolean then roz_now() end, case when ${isScheduled}::boolean then roz_now() + interval '1 day' end`)

  // A share of help on the 15th day waits too long, on the 14th not yet.
  const superuser = connect({ url: world.database.superUrl, max: 1 })
  await superuser.query(sql`set session_replication_role = replica`)
  for (const days of [14, 15, 40]) {
    const day = addDays(today, -days)
    await superuser.query(sql`
      insert into round (day, status, policy, need, reward, platform, winners, opens_at, closes_at, mode, secret_hash, sealed_secret)
      values (${day}::date, 'open', 'A', 60, 30, 10, 1, start_of_ist_day(${day}::date), start_of_ist_day(${day}::date + 1), 'local', sha256('x'), '')`)
    await superuser.query(sql`
      insert into transfer (kind, ref, debit, credit, amount, day) values ('need', ${day}::text, pool_account(${day}::date), 6, 60, ${day}::date + 1)`)
  }
  await superuser.close()

  for (const role of STAFF) {
    const { todo } = (await world.calls.ask('GET /admin/todo', { as: person(role) })).body as { todo: { code: string; count: number }[] }
    const counted = new Map(todo.map(({ code, count }) => [code, count]))
    for (const [code, [address, rows, roles]] of Object.entries(LISTS)) {
      const list = await world.calls.ask(`GET /${address}&limit=100`, { as: person(role) })
      const mayRead = (roles as readonly StaffRole[]).includes(role)
      expect([role, code, counted.get(code) ?? 0]).toEqual([role, code, mayRead ? list.body[rows].length : 0])
      // Nobody may find the two equal because both are empty: the owner has an item in each line.
      if (role === 'owner' && code !== 'payouts_by_hand') expect([code, counted.has(code)]).toEqual([code, true])
    }
  }
})

test('the link of each line carries the filter of its list', async () => {
  const page = await readFile(new URL('../../../../web/src/features/admin/today/Todo.tsx', import.meta.url), 'utf8')
  for (const [code, [address]] of Object.entries(LISTS)) {
    const [, status] = address.split('=')
    const line = new RegExp(`\\n  ${code}: \\{[^\\n]*(\\n    [^\\n]*)*`).exec(page)?.[0] ?? ''
    expect([code, /status: '(\w+)'/.exec(line)?.[1]]).toEqual([code, status])
  }
})

test('booked help that lacks a language waits until it has one, and for 30 days at most', async () => {
  const ask = (method: string, address: string, body?: object) =>
    world.calls.ask(`${method} /admin/${address}`, { as: person('editor'), ...(body === undefined ? {} : { body }) })
  const waiting = async () =>
    (await ask('GET', 'todo')).body.todo.find(({ code }: { code: string }) => code === 'help_language')?.count ?? 0
  const before = await waiting()
  const by = { askedBy: person('finance'), decidedBy: person('owner') }
  const [shoes] = [await insertOutlay(world.database.db, by), await insertOutlay(world.database.db, { ...by, hindi: 'किताबें' })]
  await insertOutlay(world.database.db, { ...by, status: 'requested' })
  const booked = (days: number) =>
    run(sql`
      insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, needs_second, status, asked_by, asked_at, decided_by, decided_at)
      select gen_random_uuid(), 'disbursement', 500, 'an umbrella', ${shoes.beneficiaryId}::uuid, false, 'booked', ${by.askedBy}::bigint,
        t.at, ${by.decidedBy}::bigint, t.at from (select roz_now() - ${days}::int * interval '1 day' as at) t`)
  await booked(29)
  await booked(31)
  expect(await waiting()).toBe(before + 2)
  const row = (await ask('GET', 'disbursements?status=lacks_language&limit=100')).body.disbursements.find(
    ({ id }: { id: string }) => id === shoes.id,
  )
  const { status } = await ask('POST', `disbursements/${shoes.id}/translations`, {
    status: 'booked',
    seen: row.seen,
    translations: { hi: 'स्कूल के जूते' },
  })
  expect([status, await waiting()]).toEqual([200, before + 1])
})
