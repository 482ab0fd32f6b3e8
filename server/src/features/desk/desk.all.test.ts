/** The portal’s day: the to-do list, and every round with the reason why it waits. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { STAFF, STAFF_ROLES, type StaffRole } from '@roz/contract/roles.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Db, sql } from '../../db/sql.ts'
import { makeMember, makeStaff, serveCalls, useCalls } from '../../testing/calls.ts'
import { createTestDatabase, useTestDatabase } from '../../testing/database.ts'
import { insertOutlay, insertStory, payHelp, revokeConsent, takeBack } from '../../testing/help.ts'
import { openRoundsWorld } from '../../testing/rounds-world.ts'
import { createDesk } from './desk.ts'
import { readTodo } from './todo.ts'

const TODAY = '2026-11-21' as IstDay
// This file writes withdrawals and rounds without their money, which the audit would report.
const database = useTestDatabase({ isAudited: false })
const calls = useCalls(database, (db) => createDesk({ db, payoutsByHand: false }).handlers)
const staff = new Map<StaffRole, bigint>()
beforeAll(async () => {
  await database.setClock(new Date(`${TODAY}T17:50:00+05:30`))
  for (const role of STAFF_ROLES) staff.set(role, await makeStaff(database.db, role))
})

const run = (statement: ReturnType<typeof sql>) => database.db.query(statement)
type Todo = { code: string; count: number; oldest: string | null; answerBy: string | null; isLate: boolean }
const todo = async (role: StaffRole = 'owner'): Promise<Todo[]> =>
  (await calls.ask('GET /admin/todo', { as: staff.get(role) ?? 0n })).body.todo
const codes = async (role?: StaffRole): Promise<string[]> => (await todo(role)).map(({ code }) => code)

test('with nothing to do the list is empty', async () => {
  for (const role of STAFF) expect(await todo(role)).toEqual([])
})

/** A withdrawal as the ledger leaves it, without its money. */
async function insertWithdrawal(db: Db, member: bigint, row: { hours?: number; status: string; problem?: string; shownTo?: bigint }) {
  await db.query(sql`
    insert into bank_account (member_id, account_mac, details_mac, sealed, bank_name, last_four)
    values (${member}::bigint, sha256('a'), sha256('b'), 'x', 'Sample Bank', '1234') on conflict do nothing`)
  await db.query(sql`
    insert into withdrawal (id, member_id, amount, bank_account_id, status, problem, shown_to, shown_at, created_at)
    select gen_random_uuid(), ${member}::bigint, 1000, (select min(id) from bank_account where member_id = ${member}::bigint),
      ${row.status}::text, ${row.problem ?? null}::text, ${row.shownTo ?? null}::bigint,
      case when ${row.shownTo !== undefined}::boolean then roz_now() end, roz_now() - ${row.hours ?? 1}::int * interval '1 hour'`)
}

test('a withdrawal is counted from its request, late after 48 hours, and only roles that read money see it', async () => {
  const member = await makeMember(database.db)
  await insertWithdrawal(database.db, member, { hours: 3, status: 'requested' })
  expect(await todo('finance')).toEqual([
    { code: 'withdrawals', count: 1, oldest: expect.stringContaining(`${TODAY}T1`), answerBy: null, isLate: false },
  ])
  await insertWithdrawal(database.db, member, { hours: 49, status: 'requested' })
  expect(await todo('auditor')).toMatchObject([{ code: 'withdrawals', count: 2, isLate: true }])
  expect(await todo('editor')).toEqual([])
  // A withdrawal that the gateway refused has stopped. A withdrawal that is being sent or waits for the end of a hold needs nobody.
  for (const status of ['approved', 'sending']) {
    await insertWithdrawal(database.db, member, { status, problem: 'member_on_hold' })
    await insertWithdrawal(database.db, member, { status })
  }
  expect(await codes('support')).toEqual(['withdrawals'])
  await insertWithdrawal(database.db, member, { status: 'approved', problem: 'beneficiary_invalid' })
  expect(await todo('support')).toMatchObject([{ code: 'withdrawals' }, { code: 'failed_payouts', count: 1, isLate: true }])
  await insertWithdrawal(database.db, member, { status: 'sending', problem: 'other_amount' })
  expect(await todo('support')).toMatchObject([{ code: 'withdrawals' }, { code: 'failed_payouts', count: 2 }])
})

test('a request that needs a second person has a line of its own, not listed to the first with any account of theirs, nor while on hold', async () => {
  const own = await createTestDatabase()
  try {
    const [finance, owner] = [await makeStaff(own.db, 'finance'), await makeStaff(own.db, 'owner')]
    const twin = await makeStaff(own.db, 'finance')
    await own.db.query(sql`update member set email = 'asha@roz.example' where id = ${finance}::bigint`)
    await own.db.query(sql`update member set email = 'asha+second@roz.example' where id = ${twin}::bigint`)
    const seen = async (memberId: bigint, staffRole: StaffRole) =>
      (await readTodo(own.db, { viewer: { memberId, staffRole }, payoutsByHand: true })).map(({ code, count }) => [code, count])
    const [asha, held] = [await makeMember(own.db), await makeMember(own.db)]
    for (const member of [asha, held]) {
      await insertWithdrawal(own.db, member, { status: 'requested' })
      await own.db.query(sql`
        insert into refund (id, order_id, member_id, amount, reason, status)
        values (gen_random_uuid(), ${`o${member}`}::text, ${member}::bigint, 500, 'Twice', 'requested')`)
    }
    await own.db.query(sql`insert into outlay (id, kind, amount_paise, purpose, needs_second, asked_by)
      values (gen_random_uuid(), 'platform_out', 500, 'server rent', true, ${finance}::bigint)`)
    expect(await seen(twin, 'finance')).toEqual([
      ['withdrawals', 2],
      ['refunds', 2],
    ])
    await own.db.query(sql`update member set suspended_at = roz_now() where id = ${held}::bigint`)
    expect(await seen(twin, 'finance')).toEqual([
      ['withdrawals', 1],
      ['refunds', 1],
    ])
    for (const table of [sql`withdrawal`, sql`refund`])
      await own.db.query(sql`update ${table} set first_approved_by = ${finance}::bigint, first_approved_at = roz_now()`)
    expect([await seen(finance, 'finance'), await seen(twin, 'finance')]).toEqual([[], []])
    expect(await seen(owner, 'owner')).toEqual([
      ['withdrawals_second', 1],
      ['refunds_second', 1],
      ['house_entries', 1],
    ])
  } finally {
    await own.dropUnaudited()
  }
})

test('an approved withdrawal waits for its payment by hand where no gateway pays out, or once its bank account was shown', async () => {
  const own = await createTestDatabase()
  const by = async (payoutsByHand: boolean) =>
    (await readTodo(own.db, { viewer: { memberId: finance, staffRole: 'finance' }, payoutsByHand })).map(({ code, count, isLate }) => [
      code,
      count,
      isLate,
    ])
  const finance = await makeStaff(own.db, 'finance')
  try {
    const [asha, held] = [await makeMember(own.db), await makeMember(own.db)]
    await own.db.query(sql`update member set suspended_at = roz_now() where id = ${held}::bigint`)
    // Nothing leaves to a member on hold.
    await insertWithdrawal(own.db, held, { hours: 60, status: 'approved' })
    expect(await by(true)).toEqual([])
    await insertWithdrawal(own.db, asha, { hours: 2, status: 'approved' })
    expect(await by(true)).toEqual([['payouts_by_hand', 1, false]])
    expect(await by(false)).toEqual([])
    // One that a gateway refused before its keys were taken away is paid by hand too, and is counted once.
    await insertWithdrawal(own.db, asha, { hours: 50, status: 'approved', problem: 'beneficiary_invalid' })
    expect(await by(true)).toEqual([['payouts_by_hand', 2, true]])
    expect(await by(false)).toEqual([['failed_payouts', 1, true]])
    // With a gateway too, only the person who was shown the account can end it.
    await insertWithdrawal(own.db, asha, { hours: 3, status: 'approved', shownTo: finance })
    expect(await by(false)).toEqual([
      ['failed_payouts', 1, true],
      ['payouts_by_hand', 1, false],
    ])
  } finally {
    await own.dropUnaudited()
  }
})

test('payments from the help fund and platform entries wait in two lines, for approvers who did not ask', async () => {
  const own = await createTestDatabase()
  try {
    const people = {
      finance: await makeStaff(own.db, 'finance'),
      owner: await makeStaff(own.db, 'owner'),
      editor: await makeStaff(own.db, 'editor'),
    }
    const seen = async (role: keyof typeof people) =>
      (await readTodo(own.db, { viewer: { memberId: people[role], staffRole: role }, payoutsByHand: true })).map(({ code, count }) => [
        code,
        count,
      ])
    await insertOutlay(own.db, { status: 'requested', askedBy: people.editor, decidedBy: people.owner })
    await insertOutlay(own.db, { status: 'requested', askedBy: people.finance, decidedBy: people.owner })
    await own.db.query(sql`
      insert into outlay (id, kind, amount_paise, purpose, needs_second, asked_by)
      values (gen_random_uuid(), 'platform_out', 500, 'server rent', true, ${people.finance}::bigint)`)
    expect(await seen('owner')).toEqual([
      ['outlays', 2],
      ['house_entries', 1],
    ])
    expect(await seen('finance')).toEqual([['outlays', 1]])
    expect(await seen('editor')).toEqual([])
  } finally {
    await own.drop()
  }
})

test('booked help waits for a published story of it; what came back wholly or has no consent any more does not', async () => {
  const own = await createTestDatabase()
  try {
    const editor = await makeStaff(own.db, 'editor')
    const untold = async () =>
      (await readTodo(own.db, { viewer: { memberId: editor, staffRole: 'editor' }, payoutsByHand: true })).find(
        ({ code }) => code === 'untold_help',
      )
    const by = { askedBy: editor, decidedBy: editor }
    const shoes = await insertOutlay(own.db, { ...by, amount: 500 })
    await insertOutlay(own.db, { ...by, status: 'requested' })
    expect(await untold()).toMatchObject({ count: 1, isLate: false })
    await insertStory(own.db, { outlayId: shoes.id })
    expect(await untold()).toMatchObject({ count: 1 })
    await own.db.query(sql`update story set is_active = true, published_at = roz_now()`)
    expect(await untold()).toBeUndefined()
    const [rice, books] = [await insertOutlay(own.db, { ...by, amount: 500 }), await insertOutlay(own.db, by)]
    expect(await untold()).toMatchObject({ count: 2 })
    await own.db.query(sql`
      insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, corrects, needs_second, status, asked_by, decided_by, decided_at)
      values (gen_random_uuid(), 'disbursement_back', 500, 'the shop was closed', ${rice.beneficiaryId}::uuid, ${rice.id}::uuid, false,
        'booked', ${editor}::bigint, ${editor}::bigint, roz_now())`)
    expect(await untold()).toMatchObject({ count: 1 })
    await revokeConsent(own.db, books.beneficiaryId)
    expect(await untold()).toBeUndefined()
  } finally {
    await own.dropUnaudited()
  }
})

test('yesterday’s story is missing from 6 PM on, until it is published', async () => {
  const id = await insertStory(database.db, { roundDay: addDays(TODAY, -1) })
  expect(await codes('editor')).toEqual([])
  await database.setClock(new Date(`${TODAY}T18:00:00+05:30`))
  expect(await todo('editor')).toEqual([{ code: 'stories', count: 1, oldest: `${TODAY}T18:00:00.000+05:30`, answerBy: null, isLate: true }])
  await run(sql`update story set is_active = true, published_at = roz_now() where id = ${id}::uuid`)
  expect(await codes('editor')).toEqual([])
})

test('a day is not missing its story once a published story tells of its help, although its own draft stays', async () => {
  const world = await openRoundsWorld()
  const editor = await makeStaff(world.db, 'editor')
  const missing = async (): Promise<number> =>
    (await readTodo(world.db, { viewer: { memberId: editor, staffRole: 'editor' }, payoutsByHand: true })).find(
      ({ code }) => code === 'stories',
    )?.count ?? 0
  const publish = (outlayId: string) => insertStory(world.db, { outlayId, isActive: true })
  try {
    for (let n = 0; n < 2; n++) await world.join(await world.member(5))
    await world.goTo(`${addDays(TODAY, 1)}T18:00:00+05:30`)
    await insertStory(world.db, { roundDay: TODAY })
    expect(await missing()).toBe(1)
    const pencils = await payHelp(world.db, { amount: 20, askedBy: editor, decidedBy: editor })
    await publish(pencils.id)
    expect(await missing()).toBe(0)
    // Help that came back in full no longer counts as the day's story.
    await takeBack(world.db, pencils, 20, editor)
    expect(await missing()).toBe(1)
    // Help that nobody has told of yet changes nothing.
    await payHelp(world.db, { amount: 30, askedBy: editor, decidedBy: editor })
    expect(await missing()).toBe(1)
  } finally {
    await world.close()
  }
})

test('suspense, refunds, messages, a broken audit, late jobs and old help are each their own line', async () => {
  await run(sql`insert into suspense_item (payment_id, order_id, amount, reason) values ('p', 'o', 500, 'unknown_order')`)
  await run(sql`
    insert into refund (id, order_id, member_id, amount, reason, status, problem)
    values (gen_random_uuid(), 'o', 1999, 500, 'Too much', 'requested', null), (gen_random_uuid(), 'p', 1999, 500, 'Twice', 'approved', 'refund_refused')`)
  await run(sql`insert into contact_message (ticket, name, email, message) values ('ROZ-ABCDEF', 'Asha', 'asha@example.org', 'Hello')`)
  await run(sql`insert into audit_run (scope, finished_at, broken) values ('full', roz_now(), '[{"invariant": "a"}, {"invariant": "b"}]')`)
  await run(
    sql`insert into job (kind, key, payload, due_at) values ('mail', 'k', '{}', roz_now() - interval '9 minutes'), ('notice', 'k', '{}', roz_now() - interval '11 minutes')`,
  )
  expect((await todo('owner')).map(({ code, count }) => [code, count])).toEqual([
    ['withdrawals', 2],
    ['failed_payouts', 2],
    ['failed_refunds', 1],
    ['audit', 2],
    ['jobs', 1],
    ['refunds', 1],
    ['suspense', 1],
    ['messages', 1],
  ])
  expect(await codes('editor')).toEqual(['audit', 'jobs'])
  expect(await codes('auditor')).toEqual([
    'withdrawals',
    'failed_payouts',
    'failed_refunds',
    'audit',
    'jobs',
    'refunds',
    'suspense',
    'messages',
  ])
})

test('a dispute waits for our answer until the earliest date of a bank, and is late in its last two days or two days without a date', async () => {
  const own = await createTestDatabase()
  const auditor = await makeStaff(own.db, 'auditor')
  const line = async () => {
    const all = await readTodo(own.db, { viewer: { memberId: auditor, staffRole: 'auditor' }, payoutsByHand: false })
    return all.find(({ code }) => code === 'disputes')
  }
  const report = (id: string, status: string, by: string | null, state = 'open') =>
    own.db.query(sql`
      insert into dispute (id, order_id, payment_id, amount, type, status, state, respond_by)
      values (${id}::text, ${id}::text, ${id}::text, 1000, 'CHARGEBACK', ${status}::text, ${state}::text, ${by}::timestamptz)`)
  try {
    await own.setClock(new Date(`${TODAY}T12:00:00+05:30`))
    // These wait for the bank, or for nobody.
    await report('answered', 'CHARGEBACK_DOCS_RECEIVED', `${TODAY}T13:00:00+05:30`)
    await report('over', 'CHARGEBACK_CREATED', `${TODAY}T13:00:00+05:30`, 'lost')
    expect(await line()).toBeUndefined()
    await report('later', 'DISPUTE_CREATED', `${addDays(TODAY, 7)}T12:00:00+05:30`)
    await report('earlier', 'CHARGEBACK_CREATED', `${addDays(TODAY, 5)}T12:00:00+05:30`)
    expect(await line()).toMatchObject({ count: 2, answerBy: `${addDays(TODAY, 5)}T12:00:00.000+05:30`, isLate: false })
    await own.setClock(new Date(`${addDays(TODAY, 3)}T12:00:01+05:30`))
    expect(await line()).toMatchObject({ count: 2, isLate: true })
    await own.db.query(sql`update dispute set respond_by = null`)
    expect(await line()).toMatchObject({ count: 2, answerBy: null, oldest: expect.stringContaining(`${TODAY}T12:00`), isLate: true })
    await own.setClock(new Date(`${addDays(TODAY, 1)}T12:00:00+05:30`))
    expect(await line()).toMatchObject({ isLate: false })
    expect(await readTodo(own.db, { viewer: { memberId: auditor, staffRole: 'editor' }, payoutsByHand: false })).toEqual([])
  } finally {
    await own.dropUnaudited()
  }
})

test('rounds are listed with what each waits for, from open to its books, page by page and as a table', async () => {
  const world = await openRoundsWorld()
  const served = await serveCalls(world.db, createDesk({ db: world.db, payoutsByHand: true }).handlers)
  const editor = await makeStaff(world.db, 'editor')
  const rounds = async (query = '') => (await served.ask(`GET /admin/rounds${query}`, { as: editor })).body
  try {
    for (let n = 0; n < 2; n++) await world.join(await world.member(5))
    expect((await rounds()).rounds).toMatchObject([
      { day: TODAY, status: 'open', entries: 2, pool: 2, root: null, waitsFor: [], books: 'waiting' },
    ])
    await world.goTo(`${addDays(TODAY, 1)}T00:10:00+05:30`)
    const { rounds: both, nextCursor } = await rounds('?limit=1')
    expect(both).toMatchObject([{ day: addDays(TODAY, 1), status: 'open' }])
    const [settled] = (await rounds(`?limit=1&cursor=${nextCursor}`)).rounds
    expect(settled).toMatchObject({
      day: TODAY,
      status: 'settled',
      split: { need: 1.2, reward: 0.6, platform: 0.2 },
      winners: 1,
      beacon: { mode: 'local', hasNumber: true },
    })
    expect(settled.root).toMatch(/^[0-9a-f]{64}$/)
    expect(settled.waitsFor.every((what: string) => ['witnesses', 'books'].includes(what))).toBe(true)
    const days = async (query: string) => (await rounds(query)).rounds.map(({ day }: { day: string }) => day)
    expect(await days('?status=settled')).toEqual([TODAY])
    expect(await days(`?q=${TODAY.slice(0, 7)}`)).toEqual([addDays(TODAY, 1), TODAY])
    expect([await days(`?status=open&q=${TODAY}`), await days('?q=_')]).toEqual([[], []])
    expect((await served.ask('GET /admin/rounds?status=lost', { as: editor })).body.code).toBe('invalid_input')
    const table = async (query: string) => (await served.ask(`GET /admin/rounds.csv${query}`, { as: editor })).text.trimEnd().split('\r\n')
    const [head, ...rows] = await table('')
    expect(head).toContain('day,status,entries,pool_rupees')
    const settledRow = expect.stringContaining(`${TODAY},settled,2,2,1.2,0.6,0.2,1,`)
    expect(rows).toEqual([expect.stringContaining(`${addDays(TODAY, 1)},open,`), settledRow])
    expect(await table('?status=settled')).toEqual([head, settledRow])
    // Nobody spends the help share of the first day for more than 14 days.
    await world.goTo(`${addDays(TODAY, 16)}T12:00:00+05:30`)
    const { todo: waiting } = (await served.ask('GET /admin/todo', { as: editor })).body
    expect(waiting).toMatchObject([{ code: 'help_waiting', count: 1, isLate: true }])
  } finally {
    await served.close()
    await world.close()
  }
})
