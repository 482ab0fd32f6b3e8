/** The local database under crashes, kills, foreign files and foreign users. Each test ends the processes it started. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, expect, test } from 'vitest'
import { isRoot } from './identity.ts'
import { processesIn, signal, startOf } from './process.ts'
import { type EmbeddedPostgres, startPostgres, temporaryPostgres } from './embedded.ts'

const NOBODY = 65534
const root = mkdtempSync(path.join(tmpdir(), 'roz embedded '))
chmodSync(root, 0o755)
const running: EmbeddedPostgres[] = []
const children: ChildProcess[] = []
let said: string[] = []
let made = 0

const newFolder = (): string => path.join(root, `data ${++made}`, 'postgres')
const cluster = (dataDir: string): string => path.join(dataDir, 'cluster')
const pidIn = (dataDir: string): number => Number(readFileSync(path.join(cluster(dataDir), 'postmaster.pid'), 'utf8').split('\n')[0])

async function start(dataDir: string, flags: readonly string[] = []): Promise<EmbeddedPostgres> {
  const handle = await startPostgres({ dataDir, flags: ['fsync=off', ...flags], log: (line) => said.push(line), durable: false })
  running.push(handle)
  return handle
}

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ value: unknown }>(text)
    return rows[0]?.value
  } finally {
    await client.end()
  }
}

let earlier: Promise<string> | undefined
/** A stopped database as an earlier start left it. It is a copy, because initdb takes longer than the rest of a test. */
async function earlierFolder(): Promise<string> {
  earlier ??= (async () => {
    const dataDir = newFolder()
    const first = await startPostgres({ dataDir, flags: ['fsync=off'], log: () => undefined, durable: false })
    await first.stop()
    return dataDir
  })()
  const [from, dataDir] = [await earlier, newFolder()]
  mkdirSync(path.dirname(dataDir), { recursive: true })
  execFileSync('cp', ['-a', '--', from, dataDir])
  return dataDir
}

/** Starts the database in a child process that then waits to be killed. */
async function startInAnotherProcess(dataDir: string): Promise<ChildProcess> {
  const code = `import { startPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'embedded.ts'))}
    await startPostgres({ dataDir: process.argv[1], flags: ['fsync=off'], log: () => {}, durable: false })
    process.stdout.write('up')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', () => reject(new Error('the other process ended')))
  })
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

afterEach(async () => {
  for (const handle of running.splice(0)) await handle.stop()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  said = []
})

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

test('a first start makes the database and its roles, a second start finds them, and stop leaves no process', async () => {
  const dataDir = newFolder()
  const first = await start(dataDir)
  await ask(first.ownerUrl, 'create table kept (value int)')
  await ask(first.ownerUrl, 'insert into kept values (7)')
  await first.stop()
  expect(processesIn(cluster(dataDir))).toEqual([])
  const second = await start(dataDir)
  expect(second.adopted).toBe(false)
  expect(await ask(second.ownerUrl, 'select value from kept')).toBe(7)
  expect(
    await ask(second.ownerUrl, 'select datlocprovider::text || datcollate as value from pg_database where datname = current_database()'),
  ).toBe('bC')
})

test('the server role can connect and has no privilege that no migration granted', async () => {
  const database = await start(await earlierFolder())
  await ask(database.ownerUrl, 'create table secret (value int)')
  expect(await ask(database.appUrl, 'select current_user as value')).toBe('roz_app')
  await expect(ask(database.appUrl, 'select value from secret')).rejects.toThrow(/permission denied/)
  await expect(ask(database.appUrl, 'create table mine (value int)')).rejects.toThrow(/permission denied/)
})

test('a wrong password is refused, and only the owner can read the password file', async () => {
  const dataDir = await earlierFolder()
  const database = await start(dataDir)
  expect(statSync(path.join(dataDir, 'passwords.json')).mode & 0o777).toBe(0o600)
  await expect(ask(`postgres://postgres:guess@127.0.0.1:${database.port}/postgres`, 'select 1')).rejects.toThrow(
    /password authentication failed/,
  )
  expect(
    await ask(database.superUrl, "select current_setting('unix_socket_directories') || current_setting('listen_addresses') as value"),
  ).toBe('127.0.0.1')
})

test('a database that a killed server left running is adopted', async () => {
  const dataDir = await earlierFolder()
  const other = await startInAnotherProcess(dataDir)
  const pid = pidIn(dataDir)
  await kill(other)
  const adopted = await start(dataDir)
  expect(adopted.adopted).toBe(true)
  expect(pidIn(dataDir)).toBe(pid)
  await adopted.stop()
  expect(processesIn(cluster(dataDir))).toEqual([])
})

test('two simultaneous starts on a new folder share one database, and the first to leave does not stop it', async () => {
  const dataDir = newFolder()
  const [one, two] = await Promise.all([start(dataDir), startInAnotherProcess(dataDir)])
  expect(processesIn(cluster(dataDir)).length).toBeGreaterThan(0)
  await one.stop()
  expect(processesIn(cluster(dataDir)).length).toBeGreaterThan(0)
  await kill(two)
  const three = await start(dataDir)
  expect(three.adopted).toBe(true)
})

test('after kill -9 of the postmaster the next start recovers all committed data', async () => {
  const dataDir = await earlierFolder()
  const other = await startInAnotherProcess(dataDir)
  const { postgres: password } = JSON.parse(readFileSync(path.join(dataDir, 'passwords.json'), 'utf8')) as { postgres: string }
  const port = readFileSync(path.join(cluster(dataDir), 'postmaster.pid'), 'utf8').split('\n')[3]
  await ask(`postgres://postgres:${password}@127.0.0.1:${port}/roz`, 'create table kept as select 7 as value')
  await kill(other)
  process.kill(pidIn(dataDir), 'SIGKILL')
  const next = await start(dataDir)
  expect(next.adopted).toBe(false)
  expect(await ask(next.superUrl.replace(/postgres$/, 'roz'), 'select value from kept')).toBe(7)
})

test('a pid file whose pid belongs to another program is removed', async () => {
  const dataDir = await earlierFolder()
  const stranger = spawn('sleep', ['60'])
  children.push(stranger)
  writeFileSync(
    path.join(cluster(dataDir), 'postmaster.pid'),
    `${stranger.pid}\n${cluster(dataDir)}\n1\n54329\n\n127.0.0.1\n0 0\nready   \n`,
  )
  expect((await start(dataDir)).adopted).toBe(false)
  expect(stranger.exitCode).toBeNull()
  expect(said.join()).toContain('recovers')
})

test('a pid file whose process is a zombie is removed', async () => {
  const dataDir = await earlierFolder()
  // The shell execs a program that never reaps its inherited child.
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(parent)
  const zombie = await new Promise<string>((resolve) => parent.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())))
  await sleep(400)
  expect(readFileSync(`/proc/${zombie}/stat`, 'utf8')).toContain(') Z ')
  writeFileSync(path.join(cluster(dataDir), 'postmaster.pid'), `${zombie}\n${cluster(dataDir)}\n1\n54329\n\n127.0.0.1\n0 0\nready   \n`)
  expect((await start(dataDir)).adopted).toBe(false)
})

test('a query that outlives its killed postmaster is killed, another program in that folder is not', async () => {
  const dataDir = await earlierFolder()
  const other = await startInAnotherProcess(dataDir)
  const { postgres: password } = JSON.parse(readFileSync(path.join(dataDir, 'passwords.json'), 'utf8')) as { postgres: string }
  const port = readFileSync(path.join(cluster(dataDir), 'postmaster.pid'), 'utf8').split('\n')[3]
  const busy = new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/roz` })
  busy.on('error', () => undefined)
  await busy.connect()
  const query = busy.query('select count(*) from generate_series(1, 3000000000) a').then(
    () => 'ended',
    () => 'cut',
  )
  await sleep(300)
  const shell = spawn('sleep', ['60'], { cwd: cluster(dataDir) })
  children.push(shell)
  await kill(other)
  process.kill(pidIn(dataDir), 'SIGKILL')
  const next = await start(dataDir)
  expect(said.join()).toContain('left behind')
  expect(shell.exitCode).toBeNull()
  expect(await ask(next.appUrl, 'select 1 as value')).toBe(1)
  expect(await query).toBe('cut')
})

test('a database that is killed under its server restarts on the same port', async () => {
  const dataDir = await earlierFolder()
  const database = await start(dataDir)
  process.kill(pidIn(dataDir), 'SIGKILL')
  await expect.poll(() => ask(database.appUrl, 'select 1 as value').catch(() => 0), { timeout: 20_000, interval: 200 }).toBe(1)
  await database.stop()
  expect(processesIn(cluster(dataDir))).toEqual([])
})

test('stop does not wait for a query that a client runs', async () => {
  const database = await start(await earlierFolder())
  const slow = ask(database.superUrl, "select pg_sleep('infinity')::text as value").catch(() => 'cut')
  await sleep(200)
  await database.stop()
  expect(await slow).toBe('cut')
})

test('a process that exits without stop ends its database', async () => {
  const dataDir = await earlierFolder()
  const other = await startInAnotherProcess(dataDir)
  other.kill('SIGTERM')
  await kill(other)
  const code = `import { startPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'embedded.ts'))}
    await startPostgres({ dataDir: process.argv[1], flags: [], log: () => {} })
    process.exit(0)`
  execFileSync(process.execPath, ['--input-type=module', '-e', code, dataDir], { stdio: 'inherit' })
  await expect.poll(() => processesIn(cluster(dataDir)), { timeout: 10_000 }).toEqual([])
})

test('Ctrl-C in the terminal does not reach the database, which runs in its own session', async () => {
  const dataDir = await earlierFolder()
  await start(dataDir)
  const pid = pidIn(dataDir)
  const session = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[3]
  expect(session).toBe(String(pid))
  expect(startOf(pid)).not.toBe('0')
})

test('a folder with other files is refused and left unchanged', async () => {
  const dataDir = newFolder()
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(path.join(dataDir, 'letter.txt'), 'dear')
  await expect(start(dataDir)).rejects.toThrow(/is not empty and contains no database of Roz/)
  expect(readFileSync(path.join(dataDir, 'letter.txt'), 'utf8')).toBe('dear')
})

test('data of another PostgreSQL version are refused', async () => {
  const dataDir = await earlierFolder()
  writeFileSync(path.join(cluster(dataDir), 'PG_VERSION'), '17\n')
  await expect(start(dataDir)).rejects.toThrow(/made by PostgreSQL 17/)
})

test('the next start removes the partial database of a start that was killed', async () => {
  const dataDir = newFolder()
  mkdirSync(`${dataDir}.making-dead/cluster`, { recursive: true })
  await start(dataDir)
  expect(existsSync(`${dataDir}.making-dead`)).toBe(false)
})

test('stop deletes the folder of a temporary database', async () => {
  const database = await temporaryPostgres()
  running.push(database)
  const folder = String(await ask(database.superUrl, "select current_setting('data_directory') as value"))
  await database.stop()
  expect(existsSync(folder)).toBe(false)
})

test.runIf(isRoot())('a start as root succeeds under a folder closed to every other user, such as its home', async () => {
  const closed = path.join(root, 'home of root')
  mkdirSync(closed, { mode: 0o700 })
  const dataDir = path.join(closed, 'data', 'postgres')
  const database = await start(dataDir)
  expect(await ask(database.appUrl, 'select 1 as value')).toBe(1)
  await database.stop()
  expect(await ask((await start(dataDir)).appUrl, 'select 1 as value')).toBe(1)
})

test.runIf(isRoot())('a start as root runs a user’s database as that user, who can start it again afterwards', async () => {
  const home = path.join(root, 'home of a user')
  mkdirSync(home, { mode: 0o700 })
  chownSync(home, NOBODY, NOBODY)
  const dataDir = path.join(home, 'postgres')
  startOnceAs(NOBODY, dataDir)
  const database = await start(dataDir)
  expect(statSync(`/proc/${pidIn(dataDir)}`).uid).toBe(NOBODY)
  await database.stop()
  for (const name of ['passwords.json', 'postgres.log', 'users', 'cluster']) expect(statSync(path.join(dataDir, name)).uid).toBe(NOBODY)
  startOnceAs(NOBODY, dataDir)
})

test.runIf(isRoot())('a user who starts on root’s database is refused with one message', async () => {
  const dataDir = await earlierFolder()
  expect(() => startOnceAs(1234, dataDir)).toThrow(/was made by a start as root.*DATA_DIR/)
})

test.runIf(isRoot())('a user with a number but no name can make a database', () => {
  const home = path.join(root, 'home of a number')
  mkdirSync(home, { mode: 0o700 })
  chownSync(home, 4321, 4321)
  startOnceAs(4321, path.join(home, 'postgres'))
  startOnceAs(4321, path.join(home, 'postgres'))
  expect(statSync(path.join(home, 'postgres', 'cluster')).uid).toBe(4321)
})

test.runIf(isRoot())('data that belong to root run in a user namespace', async () => {
  const dataDir = await earlierFolder()
  execFileSync('chown', ['-R', '0:0', cluster(dataDir)])
  const database = await start(dataDir)
  expect(await ask(database.appUrl, 'select 1 as value')).toBe(1)
  signal(pidIn(dataDir), 'SIGHUP')
})

/** Starts and stops the database in a process of that user. Throws with its error output. */
function startOnceAs(uid: number, dataDir: string): void {
  const code = `import { startPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'embedded.ts'))}
    try { await (await startPostgres({ dataDir: process.argv[1], log: () => {} })).stop() }
    catch (error) { process.stderr.write(error.message); process.exit(1) }`
  execFileSync(process.execPath, ['--input-type=module', '-e', code, dataDir], {
    uid,
    gid: uid,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}
