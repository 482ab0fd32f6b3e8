/**
 * pgBackRest with our own settings: a backup of a PostgreSQL 18 that the product uses, and its restores by hand.
 * - It needs Debian's packages. Where they cannot be reached the test says so and is skipped.
 */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedPostgres, startPostgres } from '@roz/server/db/embedded/embedded.ts'
import { connect, sql } from '@roz/server/db/sql.ts'
import { afterAll, expect, test } from 'vitest'
import { RootError } from '../../harness/debian-root.ts'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { newMember, type Person } from '../../harness/people.ts'
import { emptyLike, type PgBackRest, preparePgBackRest, unpackPgBackRest } from '../../harness/pgbackrest.ts'
import { newDataDir, type Program, setToNoon, startUntouched } from '../../harness/program.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const databases: EmbeddedPostgres[] = []
afterAll(async () => {
  for (const database of databases) await database.stop()
})

const start = async (dataDir: string, ...flags: string[]): Promise<EmbeddedPostgres> => {
  const database = await startPostgres({ dataDir, log: () => undefined, flags })
  databases.push(database)
  return database
}
/** The settings of the server: its folder stays, its database is another one after a restore. */
const settingsOf = (dataDir: string, { appUrl, ownerUrl }: EmbeddedPostgres) => ({
  DATA_DIR: dataDir,
  DATABASE_URL: appUrl,
  MIGRATE_DATABASE_URL: ownerUrl,
})
const join = async ({ url }: Program, { token }: Person): Promise<number> =>
  (await ask(url, 'joinRound', { token, key: `join-${Math.random()}`, body: {} })).status
const balance = async ({ url }: Program, { token }: Person): Promise<number | undefined> => {
  const answer = await ask(url, 'profile', { token })
  return answer.status === 200 ? answer.output.user.wallet.balance : undefined
}

/** Waits until the archive has every commit so far. */
async function archived({ superUrl }: EmbeddedPostgres): Promise<void> {
  const db = connect({ url: superUrl, max: 1 })
  try {
    const { last } = await db.one<{ last: string }>(sql`select pg_walfile_name(pg_switch_wal()) as last`)
    const isThere = sql`select coalesce(last_archived_wal >= ${last}::text, false) as is from pg_stat_archiver`
    await expect.poll(async () => (await db.one<{ is: boolean }>(isThere)).is, { timeout: 60_000 }).toBe(true)
  } finally {
    await db.close()
  }
}

/** Restores into a new folder and starts PostgreSQL on it, which recovers. `flags` are PostgreSQL's. */
async function restored(
  { from, tool, to, flags = [] }: { from: string; tool: PgBackRest; to: string; flags?: readonly string[] },
  ...words: string[]
): Promise<EmbeddedPostgres> {
  const cluster = path.join(to, 'cluster')
  mkdirSync(to, { mode: 0o711 })
  emptyLike(path.join(from, 'cluster'), cluster)
  copyFileSync(path.join(from, 'passwords.json'), path.join(to, 'passwords.json'))
  await tool.run(`--pg1-path=${cluster}`, ...words, 'restore')
  return start(to, 'hot_standby=off', ...flags)
}

/** No server starts before roz restore finish; then the audit passes. */
async function joinToWhatCame(settings: ReturnType<typeof settingsOf>, how: RegExp): Promise<Program> {
  await expect(startUntouched({ dataDir: settings.DATA_DIR, env: settings })).rejects.toThrow(how)
  expect(await runCommand(settings, 'restore', 'finish')).toMatchObject({ code: 0 })
  expect(await runCommand(settings, 'audit')).toEqual({ code: 0, text: expect.stringMatching(/All \d+ invariants hold\./) })
  return startUntouched({ dataDir: settings.DATA_DIR, env: settings })
}

test.runIf(ALL)(
  'a database that pgBackRest restored to a second has all that was acknowledged before it, and serves after it is joined',
  { timeout: 600_000 },
  async (context) => {
    const debian = await unpackPgBackRest().catch((error: unknown) => {
      if (!(error instanceof RootError)) throw error
      return context.skip(`pgBackRest was not tried: ${error.message}`)
    })
    const [folder, dataDir] = [newDataDir(), newDataDir()]
    const [first, second, third] = ['first', 'second', 'third'].map((name) => path.join(folder, name)) as [string, string, string]
    // Once to make it: pgBackRest's own folders belong to its user.
    await (await start(first)).stop()
    const password = (JSON.parse(readFileSync(path.join(first, 'passwords.json'), 'utf8')) as { postgres: string }).postgres
    const tool = preparePgBackRest(debian, folder, { cluster: path.join(first, 'cluster'), password })
    const archivingFrom = (folder: string): string[] => [
      'archive_mode=on',
      `archive_command=${tool.archiveCommand.replace('archive-push', `--pg1-path=${path.join(folder, 'cluster')} archive-push`)}`,
      'archive_timeout=60',
      `unix_socket_directories=${tool.sockets}`,
    ]
    const database = await start(first, ...archivingFrom(first))

    const atPort = `--pg1-port=${database.port}`
    const roz = await startUntouched({ dataDir, env: settingsOf(dataDir, database) })
    await setToNoon(roz.url)
    const before = await newMember(roz, { rupees: 10 })
    for (const command of ['stanza-create', 'check']) await tool.run(atPort, command)
    await tool.run(atPort, '--type=full', 'backup')
    expect(await tool.run('info')).toContain('status: ok')
    const between = await newMember(roz, { rupees: 20 })
    expect([await join(roz, before), await join(roz, between)]).toEqual([200, 200])
    // A backup ends at a whole second, and serves only seconds after it.
    await sleep(1050)
    const at = new Date()
    await sleep(50)
    const after = await newMember(roz, { rupees: 30 })
    expect(await join(roz, after)).toBe(200)
    expect(await roz.stop()).toBe(0)
    await archived(database)
    await database.stop()

    const target = `--target=${at.toISOString().replace('T', ' ').replace('Z', '+00')}`
    // The restored cluster archives too, as that of the compose file does: the repository then has its timeline 2.
    const toSecond = { from: first, tool, to: second, flags: archivingFrom(second) }
    const toASecond = await restored(toSecond, '--type=time', target, '--target-action=promote', '--target-timeline=1')
    const there = await joinToWhatCame(settingsOf(dataDir, toASecond), /restored \(recovery_target_time=/)
    expect([await balance(there, before), await balance(there, between), await balance(there, after)]).toEqual([9, 19, undefined])
    expect([await join(there, before), await join(there, between)]).toEqual([409, 409])
    await there.stop()
    await archived(toASecond)
    await toASecond.stop()

    // Without the old cluster's timeline it would follow timeline 2, which lacks what came after the second.
    const toThird = { from: first, tool, to: third }
    const whole = await restored(toThird, '--type=default', '--target-timeline=1', '--archive-mode=off')
    expect(readFileSync(path.join(third, 'cluster', 'postgresql.auto.conf'), 'utf8')).toContain("archive_mode = 'off'")
    const all = await joinToWhatCame(settingsOf(dataDir, whole), /restored \(without a target, timeline 3\)/)
    expect([await balance(all, before), await balance(all, between), await balance(all, after)]).toEqual([9, 19, 29])
    await all.stop()
  },
)
