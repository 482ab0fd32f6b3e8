/**
 * Backups of the local database and restores of them: to a second, under load, after damage, and what the folder contains.
 * - A copy of one prepared data folder saves making a database in each test.
 * - ROZ_TEST_ALL=1 adds the tests that take several backups.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFileStorage } from '../adapters/storage/files.ts'
import { UPLOADS_PATH } from '../adapters/storage/port.ts'
import { backupNow } from '../commands/backup.ts'
import { restoreNow } from '../commands/restore.ts'
import { connect, type Db, sql } from '../db/sql.ts'
import { makeMember } from '../testing/calls.ts'
import { copyFolder, type LocalDatabase, newRoot, pay, startLocal } from '../testing/local-database.ts'
import { readFigures } from '../http/figures.ts'
import { findGap, listBackups, segmentAfter } from './backup-folder.ts'
import { startShipping } from './ship.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const { root, remove } = newRoot()
let number = 0
let local: LocalDatabase
let member: bigint
let [folder, restored]: [string, string] = ['', '']
let said: string[]
const running: LocalDatabase[] = []
const say = (line: string): void => void said.push(line)
const start = async (dataDir: string): Promise<LocalDatabase> => {
  const started = await startLocal(dataDir)
  running.push(started)
  return started
}

beforeAll(async () => {
  const first = await startLocal(path.join(root, 'first'))
  member = await makeMember(first.db)
  writeFileSync(path.join(first.dataDir, 'secret-key'), 'the secret key of this test, which no backup has', { mode: 0o600 })
  await first.stop()
})
afterAll(remove)
beforeEach(async () => {
  const here = path.join(root, `test ${++number}`)
  mkdirSync(here, { mode: 0o755 })
  copyFolder(path.join(root, 'first'), path.join(here, 'data'))
  ;[folder, restored, said] = [path.join(here, 'backups'), path.join(here, 'restored'), []]
  local = await start(path.join(here, 'data'))
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

const backup = (...words: string[]) => backupNow({ DATA_DIR: local.dataDir }, ['--to', folder, ...words], say)
const restore = (...words: string[]) => restoreNow(['--from', folder, '--into', restored, ...words], say)
const text = (): string => said.join('\n')

/** The orders that were paid in the restored database. */
async function ordersIn(dataDir: string): Promise<Set<string>> {
  const { db } = await start(dataDir)
  const rows = await db.query<{ id: string }>(sql`select order_id as id from topup where status = 'captured'`)
  return new Set(rows.map(({ id }) => id))
}

type Paid = { readonly id: string; readonly begunMs: number; readonly ackedMs: number }
/** Pays without a pause until it is stopped. */
function payOn(db: Db): { readonly stop: () => Promise<readonly Paid[]> } {
  const paid: Paid[] = []
  let isOn = true
  const run = async (): Promise<void> => {
    while (isOn) {
      const begunMs = Date.now()
      const id = await pay(db, member)
      paid.push({ id, begunMs, ackedMs: Date.now() })
    }
  }
  const all = Promise.all([run(), run(), run()])
  return {
    stop: async () => {
      isOn = false
      await all
      return paid
    },
  }
}

test('under load a restore to a second misses nothing acknowledged before it, has nothing begun after it, and passes the audit', async () => {
  const load = payOn(local.db)
  expect([await backup(), text()]).toEqual([0, expect.stringContaining('All were read back.')])
  await sleep(300)
  const at = new Date()
  await sleep(300)
  const paid = await load.stop()
  await local.shipAll()
  expect([await restore('--at', at.toISOString()), text()]).toEqual([0, expect.stringMatching(/All \d+ invariants hold\./)])
  expect(text()).toContain('Its last movement of money: ')
  const there = await ordersIn(restored)
  const before = paid.filter(({ ackedMs }) => ackedMs < at.getTime())
  const after = paid.filter(({ begunMs }) => begunMs > at.getTime())
  expect(before.filter(({ id }) => !there.has(id))).toEqual([])
  expect(after.filter(({ id }) => there.has(id))).toEqual([])
  expect([before.length > 0, after.length > 0]).toEqual([true, true])
})

test.runIf(ALL)('without a second everything is restored, also from the log of a database that was killed and started again', async () => {
  expect(await backup()).toBe(0)
  const orders = [await pay(local.db, member)]
  await local.db.close()
  process.kill(Number(readFileSync(path.join(local.dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
  await local.postgres.stop()
  running.length = 0
  local = await start(local.dataDir)
  orders.push(await pay(local.db, member))
  await local.shipAll()
  expect([await restore(), text()]).toEqual([0, expect.stringContaining('invariants hold')])
  expect(orders.every((id) => id !== '')).toBe(true)
  expect((await ordersIn(restored)).isSupersetOf(new Set(orders))).toBe(true)
})

test('a second that the backup does not have is refused and leaves no folder behind', async () => {
  expect(await restore()).toBe(1)
  expect(text()).toContain('contains no backups of Roz')
  const early = new Date().toISOString()
  await backup()
  await pay(local.db, member)
  await local.shipAll()
  expect(await restore('--at', early)).toBe(1)
  expect(text()).toContain('The oldest backup can be restored from')
  expect(await restore('--at', new Date(Date.now() + 60_000).toISOString())).toBe(1)
  expect(text()).toMatch(/The backup's log ends before .*: its last commit is of /)
  for (const words of [['--at', '2026-11-23 18:05'], ['--at'], ['--on', 'x'], ['--at', '2026-13-23T18:05:00Z']])
    expect(await restore(...words)).toBe(2)
  expect(readdirSync(path.dirname(restored)).sort()).toEqual(['backups', 'data'])
})

test('a folder with something in it is never restored over, and none inside DATA_DIR or of another database is backed up to', async () => {
  expect(await backup()).toBe(0)
  expect(await restoreNow(['--from', folder, '--into', local.dataDir], say)).toBe(1)
  expect(text()).toContain('never over another database')
  expect(await backupNow({ DATA_DIR: local.dataDir }, ['--to', path.join(local.dataDir, 'backups')], say)).toBe(1)
  expect(text()).toContain('the backup would be lost with its data')
  const foreign = path.join(path.dirname(folder), 'foreign')
  mkdirSync(foreign)
  writeFileSync(path.join(foreign, 'holiday.jpg'), '')
  expect(await backupNow({ DATA_DIR: local.dataDir }, ['--to', foreign], say)).toBe(1)
  expect(text()).toContain('contains no backups of Roz')
  for (const words of [[], ['--to'], ['--to', folder, '--keep', '0'], ['--to', folder, '--fast', '1']])
    expect(await backupNow({ DATA_DIR: local.dataDir }, words, say)).toBe(2)
  expect(await backupNow({ DATA_DIR: local.dataDir, DATABASE_URL: 'postgres://roz@db.example/roz' }, ['--to', folder], say)).toBe(2)
})

test.runIf(ALL)('a restored database ships nothing to the folder it came from, and a backup into that folder is refused', async () => {
  await backup()
  expect(await restore()).toBe(0)
  const before = readdirSync(path.join(folder, 'wal'))
  const other = await start(restored)
  await pay(other.db, member)
  await other.postgres.stop()
  expect(readdirSync(path.join(folder, 'wal'))).toEqual(before)
  expect(await backupNow({ DATA_DIR: restored }, ['--to', folder], say)).toBe(1)
  expect(text()).toContain('or of this one before a restore')
  expect(await backupNow({ DATA_DIR: restored }, ['--to', `${folder}-new`], say)).toBe(0)
})

test('a damaged or missing file, or a missing WAL segment, stops a restore, and the error names it', async () => {
  await backup()
  await pay(local.db, member)
  await local.shipAll()
  await pay(local.db, member)
  await local.shipAll()
  const [{ place, manifest }] = (await listBackups(folder)) as never as [Awaited<ReturnType<typeof listBackups>>[number]]
  const file = path.join(place, 'cluster/PG_VERSION.zst')
  renameSync(file, `${file}.away`)
  expect(await restore()).toBe(1)
  expect(text()).toContain("The backup's file PG_VERSION is damaged or missing")
  writeFileSync(file, execFileSync('head', ['-c', '9', `${file}.away`]))
  expect(await restore()).toBe(1)
  renameSync(`${file}.away`, file)
  rmSync(path.join(folder, 'wal', `${segmentAfter(manifest.lastSegment)}.zst`))
  expect(await restore()).toBe(1)
  expect(text()).toContain(`segment ${segmentAfter(manifest.lastSegment)} is missing`)
  expect(existsSync(restored)).toBe(false)
})

test.runIf(ALL)('the newest backups are kept; older ones are removed, with their WAL and the uploads that no kept one names', async () => {
  const storage = createFileStorage({ folder: path.join(local.dataDir, 'uploads') })
  const picture = await storage.put('avatars', 'webp', Buffer.from('a face'))
  for (let count = 0; count < 3; count++) {
    expect(await backup('--keep', '2')).toBe(0)
    if (count === 0) {
      expect(existsSync(path.join(folder, 'uploads', picture))).toBe(true)
      await storage.remove(picture)
    }
    await sleep(1100)
  }
  const kept = await listBackups(folder)
  expect(kept).toHaveLength(2)
  expect(text()).toContain('older than the newest 2')
  const segments = readdirSync(path.join(folder, 'wal')).sort()
  expect(segments[0]?.slice(0, 24)).toBe(kept[0]?.manifest.firstSegment)
  expect(existsSync(path.join(folder, 'uploads', picture))).toBe(false)
  expect(await restore()).toBe(0)
})

test('a receipt stored after the backup is restored with its row, and an erased picture is not', async () => {
  const storage = createFileStorage({ folder: path.join(local.dataDir, 'uploads') })
  const erased = await storage.put('avatars', 'webp', Buffer.from('a face that is erased'))
  await backup()
  const kept = await storage.put('avatars', 'webp', Buffer.from('a face'))
  await local.db.query(sql`update member set avatar = ${UPLOADS_PATH + kept}::text where id = ${member}::bigint`)
  await local.shipAll()
  expect(await restore()).toBe(0)
  const there = createFileStorage({ folder: path.join(restored, 'uploads') })
  expect((await there.find(kept))?.bytes.toString()).toBe('a face')
  expect(await there.find(erased)).toBeUndefined()
})

test('a backup contains neither the secret key nor a password; the operator supplies the key', async () => {
  await backup()
  const found = execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' })
    .split('\n')
    .map((name) => path.basename(name))
  expect(found.filter((name) => /secret|password|backup\.json/.test(name))).toEqual([])
  expect(await restore('--secret-key', path.join(local.dataDir, 'secret-key'))).toBe(0)
  expect(readFileSync(path.join(restored, 'secret-key'), 'utf8')).toContain('the secret key of this test')
  const passwords = (dataDir: string): string => readFileSync(path.join(dataDir, 'postgres/passwords.json'), 'utf8')
  expect(passwords(restored)).not.toBe(passwords(local.dataDir))
  const other = await start(restored)
  const old = connect({ url: local.postgres.appUrl.replace(/:\d+\//, `:${other.postgres.port}/`), max: 1 })
  await expect(old.query(sql`select 1`)).rejects.toThrow()
  await old.close()
})

test('nothing that a restore writes can be read by another user of the machine, neither while the log is replayed nor after', async () => {
  const storage = createFileStorage({ folder: path.join(local.dataDir, 'uploads') })
  const picture = await storage.put('avatars', 'webp', Buffer.from('a face'))
  await local.db.query(sql`update member set avatar = ${UPLOADS_PATH + picture}::text where id = ${member}::bigint`)
  await backup()
  execFileSync('chmod', ['-R', 'a+rX', path.join(folder, 'uploads')])
  const readable = (place: string): string[] =>
    execFileSync('find', [place, '-name', 'postgres-lib', '-prune', '-o', '-type', 'f', '-size', '+0', '-perm', '/077', '-print'], {
      encoding: 'utf8',
    }).split('\n')
  const found: string[] = []
  let looks = 0
  const look = (line: string): void => {
    say(line)
    const making = readdirSync(path.dirname(restored)).find((name) => name.includes('.restoring-'))
    if (making === undefined) return
    looks++
    found.push(...readable(path.join(path.dirname(restored), making)))
  }
  expect(await restoreNow(['--from', folder, '--into', restored], look)).toBe(0)
  expect([looks, existsSync(path.join(restored, 'uploads', picture))]).toEqual([2, true])
  expect([...found, ...readable(restored)].filter((name) => name !== '')).toEqual([])
})

test('a folder that is filled while the log is replayed stays as it is, and nothing is restored beside it', async () => {
  await backup()
  const fill = (line: string): void => {
    say(line)
    if (!line.startsWith('Replaying')) return
    mkdirSync(restored)
    writeFileSync(path.join(restored, 'somebody else’s'), 'untouched')
  }
  expect(await restoreNow(['--from', folder, '--into', restored], fill)).toBe(1)
  expect(text()).toContain('has been filled meanwhile')
  expect(readdirSync(restored)).toEqual(['somebody else’s'])
  expect(readdirSync(path.dirname(restored)).filter((name) => name.includes('.restoring-'))).toEqual([])
})

test('a manifest whose paths lead out of the new folder is refused before anything is written', async () => {
  await backup()
  const [{ place, manifest }] = (await listBackups(folder)) as never as [Awaited<ReturnType<typeof listBackups>>[number]]
  const content = { size: 1, sha256: '' }
  const outside = path.join(path.dirname(folder), 'outside')
  for (const changed of [
    { files: { ...manifest.files, '../../outside': content } },
    { files: { ...manifest.files, [outside]: content } },
    { folders: [...manifest.folders, 'base/../../../outside'] },
    { uploads: ['..\\outside'] },
  ]) {
    said = []
    writeFileSync(path.join(place, 'manifest.json'), JSON.stringify({ ...manifest, ...changed }))
    expect([await restore(), text()]).toEqual([1, expect.stringMatching(/names .*outside": somebody has changed it/)])
  }
  expect(readdirSync(path.dirname(restored)).sort()).toEqual(['backups', 'data'])
})

test('a folder without its disk is reported by name, gets no files, and counts as unreachable until the disk is back', async () => {
  await backup()
  expect(
    (await readFigures({ db: local.db, witnesses: { keys: [], quorum: 1 }, dataDir: local.dataDir })).get('roz_backup_age_seconds'),
  ).toBeLessThan(600)
  renameSync(folder, `${folder}-away`)
  mkdirSync(folder)
  expect([await backup(), text()]).toEqual([1, expect.stringContaining('is empty now. Is its disk mounted?')])
  const failures: unknown[] = []
  let notes = 0
  await pay(local.db, member)
  await expect(local.shipAll()).rejects.toThrow('is its disk mounted?')
  const shipping = startShipping(
    { postgres: path.join(local.dataDir, 'postgres'), uploads: undefined },
    { log: { error: (...words: unknown[]) => void failures.push(words) }, note: async () => void notes++ },
  )
  await expect.poll(() => failures.length, { timeout: 30_000 }).toBe(1)
  expect([notes, readdirSync(folder)]).toEqual([0, []])
  rmSync(folder, { recursive: true })
  renameSync(`${folder}-away`, folder)
  await expect.poll(() => notes, { timeout: 30_000 }).toBe(1)
  await shipping.stop()
  expect([failures.length, notes]).toEqual([1, 1])
})

test.runIf(ALL)('a backup that was killed is not listed, and the next one removes its files', async () => {
  const code = `import { backupNow } from ${JSON.stringify(path.join(import.meta.dirname, '../commands/backup.ts'))}
    await backupNow({ DATA_DIR: process.argv[1] }, ['--to', process.argv[2]], (line) => process.stdout.write(line + '\\n'))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, local.dataDir, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  expect(await listBackups(folder)).toEqual([])
  expect(readdirSync(folder).filter((name) => name.endsWith('.making'))).toHaveLength(1)
  expect(await restore()).toBe(1)
  expect(await backup()).toBe(0)
  expect(readdirSync(folder).filter((name) => name.endsWith('.making'))).toEqual([])
  expect(await restore()).toBe(0)
})

test('segments follow one another in steps of 16 MB, and the first missing one is found', () => {
  expect(segmentAfter('0000000100000000000000FF')).toBe('000000010000000100000000')
  const first = '000000010000000000000001'
  const [second, third] = [segmentAfter(first), segmentAfter(segmentAfter(first))]
  expect(findGap([first, second, third], first)).toBeUndefined()
  expect(findGap([first, third], first)).toBe(second)
  expect(findGap([], first)).toBe(first)
})
