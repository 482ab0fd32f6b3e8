/** Signs that accounts belong together: what is noted, when a review is open again, and the review list. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { makeMember, makeStaff, testSecrets, publicIdOf } from '../testing/calls.ts'
import { useServicesWorld } from '../testing/services-world.ts'
import { forgetOldSignals, forgetSignals, noteSignal, signalKinds, type SignalKind } from './signals.ts'

const world = useServicesWorld()
let admin: bigint
let values = 0
let value: string
beforeAll(async () => {
  admin = await makeStaff(world.database.db, 'support')
})
beforeEach(() => {
  value = `value ${++values}`
})

type Flag = { id: string; kind: string; count: number; isReviewed: boolean; note: string | null; members: { name: string }[] }
const note = (memberId: bigint, kind: SignalKind = 'phone') =>
  inTransaction(world.database.db, (tx) => noteSignal(tx, testSecrets, { kind, value, memberId }))
const flags = async (query = ''): Promise<Flag[]> => (await world.calls.ask(`GET /admin/flags${query}`, { as: admin })).body.flags
const review = (flag: Flag | undefined, body: object) =>
  world.calls.ask(`PUT /admin/flags/${flag?.id}`, { as: admin, body: { isReviewed: true, count: flag?.count, ...body } })
const member = (name = 'Asha Verma') => makeMember(world.database.db, { name })

test('one account is no sign; two with the same value are, each once, and the value is not stored', async () => {
  const [asha, ravi] = [await member(), await member('Ravi Rao')]
  await note(asha)
  await note(asha)
  expect((await flags()).filter(({ kind }) => kind === 'phone')).toEqual([])
  await note(ravi)
  expect(await flags()).toMatchObject([
    { kind: 'phone', count: 2, isReviewed: false, members: [{ name: 'Asha Verma' }, { name: 'Ravi Rao' }] },
  ])
  expect(await world.database.db.query(sql`select 1 from signal_use where position(${value}::text::bytea in key) > 0`)).toEqual([])
})

test('two accounts that come at the same moment both count', async () => {
  await Promise.all([note(await member(), 'bank'), note(await member(), 'bank')])
  expect((await flags()).find(({ kind }) => kind === 'bank')).toMatchObject({ count: 2 })
})

test('a network address is a sign from four accounts on; young money from one', async () => {
  for (let n = 1; n <= 4; n++) {
    expect((await flags()).filter(({ kind }) => kind === 'network')).toHaveLength(0)
    await note(await member(), 'network')
  }
  expect((await flags()).filter(({ kind }) => kind === 'network')).toHaveLength(1)
  await note(await member(), 'young_money')
  expect((await flags()).filter(({ kind }) => kind === 'young_money')).toMatchObject([{ count: 1 }])
})

test('of many accounts the ten newest are named, in whatever order they came, and all are counted', async () => {
  const accounts: bigint[] = []
  for (let n = 1; n <= 12; n++) accounts.push(await member(`Member ${String.fromCodePoint(64 + n)}`))
  for (const account of accounts.toReversed()) await note(account, 'network')
  const [flag] = (await flags()).filter(({ count }) => count === 12)
  expect(flag?.members.map(({ name }) => name.slice(-1)).join('')).toBe('CDEFGHIJKL')
})

test('staff are not noted', async () => {
  await note(admin, 'young_money')
  expect((await flags()).filter(({ kind }) => kind === 'young_money')).toHaveLength(1)
})

test('a review is recorded with its note, and open again when another account joins; a sign that changed meanwhile is refused', async () => {
  await note(await member(), 'device')
  await note(await member(), 'device')
  const [flag] = (await flags('?status=unreviewed')).filter(({ kind }) => kind === 'device')
  const reviewed = await review(flag, { note: 'Two sisters, called both.' })
  expect(reviewed.body.flag).toMatchObject({ isReviewed: true, note: 'Two sisters, called both.', reviewedBy: 'Staff' })
  expect((await flags('?status=unreviewed')).filter(({ kind }) => kind === 'device')).toEqual([])
  expect((await flags('?status=reviewed')).filter(({ kind }) => kind === 'device')).toHaveLength(1)
  const entry = await world.database.db.one(sql`select action, after from audit_log where subject = ${`flag:${flag?.id}`}::text`)
  expect(entry).toEqual({ action: 'flag.review', after: { isReviewed: true, note: 'Two sisters, called both.' } })
  await note(await member(), 'device')
  expect((await flags('?status=unreviewed')).filter(({ kind }) => kind === 'device')).toMatchObject([{ count: 3 }])
  expect((await review(flag, {})).body.code).toBe('changed_since_seen')
  expect((await review({ id: 'unknown', count: 2 } as Flag, {})).body.code).toBe('flag_not_found')
})

test('signs are found by name, mail and phone of any of their accounts', async () => {
  const [asha, kavya] = [await member(), await member('Kavya Nair')]
  for (const account of [asha, kavya]) await note(account, 'bank')
  await world.database.db.query(sql`update member set phone = '9123456780' where id = ${kavya}::bigint`)
  const { email } = await world.database.db.one<{ email: string }>(sql`select email from member where id = ${kavya}::bigint`)
  for (const q of ['kavya n', email, '+91 91234 56780'])
    expect([q, await flags(`?${String(new URLSearchParams({ q }))}`)]).toMatchObject([q, [{ kind: 'bank', count: 2 }]])
  expect(await flags('?q=kavya&status=reviewed')).toEqual([])
  // The reviewer is not one of the signal's accounts.
  expect(await flags('?q=staff')).toEqual([])
})

test('the review list downloads as a table with its filters, to the roles that read it', async () => {
  const [lata, uma] = [await member('=Lata Rao'), await member('Uma Rao')]
  for (const account of [lata, uma]) await note(account, 'device')
  const table = async (query: string) => (await world.calls.ask(`GET /admin/flags.csv${query}`, { as: admin })).text.trimEnd().split('\r\n')
  const head = 'id,kind,changed,accounts,newest_accounts,newest_account_ids,reviewed,reviewed_by,reviewed_at,note,newest_accounts_since'
  const row = expect.stringMatching(/^\d+,device,[^,]+,2,'=Lata Rao; Uma Rao,[0-9a-f-]{36} [0-9a-f-]{36},no,,,,\S+ \S+$/)
  expect(await table('?status=unreviewed&q=uma')).toEqual([head, row])
  expect(await table('?status=reviewed&q=uma')).toEqual([head])
  const editor = await makeStaff(world.database.db, 'editor')
  expect((await world.calls.ask('GET /admin/flags.csv', { as: editor })).body.code).toBe('forbidden')
})

test('an erased account no longer counts', async () => {
  const [asha, ravi] = [await member(), await member()]
  await note(asha)
  await note(ravi)
  const before = (await flags()).length
  await inTransaction(world.database.db, (tx) => forgetSignals(tx, asha))
  expect(await flags()).toHaveLength(before - 1)
})

test("a sign appears on the member's page", async () => {
  const [asha, ravi] = [await member(), await member()]
  await note(asha)
  await note(ravi)
  const { flags: shown } = (await world.calls.ask(`GET /admin/users/${await publicIdOf(world.database.db, ravi)}`, { as: admin })).body
  expect(shown).toMatchObject([{ kind: 'shared_phone', about: expect.stringMatching(/^flag:\d+$/) }])
})

test('a browser and a network that nobody used for 180 days are forgotten; a use in between, a phone and a bank account keep them', async () => {
  const { db } = world.database
  const [asha, ravi] = [await member(), await member('Ravi Rao')]
  const kinds: readonly SignalKind[] = ['device', 'network', 'phone', 'bank']
  for (const kind of kinds) for (const id of [asha, ravi]) await note(id, kind)
  const left = async () =>
    db.query<{ kind: string; members: number; used: number }>(sql`
      select s.kind, s.members, count(u.*)::int as used from signal s left join signal_use u using (kind, key)
       where u.member_id in (${asha}::bigint, ${ravi}::bigint) group by s.id order by s.kind`)
  const pass = (days: number) =>
    db.query(
      sql`update signal_use set seen_at = seen_at - make_interval(days => ${days}::int) where member_id in (${asha}::bigint, ${ravi}::bigint)`,
    )
  await pass(179)
  await note(asha, 'device')
  await pass(2)
  while (await forgetOldSignals(db));
  expect(await left()).toEqual([
    { kind: 'bank', members: 2, used: 2 },
    { kind: 'device', members: 1, used: 1 },
    { kind: 'phone', members: 2, used: 2 },
  ])
})

test('who sets the phone of another account is named with the day; the first owner is no suspect, and a change back ends the flag', async () => {
  const { db } = world.database
  const [ravi, asha] = [await member('Ravi Sen'), await member('Asha Kaul')]
  const idOf = (id: bigint) => publicIdOf(db, id)
  const set = async (as: bigint, phone: string) => expect((await world.calls.ask('PUT /user', { as, body: { phone } })).status).toBe(200)
  const match = async () => (await flags('?q=kaul')).filter(({ kind }) => kind === 'phone')
  const kindsOn = async (id: bigint): Promise<string[]> =>
    (await world.calls.ask(`GET /admin/users/${await idOf(id)}`, { as: admin })).body.flags.map(({ kind }: { kind: string }) => kind)
  const suspected = async (id: bigint): Promise<string[]> =>
    (
      await db.query<{ kind: string }>(sql`select k.kind from member m cross join lateral (${signalKinds}) k where m.id = ${id}::bigint`)
    ).map(({ kind }) => kind)
  await set(ravi, '9811111111')
  await set(asha, '9822222222')
  await db.query(sql`update signal_use set since = since - interval '200 days' where member_id = ${ravi}::bigint`)
  await set(asha, '9811111111')
  const day = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(await match()).toMatchObject([
    {
      count: 2,
      members: [
        { name: 'Ravi Sen', since: day, isLater: false },
        { name: 'Asha Kaul', since: day, isLater: true },
      ],
    },
  ])
  expect([await suspected(ravi), await suspected(asha)]).toEqual([[], ['shared_phone']])
  expect([await kindsOn(ravi), await kindsOn(asha)]).toEqual([['phone_set_by_another'], ['shared_phone']])
  await set(asha, '9822222222')
  expect([await match(), await suspected(ravi), await suspected(asha)]).toEqual([[], [], []])
  // Past signals stay on the page of their member.
  expect([await kindsOn(ravi), await kindsOn(asha)]).toEqual([[], ['had_phone_of_another']])
  // A second time it counts again, from then on.
  await set(asha, '9811111111')
  expect([await suspected(ravi), await suspected(asha)]).toEqual([[], ['shared_phone']])
  await inTransaction(db, (tx) => forgetSignals(tx, ravi))
  expect([await match(), await kindsOn(asha)]).toEqual([[], []])
})

test('two members who change to each other’s phone at the same moment are each counted once', async () => {
  const { db } = world.database
  const pair = [await member(), await member()] as const
  const phones = ['9833333333', '9844444444'] as const
  const set = async (n: number, phone: string | undefined) =>
    expect((await world.calls.ask('PUT /user', { as: pair[n] ?? 0n, body: { phone } })).status).toBe(200)
  for (let round = 0; round < 4; round++) await Promise.all([set(0, phones[round % 2]), set(1, phones[(round + 1) % 2])])
  const counts = await db.query(sql`
    select s.members, (select count(*)::int from signal_use u where u.kind = s.kind and u.key = s.key and u.ended_at is null) as used from signal s
     where exists (select from signal_use u where u.kind = s.kind and u.key = s.key and u.member_id = any (${[...pair]}::bigint[]))`)
  expect(counts).toEqual([
    { members: 1, used: 1 },
    { members: 1, used: 1 },
  ])
})
