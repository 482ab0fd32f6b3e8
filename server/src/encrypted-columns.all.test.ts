/** A rotation of SECRET_KEY: every value is encrypted again through any interruption, and then the old key can be removed. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IstDay } from '@roz/core/ist-day.ts'
import { hex } from '@roz/core/draw.ts'
import { beforeAll, expect, test } from 'vitest'
import { connect, sql } from './db/sql.ts'
import { inTransaction } from './db/transaction.ts'
import { addDevice, decryptDevice } from './features/push/devices.ts'
import { createPushKeys } from './features/push/keys.ts'
import { useBankAccount, type BankDetail } from './members/bank-accounts.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createLogKeys } from './transparency-log/log-key.ts'
import { createReencryption, DONE, listUnreadable } from './secrets/reencryption.ts'
import { reencryptNow } from './commands/reencrypt.ts'
import { ENCRYPTED_COLUMNS, ENCRYPTED_DATA } from './encrypted-columns.ts'
import { createSecrets } from './secrets/secrets.ts'
import { makeStaff, testSecrets } from './testing/calls.ts'
import { useRoundsWorld } from './testing/rounds-world.ts'
import { sha256 } from './tickets/sha256.ts'
import { createTicketKeys } from './tickets/ticket-keys.ts'

const [OLD, NEW] = ['a secret of the tests', 'the next secret of the tests']
const both = createSecrets({ secretKey: NEW, secretKeyOld: OLD })
const next = createSecrets({ secretKey: NEW })
const TODAY = '2026-11-22' as IstDay
const DETAIL: BankDetail = {
  accountHolderName: 'Asha Verma',
  accountNumber: '123456789012',
  ifscCode: 'HDFC0001234',
  bankName: 'HDFC Bank',
  accountType: 'savings',
}
const UPI = { accountHolderName: 'Asha Verma', upiId: 'asha.verma@okbank' }
const TARGET = { endpoint: 'https://push.example/one', keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) } } as never
const world = useRoundsWorld()
const members: bigint[] = []
const keys = new Map<bigint, string>()

beforeAll(async () => {
  const { db, ticketKeys } = world
  for (let n = 0; n < 40; n++) members.push(await world.member(5))
  await world.join(members[0] as bigint)
  for (const member of members) keys.set(member, (await ticketKeys.get(db, member, TODAY)).key)
  await world.goTo(`${TODAY}T00:00:05+05:30`)
  await createPushKeys({ secrets: testSecrets }).inForce(db)
  for (const member of members.slice(0, 9)) {
    await inTransaction(db, (tx) => useBankAccount(tx, testSecrets, member, DETAIL))
    const sessionHash = Buffer.from(sha256(Buffer.from(String(member))))
    await db.query(sql`
      insert into session (token_hash, member_id, kind, expires_at) values (${sessionHash}::bytea, ${member}::bigint, 'member', roz_now() + interval '1 day')`)
    const target = { ...(TARGET as object), endpoint: `https://push.example/${member}` } as never
    expect(await addDevice(db, testSecrets, { sessionHash, memberId: member, target, keyNumber: 0 })).toBe(true)
  }
  await inTransaction(db, (tx) => useBankAccount(tx, testSecrets, members[0] as bigint, UPI))
  await db.query(sql`
    insert into payout_event (event_key, type, sealed) values ('e1', 'test', ${testSecrets.encrypt(Buffer.from('raw'), 'payout_event:e1')}::bytea)`)
  const owner = await makeStaff(db)
  await db.query(sql`
    insert into member_pan (member_id, sealed, last_four)
    values (${owner}::bigint, ${testSecrets.encrypt(Buffer.from('ABCPE1234F'), `member_pan:${owner}`)}::bytea, '234F')`)
  await db.query(sql`
    insert into staff_totp (member_id, sealed) values (${owner}::bigint, ${testSecrets.encrypt(Buffer.from('raw'), `staff_totp:${owner}`)}::bytea)`)
  await db.query(sql`
    insert into gateway_event (event_key, type, sealed) values ('e1', 'test', ${testSecrets.encrypt(Buffer.from('raw'), 'gateway_event:e1')}::bytea)`)
  const [account, line] = [randomUUID(), randomUUID()]
  await db.query(sql`
    insert into statement_account (id, name, last_four, mapping, lines, opening, first_day, closing, last_day, complete_until)
    values (${account}::uuid, 'Current', '8901', '{}', 1, 0, ${TODAY}::date, 1, ${TODAY}::date, ${TODAY}::date)`)
  await db.query(sql`
    insert into bank_line (id, account_id, position, day, amount, balance, sealed_words)
    values (${line}::uuid, ${account}::uuid, 1, ${TODAY}::date, 1, 1, ${testSecrets.encrypt(Buffer.from('raw'), `bank_line:${line}`)}::bytea)`)
  const id = randomUUID()
  await db.query(sql`
    insert into beneficiary (id, public_name, sealed_note, created_by)
    values (${id}::uuid, 'Meera', ${testSecrets.encrypt(Buffer.from('raw'), `beneficiary:${id}`)}::bytea, ${members[0]}::bigint)`)
  await db.query(sql`
    insert into help_case (number, kind, for_whom, district, state, language, sealed, phone_mac)
    values ('3F9A', 'food', 'self', 'Pune', 'MH', 'en', ${testSecrets.encrypt(Buffer.from('raw'), 'help_case:3F9A')}::bytea, sha256('a'))`)
  await db.query(sql`
    insert into help_case_step (id, number, step, sealed_note, done_by)
    values (${id}::uuid, '3F9A', 'called', ${testSecrets.encrypt(Buffer.from('raw'), `help_case_step:${id}`)}::bytea, ${owner}::bigint)`)
})

/** Number of still needed values in each column that are encrypted with a key. */
async function countOf(id: Buffer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, table, column, isNeeded } of ENCRYPTED_COLUMNS)
    counts[name] = (
      await world.db.one<{ n: number }>(
        sql`select count(*)::int as n from ${table} where sealing_key_of(${column}) = ${id}::bytea and ${isNeeded}`,
      )
    ).n
  return counts
}
const ALL = {
  'log keys': 1,
  'secrets of rounds': 2,
  'ticket keys': 40,
  'bank accounts': 10,
  'push keys': 1,
  devices: 9,
  'authenticator apps': 1,
  'payment events': 1,
  'notes on beneficiaries': 1,
  PANs: 1,
  'requests for help': 1,
  'notes on requests': 1,
  'lines of bank statements': 1,
  'payout events': 1,
}
const NONE = Object.fromEntries(Object.keys(ALL).map((name) => [name, 0]))

test('every encrypted column of the schema is in ENCRYPTED_COLUMNS', async () => {
  const found = await world.db.query<{ name: string }>(sql`
    select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.atttypid = 'bytea'::regtype and a.attname like 'sealed%' order by 1`)
  const known = ENCRYPTED_COLUMNS.map(({ table, column }) => `${table.sql}.${column.sql}`)
  expect(known.toSorted()).toEqual(found.map(({ name }) => name))
  expect(await countOf(testSecrets.keyIds[0])).toEqual(ALL)
})

test('values encrypted with an unknown key are counted, and roz keys reencrypt refuses to run', async () => {
  const unreadable = await listUnreadable(world.db, next, ENCRYPTED_COLUMNS)
  expect(Object.fromEntries(unreadable.map(({ name, count }) => [name, count]))).toEqual(ALL)
  expect(await listUnreadable(world.db, both, ENCRYPTED_COLUMNS)).toEqual([])
  const said: string[] = []
  expect(await reencryptNow(target({ secretKeyOld: 'a wrong one' }, said))).toBe(1)
  expect(said.join()).toMatch(/40 ticket keys.*neither SECRET_KEY nor SECRET_KEY_OLD. Nothing was done/)
})

const target = (given: object, said: string[]) => ({
  databaseUrl: world.database.appUrl,
  dataDir: '/nowhere',
  namedStatements: true,
  secretKey: NEW,
  secretKeyOld: OLD,
  portion: 7,
  say: (line: string) => void said.push(line),
  ...given,
})

test('a re-encryption that is killed within a portion has written that portion whole or not at all', async () => {
  const { database, db } = world
  const holder = connect({ url: database.superUrl, max: 1 })
  await holder.withConnection(async (connection) => {
    // SHARE mode allows row locks and blocks writes.
    await connection.command('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE bank_account IN SHARE MODE')
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts'), 'keys', 'reencrypt'], {
      env: { ...process.env, DATABASE_URL: database.appUrl, SECRET_KEY: NEW, SECRET_KEY_OLD: OLD },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    const backends = () =>
      db.query<{ event: string | null }>(sql`
        select wait_event_type as event from pg_stat_activity where application_name = 'roz-reencrypt' and datname = current_database()`)
    while (child.exitCode === null && !(await backends()).some(({ event }) => event === 'Lock')) await sleep(50)
    child.kill('SIGKILL')
    await ended
    await connection.command('ROLLBACK')
    // Its row locks are released once PostgreSQL notices that the client is gone.
    while ((await backends()).length > 0) await sleep(50)
  })
  await holder.close()
  const left = await countOf(testSecrets.keyIds[0])
  expect(left).toEqual({ ...ALL, 'log keys': 0, 'secrets of rounds': 0, 'ticket keys': 0 })
})

test('several workers encrypt again at once, each portion once, and say when the old key can be removed', async () => {
  const { db } = world
  const told: string[] = []
  const log = {
    info: (_: unknown, line: string) => void told.push(line),
    error: (_: unknown, line: string) => void told.push(line),
  } as never
  const workers = [1, 2, 3].map(() => createReencryption({ data: ENCRYPTED_DATA, db, secrets: both, log, portion: 2 }))
  const work = async ({ due }: (typeof workers)[number]): Promise<void> => {
    while (await due());
  }
  await Promise.all(workers.map(work))
  await work(createReencryption({ data: ENCRYPTED_DATA, db, secrets: both, log, portion: 2 }))
  expect(await countOf(testSecrets.keyIds[0])).toEqual(NONE)
  expect(await countOf(next.keyIds[0])).toEqual(ALL)
  expect(told.at(-1)).toBe(DONE)
  const said: string[] = []
  expect(await reencryptNow(target({}, said))).toBe(0)
  expect(said).toEqual([DONE])
})

test('after it every value is decrypted without the old key, and every lookup by fingerprint still finds its row', async () => {
  const { db } = world
  expect(await listUnreadable(db, next, ENCRYPTED_COLUMNS)).toEqual([])
  const ticketKeys = createTicketKeys({ secrets: next })
  for (const member of members) expect((await ticketKeys.find(db, member, TODAY))?.key).toBe(keys.get(member))
  const key = await createLogKeys({ secrets: next, origin: 'nowhere/log' }).get(db)
  expect(key.text).toBe((await world.ask('GET /public/log/key')).text.trim())
  const secret = await db.one<{ sealed: Buffer; hash: Buffer }>(
    sql`select sealed_secret as sealed, secret_hash as hash from round where day = ${TODAY}::date`,
  )
  expect(hex(sha256(next.decrypt(secret.sealed, `day_secret:${TODAY}`)))).toBe(hex(secret.hash))
  const [member] = members as [bigint]
  expect(await inTransaction(db, (tx) => useBankAccount(tx, next, member, DETAIL))).toMatchObject({ isNew: false })
  expect(await inTransaction(db, (tx) => useBankAccount(tx, next, member, UPI))).toMatchObject({ isNew: false, lastFour: 'as…@okbank' })
  const other = { ...DETAIL, accountHolderName: 'A Verma' }
  expect(await inTransaction(db, (tx) => useBankAccount(tx, next, member, other))).toMatchObject({ isNew: false })
  const device = await db.one<{ memberId: bigint; endpointMac: Buffer; sealed: Buffer }>(
    sql`select member_id as "memberId", endpoint_mac as "endpointMac", sealed from push_device where member_id = ${member}::bigint`,
  )
  const opened = decryptDevice(next, device)
  expect(opened.endpoint).toBe(`https://push.example/${member}`)
  const sessionHash = Buffer.from(sha256(Buffer.from(String(member))))
  await addDevice(db, next, { sessionHash, memberId: member, target: opened, keyNumber: 0 })
  expect((await db.one<{ n: number }>(sql`select count(*)::int as n from push_device`)).n).toBe(9)
  expect(await createPushKeys({ secrets: next }).inForce(db)).toMatchObject({ number: 0 })
  // A claimed ticket key stays claimed after SECRET_KEY has changed.
  const taken = await inTransaction(db, (tx) => ticketKeys.change(tx, member, keys.get(members[1] as bigint) as string))
  expect(taken).toEqual({ ok: false, code: 'ticket_key_taken' })
})

test('an altered value is reported once and left unchanged; all others are encrypted again, and the old key must stay', async () => {
  const { db } = world
  const [broken, sound] = members as [bigint, bigint]
  const third = createSecrets({ secretKey: 'a third', secretKeyOld: NEW })
  const owner = connect({ url: world.database.superUrl, max: 1 })
  const flip = () =>
    owner.query(sql`
      update ticket_key set sealed_key = set_byte(sealed_key, 40, get_byte(sealed_key, 40) # 1) where member_id = ${broken}::bigint`)
  await flip()
  const told: string[] = []
  const log = { info: () => undefined, error: ({ context }: { context: string }) => void told.push(context) } as never
  const { due } = createReencryption({ data: ENCRYPTED_DATA, db, secrets: third, log, portion: 7 })
  while (await due());
  expect(told).toEqual([`ticket_key:${broken}`])
  expect(await countOf(next.keyIds[0])).toEqual({ ...NONE, 'ticket keys': 1 })
  const said: string[] = []
  expect(await reencryptNow(target({ secretKey: 'a third', secretKeyOld: NEW }, said))).toBe(1)
  expect(said).toEqual([`ticket_key:${broken} was altered: it cannot be decrypted.`, expect.stringMatching(/^Left.*: 1 ticket keys\.$/)])
  await flip()
  expect(await reencryptNow(target({ secretKey: 'a third', secretKeyOld: NEW }, said))).toBe(0)
  // Back to the key of the rest of the test.
  expect(await reencryptNow(target({ secretKey: OLD, secretKeyOld: 'a third' }, said))).toBe(0)
  expect((await world.ticketKeys.find(db, sound, TODAY))?.key).toBe(keys.get(sound))
  await owner.close()
})

test('bank details stored twice under one key are encrypted again, and one of the rows is found by them', async () => {
  const { db } = world
  const [member] = members as [bigint]
  // This duplicate arises when the details are given again during a rotation of the key.
  await db.query(sql`
    insert into bank_account (member_id, account_mac, details_mac, sealed, bank_name, last_four)
    select member_id, account_mac, sha256(details_mac), sealed, bank_name, last_four from bank_account where member_id = ${member}::bigint`)
  const said: string[] = []
  expect(await reencryptNow(target({ portion: 500 }, said))).toBe(0)
  expect(said.at(-1)).toBe(DONE)
  const count = () => db.one<{ n: number }>(sql`select count(*)::int as n from bank_account where member_id = ${member}::bigint`)
  const before = await count()
  expect(await inTransaction(db, (tx) => useBankAccount(tx, next, member, DETAIL))).toMatchObject({ isNew: false })
  expect(await count()).toEqual(before)
})

test('payment events stored in plain text are encrypted by the server and by roz keys reencrypt, also without a rotation of the key', async () => {
  const { db } = world
  const body = (key: string) => `{"type": "X", "data": {"customer_details": {"customer_phone": "98765${key}"}, "note": "\\u0000"}}`
  const store = (key: string) =>
    db.query(sql`insert into gateway_event (event_key, type, payload) values (${key}::text, 'X', ${body(key)}::json)`)
  const left = () => db.query(sql`select event_key from gateway_event where payload is not null`)
  const opened = async (key: string): Promise<string> => {
    const { sealed } = await db.one<{ sealed: Buffer }>(sql`select sealed from gateway_event where event_key = ${key}::text`)
    return next.decrypt(sealed, `gateway_event:${key}`).toString('utf8')
  }
  for (const key of ['p1', 'p2', 'p3']) await store(key)
  const { due } = createReencryption({
    data: ENCRYPTED_DATA,
    db,
    secrets: next,
    log: { info: () => undefined, error: () => undefined } as never,
    portion: 2,
  })
  expect([await due(), await due(), await due()]).toEqual([true, true, false])
  expect(await left()).toEqual([])
  for (const key of ['p1', 'p2', 'p3']) expect(await opened(key)).toBe(body(key))
  await store('p4')
  const said: string[] = []
  expect(await reencryptNow(target({ secretKeyOld: undefined }, said))).toBe(0)
  expect(said).toEqual(['payment events: 1 of 1', DONE])
  expect([await left(), await opened('p4')]).toEqual([[], body('p4')])
})

test('the old key must stay until the last idempotency key whose request it recognises has expired', async () => {
  const { db } = world
  const call = { memberId: members[0] as bigint, key: 'k', route: 'a call of the test', body: {} }
  const answer = async () => ({ ok: true, value: 'first' }) as const
  await createIdempotency({ db, secrets: testSecrets }).once(call, 'x', answer)
  await createIdempotency({ db, secrets: both }).once({ ...call, key: 'later' }, 'x', answer)
  const said: string[] = []
  expect(await reencryptNow(target({}, said))).toBe(1)
  const told: string[] = []
  const tell = async (): Promise<void> => {
    const log = { info: (_: unknown, line: string) => void told.push(line), error: () => undefined } as never
    const { due } = createReencryption({ data: ENCRYPTED_DATA, db, secrets: both, log })
    for (let n = 0; n < 3; n++) await due()
  }
  await tell()
  const KEEP = expect.stringMatching(/^Everything is encrypted with SECRET_KEY\. Keep SECRET_KEY_OLD until 2026-11-\d\dT.*: calls repeated/)
  expect([said, told]).toEqual([[KEEP], [KEEP]])
  await db.query(sql`update idempotency_key set created_at = created_at - interval '7 days' where key = 'k'`)
  expect(await reencryptNow(target({}, said))).toBe(0)
  await tell()
  expect([said.at(-1), told.at(-1)]).toEqual([DONE, DONE])
  // The audit accepts only idempotency keys of real calls, and these are not.
  await db.query(sql`delete from idempotency_key where route = ${call.route}::text`)
})
