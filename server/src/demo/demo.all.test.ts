import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDrand } from '../adapters/beacon/drand.ts'
import { createClock } from '../adapters/clock.ts'
import { createCatcher } from '../adapters/mail/catcher.ts'
import { createWebPush } from '../adapters/push/web-push.ts'
import { cashfreeGateway } from '../adapters/payments/cashfree.ts'
import { createFileStorage } from '../adapters/storage/files.ts'
import { statusNow } from '../commands/status.ts'
import { readConfig } from '../config/config.ts'
import type { CashfreeSettings } from '../adapters/cashfree/settings.ts'
import { sql } from '../db/sql.ts'
import { listAlarms } from '../operation/alarms.ts'
import { showTransactions } from '../features/wallet/transactions.ts'
import { listMovements } from '../ledger/movements.ts'
import { isPassword } from '../members/passwords.ts'
import { createServices, type Services } from '../services.ts'
import { makeMember, makeStaff, serveCalls, testSecrets } from '../testing/calls.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { expectDaysHold, VERDICT, verifyDay, verifyDayByTwin } from '../testing/verifier.ts'
import { createModelMandates } from '../testing/model-mandates.ts'
import { DEMO_EMAIL, DEMO_MEMBERS, DEMO_STORIES } from './community.ts'
import { findDemoMember } from './demo-calls.ts'
import { DEMO_PASSWORD, seedDemo } from './demo.ts'
import { DEMO_DAYS } from './simulation.ts'

let database: TestDatabase
let services: Services
let folder: string

const nothing = () => Promise.resolve({ rows: [], cursor: undefined })

function servicesWith(env: Readonly<Record<string, string>>): Services {
  const { db } = database
  const config = readConfig(env)
  return createServices({
    db,
    config,
    clock: createClock(db),
    secrets: testSecrets,
    mailer: createCatcher(db),
    storage: createFileStorage({ folder }),
    beacon: createDrand({ relays: [] }),
    // Nobody listens on this port: the demo pays its orders without a gateway.
    mandates: createModelMandates().gateway,
    settlements: { listSettlements: nothing, listSettlementEvents: nothing },
    gateway: cashfreeGateway({
      ...(config.gateway as CashfreeSettings),
      baseUrl: 'http://127.0.0.1:1/pg',
      checkout: { mode: 'sandbox', scriptUrl: '' },
    }),
    push: createWebPush({ hosts: [], subject: 'mailto:support@roz.example' }),
    log: pino({ level: 'silent' }),
  })
}

beforeEach(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(path.join(tmpdir(), 'roz-demo-'))
  services = servicesWith({})
  await makeStaff(database.db, 'owner')
})
afterEach(async () => {
  await services.worker.stop()
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

const count = async (what: 'member' | 'round' | 'story' | 'withdrawal' | 'topup' | 'round_join' | 'transfer'): Promise<number> => {
  const counted = {
    member: sql`select count(*) as n from member where role = 'member'`,
    round: sql`select count(*) as n from round where status = 'settled'`,
    story: sql`select count(*) as n from story where is_active`,
    withdrawal: sql`select count(*) as n from withdrawal where status = 'requested'`,
    topup: sql`select count(*) as n from topup where status = 'captured'`,
    round_join: sql`select count(*) as n from round_join`,
    transfer: sql`select count(*) as n from transfer where kind = 'prize'`,
  }
  return Number((await database.db.one<{ n: bigint }>(counted[what])).n)
}
const offset = async (): Promise<bigint> => (await database.db.one<{ ms: bigint }>(sql`select offset_ms as ms from clock_offset`)).ms
const topups = DEMO_MEMBERS.flatMap((member) => Object.keys(member.topups)).length

async function expectWhole(days = DEMO_DAYS): Promise<void> {
  expect(await offset()).toBe(0n)
  expect(await count('member')).toBe(DEMO_MEMBERS.length)
  expect(await count('round')).toBe(days)
  expect(await count('transfer')).toBe(days)
  expect(await count('story')).toBe(Object.keys(DEMO_STORIES).length)
  expect(await count('withdrawal')).toBe(2)
  expect(await count('topup')).toBe(topups)
  const today = await database.db.one<{ status: string; joined: bigint }>(
    sql`select r.status, (select count(*) from round_join j where j.day = r.day) as joined from round r where r.day = ist_day(roz_now())`,
  )
  expect(today.status).toBe('open')
  expect(Number(today.joined)).toBeGreaterThan(5)
  const { url, close } = await serveCalls(database.db, services.handlers)
  expect(await expectDaysHold(database.db, { url })).toBe(3)
  await close()
}

/** Help has gone out, with consent and bills, and members read whom their rupees reached. */
async function expectHelp(): Promise<void> {
  const { db } = database
  const help = Object.values(DEMO_STORIES).map((story) => story.help)
  const given = await db.query<{ publicName: string; purpose: string; translations: object; guardian: string | null; isTold: boolean }>(sql`
    select b.public_name as "publicName", o.purpose, o.translations, b.guardian_relation as guardian,
           exists (select from story s where s.outlay_id = o.id and s.is_active) as "isTold"
      from outlay o join beneficiary b on b.id = o.beneficiary_id where o.kind = 'disbursement' and o.status = 'booked' order by o.decided_at`)
  expect(given).toEqual(
    help.map(({ publicName, purpose, translations, guardian = null }) => ({ publicName, purpose, translations, guardian, isTold: true })),
  )
  // One payment was asked for by the editor and approved by somebody else.
  const decided = await db.query(sql`
    select o.purpose, a.staff_role as asked, d.staff_role as approved, o.needs_second as "needsSecond"
      from outlay o join member a on a.id = o.asked_by join member d on d.id = o.decided_by where o.asked_by <> o.decided_by`)
  expect(decided).toEqual([{ purpose: 'a week of medicine', asked: 'editor', approved: 'owner', needsSecond: true }])
  expect(await db.query(sql`select day from help_day where open > 0 and day < ist_day(roz_now()) - 14`)).toEqual([])
  expect(await listAlarms(db)).toEqual([])
  const asha = await findDemoMember(db, DEMO_EMAIL)
  const { url, ask, close } = await serveCalls(db, services.handlers)
  const { results } = (await ask('GET /rounds/history', { as: asha ?? 0n })).body
  const parts = results.flatMap(({ rupee }: { rupee: { help: { name: string }[] } | null }) => rupee?.help ?? [])
  const shoes = parts.find(({ name }: { name: string }) => name === 'Meera')
  expect(shoes).toMatchObject({ purpose: 'school shoes', receipts: [expect.any(String)], videoUrl: expect.stringContaining('youtube') })
  const picture = await fetch(`${url}/api/receipts/${shoes.receipts[0]}`)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
  await close()
}

/** Verifies every round of the demo with the verifier's library, and one day with both verifier programs. */
async function expectEveryDayHolds(): Promise<void> {
  const { url, close } = await serveCalls(database.db, services.handlers)
  expect(await expectDaysHold(database.db, { url }, DEMO_DAYS)).toBe(DEMO_DAYS)
  const { day } = await database.db.one<{ day: string }>(sql`select max(day)::text as day from books_day`)
  for (const verdict of await Promise.all([verifyDay({ url, day }), verifyDayByTwin({ url, day })]))
    expect(verdict.code, verdict.text).toBe(VERDICT.weak)
  await close()
}

test('the demo has members, thirty settled rounds, help with bills, stories and withdrawals, and publishes nothing that names a member', {
  timeout: 120_000,
}, async () => {
  const said: string[] = []
  const { signIn } = await seedDemo({ db: database.db, services, say: (line) => said.push(line) })
  expect(signIn).toBe(DEMO_EMAIL)
  expect(said).toHaveLength(1)
  const status: string[] = []
  const code = await statusNow({ DATABASE_URL: database.appUrl, DATA_DIR: '/nowhere' }, (line) => void status.push(line))
  expect([code, status.at(-1)]).toEqual([0, 'Nothing needs a person.'])
  expect(await database.db.query(sql`select kind from money_finding`)).toEqual([])
  await expectWhole()
  await expectHelp()
  await expectEveryDayHolds()
  const asha = await database.db.one<{ hash: string; verified: boolean }>(
    sql`select password_hash as hash, email_verified_at is not null as verified from member where email = ${DEMO_EMAIL}::text`,
  )
  expect(asha.verified).toBe(true)
  expect(await isPassword(asha.hash, DEMO_PASSWORD)).toBe(true)
  const { winner } = await database.db.one<{ winner: bigint }>(sql`select member_id as winner from draw_winner order by day limit 1`)
  const page = await listMovements(database.db, { memberId: winner, limit: 100 })
  const lines = page.ok ? await showTransactions(database.db, winner, page.value.movements, 'en') : []
  expect(lines.map((line) => `${line.type} ${line.description}`)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^credit Reward from the round of \d+ \w+ \d{4}$/),
      expect.stringMatching(/^debit Joined the round of \d+ \w+ \d{4}$/),
      'credit Money added',
    ]),
  )
  const everything = await published()
  const tales = await tellTales()
  expect(tales.length).toBeGreaterThan(6 * DEMO_MEMBERS.length)
  // Long random texts are removed: by chance they contain four letters of a name.
  const spelled = Buffer.from(everything.toString('latin1').replaceAll(/[A-Za-z0-9+/]{40,}/g, '…'), 'latin1')
  const isShown = (tale: string): boolean =>
    [tale, tale.toLowerCase()].some((text) => spelled.includes(text)) || disguised(tale).some((bytes) => everything.includes(bytes))
  expect(tales.filter(isShown)).toEqual([])
  // The search does find a hash that was published.
  const [member] = DEMO_MEMBERS
  const leaky = Buffer.concat([
    everything,
    createHash('sha256')
      .update(member?.phone ?? '')
      .digest(),
  ])
  expect(disguised(member?.phone ?? '').some((bytes) => leaky.includes(bytes))).toBe(true)
  // A second start changes nothing and returns the same login.
  const joins = await count('round_join')
  const sent = () => database.db.query(sql`select id from outlay order by id`)
  const before = await sent()
  expect(await seedDemo({ db: database.db, services, say: (line) => said.push(line) })).toEqual({ signIn })
  expect(said).toHaveLength(1)
  expect(await count('round_join')).toBe(joins)
  expect(await sent()).toEqual(before)
})

/** Every byte about the demo's days that a stranger can fetch, at the addresses of the protocol. */
async function published(): Promise<Buffer> {
  const { url, close } = await serveCalls(database.db, services.handlers)
  const parts: Buffer[] = []
  const take = async (path: string): Promise<Buffer> => {
    const answer = await fetch(`${url}/api/public/${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    const headers = [...answer.headers].filter(([name]) => name !== 'date').join()
    const body = Buffer.from(await answer.arrayBuffer())
    parts.push(Buffer.from(headers), body)
    return body
  }
  const checkpoint = await take('log/checkpoint')
  const size = Number(checkpoint.toString().split('\n')[1])
  for (let n = 0; n * 256 < size; n++) await take(`log/entries/${n}`)
  for (const path of ['log/key', `log/inclusion?index=0&size=${size}`, `log/consistency?from=1&to=${size}`]) await take(path)
  const days = await database.db.query<{ day: string }>(sql`select day from books_day order by day`)
  for (const { day } of days) {
    for (const path of [`log/sealed/${day}`, `draws/${day}`, `draws/${day}/tickets`, `books/${day}`, `liabilities/${day}`]) await take(path)
  }
  expect(days).toHaveLength(DEMO_DAYS)
  const rules = new Set(parts.join('').match(/(?<="rules":")[0-9a-f]{64}/g))
  expect(rules.size).toBe(1)
  for (const hash of rules) await take(`rules/${hash}`)
  await close()
  return Buffer.concat(parts)
}

/** Everything that could identify a member: names and their parts, addresses, phones, and all ids. */
async function tellTales(): Promise<string[]> {
  const ids = await database.db.query<{ id: string }>(sql`
    select public_id::text as id from member union all select order_id from topup union all select payment_id from topup where payment_id is not null
    union all select id::text from withdrawal union all select encode(fingerprint, 'hex') from ticket_key_claim`)
  const people = DEMO_MEMBERS.flatMap(({ name, email, phone, withdrawal }) => [
    name,
    ...name.split(' '),
    email,
    phone,
    ...(withdrawal ? [withdrawal.ifsc, withdrawal.bank] : []),
  ])
  return [...people, ...ids.flatMap(({ id }) => [id, id.replaceAll('-', '')])]
}

/** Other forms in which a value could be published: its bytes as hex and base64, and its plain hashes. */
function disguised(value: string): Buffer[] {
  const texts = [value, value.toLowerCase(), value.toUpperCase()].map((text) => Buffer.from(text))
  const raw = /^[0-9a-f-]{32,64}$/.test(value) ? [Buffer.from(value.replaceAll('-', ''), 'hex')] : []
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((name) =>
    [...texts, ...raw].map((bytes) => createHash(name).update(bytes).digest()),
  )
  const others = [...texts, ...raw].flatMap((bytes) => [bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')])
  return [...raw, ...hashes, ...hashes.map((hash) => hash.toString('hex')), ...others].flatMap((one) =>
    one.length < 8 ? [] : [typeof one === 'string' ? Buffer.from(one) : one],
  )
}

test('help that waits for a second person has no story yet, because the story would say that it was paid', async () => {
  await database.db.query(sql`
    insert into demo_community (first_day, position)
    select ist_day(roz_now()) - 5, start_of_ist_day(ist_day(roz_now()) - 5)`)
  const careful = servicesWith({ APPROVAL_ABOVE: '1' })
  await seedDemo({ db: database.db, services: careful, say: () => undefined })
  await careful.worker.stop()
  expect(await database.db.query(sql`select purpose, status from outlay`)).toEqual([
    { purpose: 'notebooks and pencils', status: 'requested' },
  ])
  expect(await count('story')).toBe(0)
})

test('what the editor asks for above APPROVAL_ABOVE waits too: in the simulated days the operator’s account is too young to be the second', {
  timeout: 120_000,
}, async () => {
  // As the first start makes it, a moment before.
  await database.db.query(sql`update member set staff_since = roz_now() where staff_role = 'owner'`)
  const careful = servicesWith({ APPROVAL_ABOVE: '1' })
  await seedDemo({ db: database.db, services: careful, say: () => undefined })
  await careful.worker.stop()
  const asked = await database.db.query(
    sql`select o.purpose, o.status from outlay o join member m on m.id = o.asked_by where m.staff_role = 'editor'`,
  )
  expect(asked).toEqual([{ purpose: 'a week of medicine', status: 'requested' }])
})

/** One demo that began three days late: each start is killed at its place, and the next start continues from there. */
test('a demo that was killed in a join and in two steps, three days ago, is finished by the next start', {
  timeout: 120_000,
}, async () => {
  await database.db.query(sql`
    insert into demo_community (first_day, position)
    select ist_day(roz_now()) - 33, start_of_ist_day(ist_day(roz_now()) - 33)`)
  const positions = [await position()]
  const dies = async (dying: Services): Promise<void> => {
    await expect(seedDemo({ db: database.db, services: dying, say: () => undefined })).rejects.toThrow('killed')
    positions.push(await position())
  }
  await dies(dyingAtJoin(9))
  await dies(dyingAtRun(20))
  await dies(dyingAtRun(10))
  // Each start got further than the one before, and none to the end.
  expect([...new Set(positions)].toSorted()).toEqual(positions)
  expect((await database.db.one<{ ends: boolean }>(sql`select finished_at is not null as ends from demo_community`)).ends).toBe(false)
  const { signIn } = await seedDemo({ db: database.db, services, say: () => undefined })
  expect(signIn).toBe(DEMO_EMAIL)
  await expectWhole(DEMO_DAYS + 3)
  await expectHelp()
})

const position = async (): Promise<string> =>
  (await database.db.one<{ at: Date }>(sql`select position as at from demo_community`)).at.toISOString()

function dyingAtRun(step: number): Services {
  let runs = 0
  const runDue = async (): Promise<void> => {
    if (++runs === step) throw new Error('killed')
    await services.worker.runDue()
  }
  return { ...services, worker: { ...services.worker, runDue } }
}

function dyingAtJoin(which: number): Services {
  let joins = 0
  const joinRound: Services['handlers']['joinRound'] = async (call) => {
    if (++joins === which) throw new Error('killed')
    return services.handlers.joinRound(call)
  }
  return { ...services, handlers: { ...services.handlers, joinRound } }
}

test('no demo is made in a database that has a member', async () => {
  await makeMember(database.db)
  expect(await seedDemo({ db: database.db, services, say: () => undefined })).toEqual({ signIn: undefined })
  expect(await count('member')).toBe(1)
  expect(await offset()).toBe(0n)
})
