/** Tests failing starts: each ends with a message that names the setting. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { dayAt, type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { afterRestoreNow } from './commands/after-restore.ts'
import { roz } from './commands/roz.ts'
import { readConfig } from './config/config.ts'
import { StartError } from './start-error.ts'
import { startServer } from './start.ts'
import { startPostgres } from './db/embedded/embedded.ts'
import { lockSession, unlockSession } from './db/advisory-locks.ts'
import { connect, sql } from './db/sql.ts'
import { expectVersion } from './db/supported-database.ts'
import { witnessKeyText } from './transparency-log/note.ts'
import { makeMember, testSecrets } from './testing/calls.ts'
import { cloneTemplate } from './testing/database.ts'
import { PRODUCTION } from './testing/production.ts'
import { createTicketKeys } from './tickets/ticket-keys.ts'
import { startTestServer } from './testing/postgres.ts'
import { urlOf } from './testing/server-urls.ts'
import { useDurableServer } from './testing/program.ts'
import { freePort } from './db/embedded/process.ts'

const durable = useDurableServer()
const createTestDatabase = () => cloneTemplate(durable.urls)

async function failureOf(env: Record<string, string>): Promise<unknown> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roz-start-'))
  const config = readConfig({ PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()), DATA_DIR: dataDir, ...env })
  try {
    const running = await startServer(config, {
      log: pino({ level: 'silent' }),
      say: () => undefined,
      begunAtMs: Date.now(),
    })
    await running.stop()
    return undefined
  } catch (error) {
    return error
  } finally {
    await rm(dataDir, { recursive: true })
  }
}

test('an unreachable database or a wrong password stops the start with the name of the setting', async () => {
  const owner = urlOf(durable.urls, 'owner', 'postgres')
  const closed = new URL(owner)
  closed.port = '1'
  const wrong = new URL(owner)
  wrong.password = 'wrong'
  const failures = [
    await failureOf({ DATABASE_URL: closed.href }),
    await failureOf({ DATABASE_URL: wrong.href }),
    await failureOf({ DATABASE_URL: owner, MIGRATE_DATABASE_URL: wrong.href }),
  ]
  for (const failure of failures) expect(failure).toBeInstanceOf(StartError)
  const words = failures.map((failure) => (failure as Error).message)
  expect(words[0]).toBe('The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1.')
  expect(words[1]).toBe('The database of DATABASE_URL cannot be used: password authentication failed for user "roz_owner".')
  expect(words[2]).toContain('The database of MIGRATE_DATABASE_URL cannot be used')
})

test('a command on a database without tables says that no server has started there', async () => {
  const said: string[] = []
  const env = { DATABASE_URL: urlOf(durable.urls, 'owner', 'postgres') }
  expect(await roz({ env, words: ['audit'], say: (line) => void said.push(line), input: Readable.from([]) })).toBe(2)
  expect(said).toEqual([
    expect.stringMatching(/^The books could not be read: relation ".*" does not exist: no server has started on this database/),
  ])
})

test('an address that is not of this machine stops the start in one sentence that names HOST', async () => {
  const database = await createTestDatabase()
  const env = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl, DEMO: '0', SECRET_KEY: 'a secret key of the tests' }
  expect(await failureOf({ ...env, HOST: '192.0.2.1', ALLOW_INSECURE: 'host' })).toMatchObject({
    name: 'StartError',
    message: expect.stringMatching(
      /^Roz could not start: listen EADDRNOTAVAIL: address not available 192\.0\.2\.1:\d+\. HOST is no address of this machine\.$/,
    ),
  })
  await database.drop()
})

test('a database without fsync or synchronous_commit, or of another version, stops the start before the first migration', async () => {
  const database = await createTestDatabase()
  const superuser = connect({ url: database.superUrl, max: 1, named: false })
  const env = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl }
  await superuser.query(sql`delete from schema_migration where name like '0001%'`)
  await superuser.query(sql`alter role roz_app set synchronous_commit = off`)
  const [inMemory] = [await failureOf(env), await superuser.query(sql`alter role roz_app reset synchronous_commit`)]
  expect(inMemory).toEqual(
    new StartError(
      'The database of DATABASE_URL cannot be used: it runs with synchronous_commit=off, so a crash can lose money that was acknowledged; set synchronous_commit=on.',
    ),
  )
  // The same message as a failed migration gives: with synchronous_commit on, the start gets that far.
  expect(await failureOf(env)).toMatchObject({ message: expect.stringContaining('0001_foundation.sql failed') })
  await superuser.close()
  await database.dropUnaudited()

  const hasty = await startTestServer(['fsync=off', 'synchronous_commit=on'])
  try {
    expect(await failureOf({ DATABASE_URL: hasty.urls.owner })).toEqual(
      new StartError(
        'The database of DATABASE_URL cannot be used: it runs with fsync=off, so a power cut can destroy the books; set fsync=on.',
      ),
    )
  } finally {
    await hasty.stop()
  }
  const bytes = await createTestDatabase()
  const asSuper = connect({ url: bytes.superUrl, max: 1, named: false })
  await asSuper.query(sql`create database of_bytes owner roz_owner encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`)
  expect(await failureOf({ DATABASE_URL: urlOf(durable.urls, 'owner', 'of_bytes') })).toEqual(
    new StartError(
      'The database of DATABASE_URL cannot be used: its encoding is SQL_ASCII, which has not every script; make a database with encoding UTF8.',
    ),
  )
  await asSuper.query(sql`drop database of_bytes`)
  await asSuper.close()
  await bytes.drop()
  expect(() => expectVersion(170_009)).toThrow('PostgreSQL 18 is needed, and this is 17')
  expect(() => expectVersion(190_000)).toThrow('PostgreSQL 18 is needed, and this is 19')
  expect(() => expectVersion(180_004)).not.toThrow()
}, 120_000)

test('a database without room for the connections stops the start before anything is served, in one sentence', async () => {
  const database = await createTestDatabase()
  const env = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl, DEMO: '0' }
  // The server has 300 connections, 3 of them for superusers.
  expect(await failureOf({ ...env, DATABASE_CONNECTIONS: '465' })).toMatchObject({
    name: 'StartError',
    message:
      'The database of DATABASE_URL cannot be used: it allows 297 connections, and DATABASE_CONNECTIONS is 465: lower it, or raise max_connections or the limit of the role or database.',
  })
  await database.drop()
})

test('a start forgets the silence of a gateway that the settings no longer name', async () => {
  const database = await createTestDatabase()
  // Soon after midnight, as the migrations leave a new database: an answer about settlements would end the silence.
  await database.setClock(new Date(`${nextDay(dayAt(Date.now()))}T00:30:00+05:30`))
  await database.db.query(sql`update gateway_reading set due_at = start_of_ist_day(ist_day(roz_now())) + interval '30 hours'`)
  await database.db.query(sql`insert into gateway_silence (gateway) values ('payments'), ('payouts')`)
  const env = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl, DEMO: '0', SECRET_KEY: 'a secret key of the tests' }
  const silent = () => database.db.query(sql`select gateway from gateway_silence order by gateway`)
  expect(await failureOf(env)).toBeUndefined()
  expect(await silent()).toEqual([{ gateway: 'payments' }, { gateway: 'payouts' }])
  const account = {
    TRANSFER_HOLDER: 'Roz Foundation',
    TRANSFER_ACCOUNT: '001234567890',
    TRANSFER_IFSC: 'HDFC0000123',
    TRANSFER_BANK: 'HDFC Bank',
  }
  expect(await failureOf({ ...env, PAYMENTS: 'bank-transfer', ...account })).toBeUndefined()
  expect(await silent()).toEqual([])
  await database.drop()
}, 120_000)

test('a local database that runs on with fewer connections stops the start with the name of its setting', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roz-start-'))
  const env = { DATA_DIR: dataDir, DATABASE_CONNECTIONS: '120' }
  const left = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => undefined })
  expect(await failureOf(env)).toEqual(
    new StartError(
      'The database of DATA_DIR cannot be used: it allows 97 connections, and DATABASE_CONNECTIONS is 120: lower it, or start again when nothing uses it.',
    ),
  )
  await left.stop()
  await rm(dataDir, { recursive: true })
}, 120_000)

test('a start serves while a day that takes long is still being caught up', async () => {
  const database = await createTestDatabase()
  const owner = connect({ url: database.superUrl, max: 2, named: false })
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roz-start-'))
  const port = String(await freePort())
  const urls = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl }
  const config = readConfig({ ...urls, PORT: port, SANDBOX_PORT: String(await freePort()), DATA_DIR: dataDir, DEMO: '0' })
  const start = () => startServer(config, { log: pino({ level: 'silent' }), say: () => undefined, begunAtMs: Date.now() })
  const openDays = async () => (await owner.query(sql`select from round where status = 'open'`)).length
  try {
    await (await start()).stop()
    await owner.query(sql`select set_clock_offset(86400000)`)
    const running = await owner.withConnection(async (holder) => {
      // Stands for a close, a list or an Auto Participate of minutes.
      await lockSession(holder, 'clockwork')
      const started = await start()
      expect((await fetch(`http://localhost:${port}/api/rounds/current`)).status).toBe(200)
      await unlockSession(holder, 'clockwork')
      return started
    })
    // Yesterday's round is closed, and tomorrow's is made.
    await expect
      .poll(async () => [await openDays(), (await owner.query(sql`select from round`)).length], { timeout: 20_000 })
      .toEqual([2, 3])
    await running.stop()
  } finally {
    await rm(dataDir, { recursive: true })
    await owner.close()
    await database.drop()
  }
}, 60_000)

test('where the server listens on every address, as in a container, so does the sandbox; elsewhere only this machine reaches it', async () => {
  const reachable = async (host: Readonly<Record<string, string>>): Promise<boolean[]> => {
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(path.join(tmpdir(), 'roz-start-'))
    const ports = [await freePort(), await freePort()] as const
    const urls = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl }
    const env = { ...urls, ...host, PORT: String(ports[0]), SANDBOX_PORT: String(ports[1]), DATA_DIR: dataDir, DEMO: '0' }
    const running = await startServer(readConfig(env), { log: pino({ level: 'silent' }), say: () => undefined, begunAtMs: Date.now() })
    try {
      // Only who listens on every address answers at another one of this machine.
      const asked = ports.map((port) => fetch(`http://127.0.0.2:${port}/`).then(Boolean, () => false))
      return await Promise.all(asked)
    } finally {
      await running.stop()
      await database.drop()
      await rm(dataDir, { recursive: true })
    }
  }
  expect(await reachable({ HOST: '0.0.0.0', ALLOW_INSECURE: 'host' })).toEqual([true, true])
  expect(await reachable({})).toEqual([false, false])
})

test('a witness with the log’s own name or key stops the start', async () => {
  const database = await createTestDatabase()
  const publicKey = randomBytes(32)
  await database.db.query(sql`
    insert into log_key (number, origin, public_key, sealed_seed) values (0, 'roz.example/log', ${publicKey}::bytea, ''::bytea)`)
  for (const text of [witnessKeyText('witness.example', publicKey), witnessKeyText('roz.example/log', randomBytes(32))]) {
    const env = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl, WITNESS_KEYS: text, WITNESS_QUORUM: '1' }
    expect(await failureOf(env)).toEqual(
      new StartError(`WITNESS_KEYS: “${text}” is the log's own name or key. A witness is somebody else.`),
    )
  }
  await database.drop()
})

test('a database that was recovered to a second by hand is served only after it is joined to what came after, once for each restore', async () => {
  const target = 'recovery_target_time=2026-11-23 18:05:00+05:30'
  const recovered = await startTestServer(['fsync=on', 'synchronous_commit=on', target])
  const database = await cloneTemplate(recovered.urls)
  const env = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl, DEMO: '0' }
  try {
    expect(await failureOf(env)).toEqual(
      new StartError(
        `This database was restored (${target}) and does not know yet what came after that second: run roz restore finish on it first, as docs/runbooks/restore.md says.`,
      ),
    )
    const said: string[] = []
    const on = { databaseUrl: database.appUrl, dataDir: '/nowhere', namedStatements: true, say: (line: string) => void said.push(line) }
    const lost = path.join(tmpdir(), `transfers-${randomBytes(4).toString('hex')}.csv`)
    await writeFile(lost, `Transfer ID,Transfer Amount,Beneficiary ID,Status\n${randomBytes(16).toString('hex')},10,bnobody,SUCCESS\n`)
    expect([await afterRestoreNow(on, ['--transfers', lost]), said.join('\n')]).toEqual([
      1,
      expect.stringContaining('No server starts on this database until a run ends with exit code 0.'),
    ])
    expect(await failureOf(env)).toBeInstanceOf(StartError)
    for (let run = 0; run < 2; run++) expect(await afterRestoreNow(on, [])).toBe(0)
    expect(await failureOf(env)).toBeUndefined()
    await rm(lost)
    const superuser = connect({ url: database.superUrl, max: 1, named: false })
    // As a second restore, to another second.
    await superuser.query(sql`update joined_restore set target = replace(target, '18:05', '18:04')`)
    await superuser.close()
    expect(await failureOf(env)).toBeInstanceOf(StartError)
  } finally {
    await database.drop()
    await recovered.stop()
  }
}, 120_000)

test('encrypted values whose key is missing stop the start with their kind and the setting that would open them', async () => {
  const database = await createTestDatabase()
  const keys = createTicketKeys({ secrets: testSecrets })
  for (let n = 0; n < 2; n++) await keys.get(database.db, await makeMember(database.db), '2026-11-21' as IstDay)
  const env = { DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl, SECRET_KEY: 'another secret of the tests' }
  expect(await failureOf(env)).toEqual(
    new StartError(
      'The database has encrypted values that cannot be decrypted (2 ticket keys): they were encrypted with another key than SECRET_KEY. ' +
        'Start with the previous key as SECRET_KEY_OLD; remove SECRET_KEY_OLD when “roz keys reencrypt” says so.',
    ),
  )
  expect(await failureOf({ ...env, SECRET_KEY_OLD: 'a wrong one' })).toMatchObject({
    message: expect.stringContaining('a key that is neither SECRET_KEY nor SECRET_KEY_OLD'),
  })
  await database.drop()
})

test('an unknown word starts no server: the program ends with the list of the commands', async () => {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts'), 'statsu', '--all'], {
    env: { PATH: process.env.PATH, DATA_DIR: '/nowhere', ENV_FILE: 'none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (words += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  expect([code, words]).toEqual([
    2,
    expect.stringMatching(/^There is no command “statsu”\. Commands: serve · status · audit · .* · settings check\|list\./),
  ])
})

test('in production without settings the program ends with one message that names every required setting', async () => {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ENV_FILE: 'none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (words += String(chunk)))
  expect(await new Promise<number | null>((resolve) => child.once('close', resolve))).toBe(1)
  const [first, ...others] = words.trimEnd().split('\n')
  expect(first).toBe('Roz cannot start with these settings:')
  expect(others.pop()).toBe('docs/settings.md explains each of them.')
  const { NODE_ENV: _given, ...required } = PRODUCTION
  const named = others.map((line) => /^ {2}- ([A-Z_]+)/.exec(line)?.[1])
  expect(named.toSorted()).toEqual([...Object.keys(required), 'DATABASE_URL'].toSorted())
})

/** Starts and stops a server with production settings; returns its warnings. */
async function inProduction(urls: Record<string, string>, work: (url: string) => Promise<void> = async () => undefined): Promise<string[]> {
  const lines: string[] = []
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roz-start-'))
  const port = await freePort()
  const { WEB_DIR } = process.env
  const config = readConfig({
    ...PRODUCTION,
    PORT: String(port),
    DATA_DIR: dataDir,
    ...(WEB_DIR === undefined ? {} : { WEB_DIR }),
    ...urls,
  })
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const running = await startServer(config, { log, say: () => undefined, begunAtMs: Date.now() })
  try {
    await work(`http://127.0.0.1:${port}`)
  } finally {
    await running.stop()
    await rm(dataDir, { recursive: true })
  }
  return lines
}

test('in production there are no developer’s controls, and a start warns if the server’s role owns the tables', async () => {
  const database = await createTestDatabase()
  const warningsOf = async (urls: Record<string, string>, work?: (url: string) => Promise<void>): Promise<string[]> =>
    (await inProduction(urls, work)).filter((line) => line.includes('MIGRATE_DATABASE_URL'))
  const asked: unknown[] = []
  const look = async (url: string): Promise<void> => {
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    for (const at of ['GET /dev/clock', 'POST /dev/clock', 'GET /dev/mail', 'GET /dev/mail.json', 'GET /kitchen-sink']) {
      const [method = '', place = ''] = at.split(' ')
      asked.push([at, (await fetch(url + place, { method })).status])
    }
    const metrics = async (headers: Record<string, string>) => (await fetch(`${url}/metrics`, { headers })).status
    expect([await metrics({}), await metrics({ authorization: `Bearer ${PRODUCTION.METRICS_TOKEN}` })]).toEqual([401, 200])
    for (const place of ['/healthz', '/api/public/home', '/api/auth/me', '/api/nowhere', '/uploads/nothing', '/nowhere'])
      expect([place, (await fetch(url + place)).headers.get('strict-transport-security')]).toEqual([
        place,
        'max-age=31536000; includeSubDomains',
      ])
  }
  expect(await warningsOf({ DATABASE_URL: database.appUrl, MIGRATE_DATABASE_URL: database.ownerUrl }, look)).toEqual([])
  expect(asked).toEqual([
    ['GET /dev/clock', 404],
    ['POST /dev/clock', 404],
    ['GET /dev/mail', 404],
    ['GET /dev/mail.json', 404],
    ['GET /kitchen-sink', 404],
  ])
  expect(await warningsOf({ DATABASE_URL: database.ownerUrl })).toHaveLength(1)
  await database.drop()
})
