/** The portal's list of members: search, sorting, paging, and the list as a table. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { insertMember } from '../../members/new-member.ts'
import { makeMember, makeStaff, useCalls } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { insertSettledRound } from '../../testing/settled-round.ts'
import { createMemberCare } from './member-care.ts'
import { createSortFigures } from './sort-figures.ts'

// This file writes rounds and balances without their money, which the audit would report.
const database = useTestDatabase({ isAudited: false })
const calls = useCalls(
  database,
  (db) => createMemberCare({ db, transactionsOf: () => Promise.reject(new Error('not asked for here')) }).handlers,
)
let admin: bigint
beforeAll(async () => {
  admin = await makeStaff(database.db)
})
beforeEach(async () => {
  // A new pass over all members is due.
  await database.db.query(sql`update member_sort_pass set finished_at = '-infinity', last_id = 0`)
})

type Listed = { id: string; name: string; walletBalance: number; totalParticipated: number; totalWon: number }
const list = async (query = '') =>
  (await calls.ask(`GET /admin/users${query}`, { as: admin })).body as {
    users: Listed[]
    nextCursor: string | null
    sortedAt: string | null
  }
const names = async (q: string, more = '') => (await list(`?q=${encodeURIComponent(q)}${more}`)).users.map(({ name }) => name)
const copyFigures = (page?: number) => {
  const due = createSortFigures({ db: database.db, everyMs: 0, ...(page === undefined ? {} : { page }) })
  return (async () => {
    let pages = 1
    while (await due()) pages++
    return pages
  })()
}
const rename = (id: bigint, values: { readonly name?: string; readonly email?: string; readonly phone?: string }) =>
  database.db.query(sql`
    update member set name = coalesce(${values.name ?? null}::text, name), email = coalesce(${values.email ?? null}::text, email),
      phone = coalesce(${values.phone ?? null}::text, phone) where id = ${id}::bigint`)

test('with no members the list is empty; staff are not listed', async () => {
  expect(await list()).toEqual({ users: [], nextCursor: null, sortedAt: null })
  expect((await list('?sort=balance')).users).toEqual([])
})

test('a member is refused', async () => {
  const member = await makeMember(database.db)
  expect((await calls.ask('GET /admin/users', { as: member })).status).toBe(403)
  expect((await calls.ask('GET /admin/users.csv', { as: member })).status).toBe(403)
})

test('members are listed newest first with balance, rounds and winnings; q searches name, mail and phone', async () => {
  await makeMember(database.db, { name: 'Asha 100% Verma' })
  const ravi = await makeMember(database.db, { name: 'रवि कुमार' })
  await rename(ravi, { email: 'ravi@roz.example', phone: '7000000001' })
  await insertSettledRound(database, { day: '2026-01-03', entries: 20n, winner: ravi, joins: [ravi] })
  const { users: found } = await list()
  expect(found[0]).toMatchObject({
    name: 'रवि कुमार',
    email: 'ravi@roz.example',
    role: 'member',
    walletBalance: 0,
    totalParticipated: 1,
    totalWon: 6,
    wallet: { balance: 0 },
    suspendedAt: null,
  })
  expect(found[0]).not.toHaveProperty('password_hash')
  expect(await names('रवि')).toEqual(['रवि कुमार'])
  expect(await names('RAVI@roz')).toEqual(['रवि कुमार'])
  expect(await names('70000000')).toEqual(['रवि कुमार'])
  expect(await names('+91 70000 00001')).toEqual(['रवि कुमार'])
  expect(await names('100%')).toEqual(['Asha 100% Verma'])
  expect(await names('%%%')).toEqual([])
  expect(await names('nobody at all')).toEqual([])
})

test('a name is found in each of its spellings, and a phone in each writing', async () => {
  const member = await makeMember(database.db, { name: 'फ़रीद  शेख़' })
  await database.db.query(sql`update member set phone = '9812345670' where id = ${member}::bigint`)
  for (const q of ['फ़रीद', '\u095eरीद', 'फरीद', 'फ़रीद\u00a0शेख', 'फ़रीद शेख़'.normalize('NFD'), 'फ़\u200dरीद'])
    expect([q, await names(q)]).toEqual([q, ['फ़रीद  शेख़']])
  for (const q of [
    '9812345670',
    '09812345670',
    '919812345670',
    '+919812345670',
    '(+91) 98123-45670',
    '98123.45670',
    '९८१२३४५६७०',
    '98123456',
  ])
    expect([q, await names(q)]).toEqual([q, ['फ़रीद  शेख़']])
  await makeMember(database.db, { name: 'Zoe\u0308 D’Souza' })
  for (const q of ['Zoë', 'zoe', 'ZOE D’S', 'zoe dsouza']) expect([q, await names(q)]).toEqual([q, ['Zoe\u0308 D’Souza']])
})

test('a mail address whose domain is in another script is found as it was typed', async () => {
  const member = await makeMember(database.db, { name: 'Ajay Rawat' })
  await rename(member, { email: 'ajay@xn--c2bd1gb.xn--h2brj9c', phone: '7000000002' })
  for (const q of ['ajay@डाटा.भारत', 'AJAY@डाटा.भारत', 'ajay@']) expect([q, await names(q)]).toEqual([q, ['Ajay Rawat']])
})

test('one or two letters match the start of a word', async () => {
  await makeMember(database.db, { name: 'Xerxes Quli' })
  expect(await names('x')).toEqual(['Xerxes Quli'])
  expect(await names('qu')).toEqual(['Xerxes Quli'])
  expect(await names('er')).toEqual([])
  expect(await names('erx')).toEqual(['Xerxes Quli'])
})

test('a member far down the list is found by the index, in every order', async () => {
  await makeMember(database.db, { name: 'Zubin Faraway' })
  await database.db.query(sql`
    with new as (insert into member (name, email, phone) select 'Crowd', 'crowd' || n || '@example.org', '9000000000' from generate_series(1, 5100) n returning id)
    insert into wallet (member_id) select id from new`)
  await copyFigures()
  for (const sort of ['newest', 'balance', 'joins', 'won']) expect(await names('faraway', `&sort=${sort}`), sort).toEqual(['Zubin Faraway'])
  expect(await names('zubin f')).toHaveLength(1)
  await database.db.query(sql`update member set deleted_at = roz_now() where name = 'Crowd'`)
})

test('sorted by balance, the pages neither repeat nor skip a member, and show present figures', async () => {
  const rich = await makeMember(database.db, { name: 'Rich' })
  const poor = await makeMember(database.db, { name: 'Poor' })
  await insertSettledRound(database, { day: '2026-01-04', entries: 20n, winner: rich, joins: [rich, poor] })
  await copyFigures(2000)
  const sorted = await list('?sort=won&limit=100')
  expect(sorted.sortedAt).toEqual(expect.any(String))
  expect(sorted.users.map(({ totalWon }) => totalWon)).toEqual(sorted.users.map(({ totalWon }) => totalWon).toSorted((a, b) => b - a))
  expect(sorted.users[0]?.totalWon).toBeGreaterThan(0)
  for (const sort of ['balance', 'joins', 'won']) {
    const whole = (await list(`?sort=${sort}&limit=100`)).users.map(({ id }) => id)
    const seen: string[] = []
    for (let query = `?sort=${sort}&limit=2`; ; ) {
      const page = await list(query)
      seen.push(...page.users.map(({ id }) => id))
      if (page.nextCursor === null) break
      query = `?sort=${sort}&limit=2&cursor=${page.nextCursor}`
    }
    expect(seen, sort).toEqual(whole)
  }
})

test('who has just registered is in every order at once', async () => {
  const id = await inTransaction(database.db, (tx) =>
    insertMember(tx, { name: 'Just Now', email: 'just.now@x.test', emailVerified: true, language: 'en', termsVersion: '1' }),
  )
  expect(id).toBeDefined()
  for (const sort of ['newest', 'balance', 'joins', 'won'])
    expect([sort, await names('just now', `&sort=${sort}`)]).toEqual([sort, ['Just Now']])
})

test('a pass copies page by page and writes only what changed; the next is due after five minutes', async () => {
  const pages = await copyFigures(2000)
  expect(pages).toBeGreaterThan(2)
  const versions = () => database.db.query(sql`select member_id, xmin::text as version from member_sort order by 1`)
  const before = await versions()
  expect(await copyFigures()).toBe(1)
  await database.db.query(sql`update member_sort_pass set finished_at = roz_now() - interval '6 minutes'`)
  await copyFigures()
  expect(await versions()).toEqual(before)
})

test('pages of a search neither repeat nor skip a member while others register', async () => {
  for (let n = 0; n < 5; n++) await makeMember(database.db, { name: `Paged ${n}` })
  const all = (await list('?q=paged&limit=100')).users.map(({ id }) => id)
  expect(all).toHaveLength(5)
  const seen: string[] = []
  for (let query = '?q=paged&limit=2'; ; ) {
    const page = await list(query)
    seen.push(...page.users.map(({ id }) => id))
    await makeMember(database.db, { name: 'Paged later' })
    if (page.nextCursor === null) break
    query = `?q=paged&limit=2&cursor=${page.nextCursor}`
  }
  expect(seen).toEqual(all)
})

test('an altered cursor, or one of another order, is refused', async () => {
  expect((await calls.ask('GET /admin/users?cursor=x', { as: admin })).status).toBe(400)
  const { nextCursor } = await list('?limit=1')
  expect((await calls.ask(`GET /admin/users?sort=won&cursor=${nextCursor}`, { as: admin })).status).toBe(400)
  expect((await calls.ask('GET /admin/users?sort=age', { as: admin })).status).toBe(400)
})

test('the list narrows to members on hold and suspended', async () => {
  const held = await makeMember(database.db, { name: 'Held Hema' })
  const suspended = await makeMember(database.db, { name: 'Suspended Sita' })
  await database.db.query(sql`update member set held_at = roz_now(), held_about = 'new_device' where id = ${held}::bigint`)
  await database.db.query(sql`update member set suspended_at = roz_now() where id = ${suspended}::bigint`)
  expect((await list('?status=held')).users.map(({ name }) => name)).toEqual(['Held Hema'])
  expect((await list('?status=suspended')).users.map(({ name }) => name)).toEqual(['Suspended Sita'])
  expect(await names('hema', '&status=suspended')).toEqual([])
})

test('the table has every member that the list has, and the staff log says who fetched it', async () => {
  await makeMember(database.db, { name: '=HYPERLINK("http://evil")' })
  const { status, text, headers } = await calls.ask('GET /admin/users.csv', { as: admin })
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('content-disposition')).toBe('attachment; filename="users.csv"')
  expect(headers.get('cache-control')).toBe('no-store')
  const lines = text.trimEnd().split('\r\n')
  expect(lines[0]).toBe('id,name,email,phone,registered,email_verified,balance,rounds,won,held_since,suspended_since')
  expect(lines[1]).toContain(`"'=HYPERLINK(""http://evil"")"`)
  expect(lines.length - 1).toBe((await list('?limit=100')).users.length)
  const entries = await database.db.query(sql`select actor_id as actor from audit_log where action = 'member.export_list'`)
  expect(entries).toEqual([{ actor: admin }])
})
