/** Decisions about members' accounts, and the page of one member. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { holdMember } from '../../ledger/suspension.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { makeMember, makeStaff, publicIdOf } from '../../testing/calls.ts'
import { useServicesWorld } from '../../testing/services-world.ts'
import { eraseIdentity } from '../rights/erase.ts'

const world = useServicesWorld()
let admin: bigint
let member: bigint
let id: string
beforeAll(async () => {
  admin = await makeStaff(world.database.db, 'support')
})
beforeEach(async () => {
  member = await makeMember(world.database.db, { name: 'Meera Iyer' })
  id = await publicIdOf(world.database.db, member)
})

const REASON = { reason: 'Four accounts share one bank account.' }
const ask = (call: string, body?: object, options: { readonly isStale?: boolean } = {}) =>
  world.calls.ask(call, { as: admin, ...(body === undefined ? {} : { body }), ...options })
const decide = (action: string, body: object = REASON) => ask(`POST /admin/users/${id}/${action}`, body)
const mails = () =>
  world.database.db.query<{ template: string; language: string }>(sql`
    select payload ->> 'template' as template, payload ->> 'language' as language from job
     where kind = 'mail' and payload ->> 'to' = (select email from member where id = ${member}::bigint) order by id`)
const lastEntry = () =>
  world.database.db.maybeOne<{ action: string; actor: bigint; after: { reason: string } }>(
    sql`select action, actor_id as actor, after from audit_log where subject = ${`member:${member}`}::text order by id desc limit 1`,
  )
const mayMove = async () =>
  (await world.database.db.one<{ may: boolean }>(sql`select may_move as may from wallet where member_id = ${member}::bigint`)).may

test('a suspended member is refused by every call that moves money, reads everything, and is told in their language', async () => {
  await world.database.db.query(sql`update member set language = 'hi' where id = ${member}::bigint`)
  const { status, body } = await decide('suspend')
  expect([status, body.user.suspendedAt]).toEqual([200, expect.any(String)])
  expect(await mayMove()).toBe(false)
  const asMember = (call: string, given?: object) => world.calls.ask(call, { as: member, ...(given === undefined ? {} : { body: given }) })
  const refused = {
    'POST /rounds/join': {},
    'POST /wallet/add': { amount: 20, phoneNumber: '9876543210' },
    'POST /wallet/refunds': { order_id: 'a'.repeat(32), amount: 1, reason: 'Twice' },
    'POST /user/close': { gift: true },
  }
  for (const [call, given] of Object.entries(refused)) {
    const answer = await asMember(call, given)
    expect([call, answer.status, answer.body.message]).toEqual([call, 403, 'Your account is suspended. Please contact us.'])
  }
  for (const call of ['GET /wallet/transactions', 'GET /user/export', 'GET /rounds/history'])
    expect((await asMember(call)).status, call).toBe(200)
  expect(await mails()).toEqual([{ template: 'account_suspended', language: 'hi' }])
  expect(await lastEntry()).toMatchObject({ action: 'member.suspend', actor: admin, after: REASON })
  expect((await decide('reinstate')).body.user.suspendedAt).toBeNull()
  expect(await mayMove()).toBe(true)
  expect((await mails()).map(({ template }) => template)).toEqual(['account_suspended', 'account_reinstated'])
})

test('nobody ends the suspension or the hold of an account of their own', async () => {
  await world.database.db.query(sql`update member set email = 'kavita.rao+wallet@gmail.com' where id = ${member}::bigint`)
  const kavita = await makeStaff(world.database.db, 'support')
  await world.database.db.query(sql`update member set email = 'kavitarao@gmail.com' where id = ${kavita}::bigint`)
  await decide('suspend')
  await decide('hold')
  for (const [action, state] of [
    ['reinstate', 'suspendedAt'],
    ['release', 'hold'],
  ] as const) {
    const own = await world.calls.ask(`POST /admin/users/${id}/${action}`, { as: kavita, body: REASON })
    expect([own.status, own.body.code]).toEqual([403, 'own_money'])
    expect((await decide(action)).body.user[state]).toBeNull()
  }
})

test('a decision that changes nothing is refused, neither recorded nor mailed', async () => {
  expect((await decide('reinstate')).body.code).toBe('not_suspended')
  expect((await decide('release')).body.code).toBe('not_held')
  expect(await mails()).toEqual([])
  await decide('suspend')
  await decide('hold')
  expect((await decide('suspend')).body.code).toBe('already_suspended')
  expect((await decide('hold')).body.code).toBe('already_held')
  expect((await mails()).map(({ template }) => template)).toEqual(['account_suspended', 'payouts_held'])
})

test('of two suspensions at the same moment one is refused, and one mail is sent', async () => {
  const answers = await Promise.all([decide('suspend'), decide('suspend')])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(await mails()).toHaveLength(1)
})

test('a hold keeps the wallet open to movements, names the staff, and ends with a release', async () => {
  const { body } = await decide('hold')
  expect(body.user.hold).toEqual({ at: expect.any(String), about: 'staff', seen: expect.any(String) })
  expect(await mayMove()).toBe(true)
  expect((await decide('release')).body.user.hold).toBeNull()
  expect((await mails()).map(({ template }) => template)).toEqual(['payouts_held', 'payouts_released'])
})

test('a release that was decided on another reason of the hold is refused', async () => {
  const shown = (await decide('hold')).body.user.hold
  // The member answers a mail with "This wasn't me" while the dialog is open.
  await inTransaction(world.database.db, (tx) => holdMember(tx, member, 'new_bank_account'))
  const stale = await decide('release', { ...REASON, seen: shown.seen })
  expect([stale.status, stale.body.code]).toEqual([409, 'changed_since_seen'])
  const { hold } = (await ask(`GET /admin/users/${id}`)).body.user
  expect(hold.about).toBe('new_bank_account')
  expect((await decide('release', { ...REASON, seen: hold.seen })).body.user.hold).toBeNull()
  expect((await decide('release', { ...REASON, seen: hold.seen })).body.code).toBe('not_held')
})

test('a decision requires a reason, a fresh password and a member', async () => {
  const nobody = id.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f'))
  for (const action of ['suspend', 'reinstate', 'hold', 'release', 'end-sessions']) {
    expect((await decide(action, { reason: ' ' })).status, action).toBe(400)
    expect((await ask(`POST /admin/users/${id}/${action}`, REASON, { isStale: true })).body.code, action).toBe('step_up_required')
    expect((await ask(`POST /admin/users/${nobody}/${action}`, REASON)).body.code, action).toBe('member_not_found')
    expect((await ask(`POST /admin/users/unknown/${action}`, REASON)).body.code, action).toBe('member_not_found')
  }
  expect((await ask('GET /admin/users/unknown')).body.code).toBe('member_not_found')
  expect((await ask('GET /admin/users/unknown/transactions')).body.code).toBe('member_not_found')
  expect((await ask('POST /admin/users/unknown/notes', { text: 'Called.' })).body.code).toBe('member_not_found')
})

test('the staff end all sessions of a member', async () => {
  await world.database.db.query(sql`
    insert into session (token_hash, member_id, kind, expires_at, last_at)
    select sha256(n::text::bytea), ${member}::bigint, 'member', roz_now() + interval '1 day', roz_now() + interval '1 day' from generate_series(1, 2) n`)
  expect((await decide('end-sessions')).body).toEqual({ ended: 2 })
  expect((await decide('end-sessions')).body).toEqual({ ended: 0 })
  expect(await lastEntry()).toMatchObject({ action: 'member.end_sessions', after: REASON })
})

test('a note is kept with its author, and can be neither changed nor removed', async () => {
  const { status, body } = await ask(`POST /admin/users/${id}/notes`, { text: '  Called, and asked for a statement. ' })
  expect([status, body.note]).toEqual([201, expect.objectContaining({ text: 'Called, and asked for a statement.', author: 'Staff' })])
  const { db } = world.database
  await expect(db.query(sql`update member_note set text = 'x' where member_id = ${member}::bigint`)).rejects.toThrow()
  await expect(db.query(sql`delete from member_note where member_id = ${member}::bigint`)).rejects.toThrow('never changed')
  expect((await ask(`GET /admin/users/${id}`)).body.notes).toHaveLength(1)
  expect((await ask(`POST /admin/users/${id}/notes`, { text: 'x' })).body.fields).toEqual({
    text: 'Please write a note of 3 to 2,000 characters',
  })
})

test('a note about an account that is being erased waits, and is refused', async () => {
  const { db } = world.database
  const writing = await inTransaction(db, async (tx) => {
    await eraseIdentity(tx, member)
    const sent = ask(`POST /admin/users/${id}/notes`, { text: 'Called.' })
    const waits = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await db.query(waits)).length, { timeout: 10_000 }).toBe(1)
    return { sent }
  })
  expect((await writing.sent).body.code).toBe('member_not_found')
  expect(await db.query(sql`select from member_note where member_id = ${member}::bigint`)).toEqual([])
})

test("a member's page shows account, flags, mails and rounds, and pages the transactions", async () => {
  const { db } = world.database
  await db.query(sql`insert into member_flag (member_id, kind, subject) values (${member}::bigint, 'dispute', 'dispute:d1')`)
  await db.query(sql`insert into member_mail (job_id, member_id, template, outcome) values (1, ${member}::bigint, 'welcome', 'sent')`)
  const page = (await ask(`GET /admin/users/${id}`)).body
  expect(page).toMatchObject({
    user: { id, name: 'Meera Iyer', walletBalance: 0, suspendedAt: null },
    devices: [],
    flags: [{ kind: 'dispute', about: 'dispute:d1' }],
    notes: [],
    mails: [{ kind: 'welcome', outcome: 'sent' }],
    withdrawals: [],
    refunds: [],
    debts: [],
    days: [{ day: DAY, joined: false }],
  })
  // Rounds from before the registration are not listed.
  await db.query(sql`update member set created_at = created_at + interval '1 day' where id = ${member}::bigint`)
  expect((await ask(`GET /admin/users/${id}`)).body.days).toEqual([])
  expect((await ask(`GET /admin/users/${id}/transactions?limit=5`)).body).toEqual({ transactions: [], nextCursor: null })
  expect((await ask(`GET /admin/users/${id}/transactions?cursor=x`)).status).toBe(400)
})
