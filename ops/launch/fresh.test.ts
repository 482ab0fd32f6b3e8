/**
 * A fresh copy of the sources in a folder with a space in its name, with an empty home: it starts,
 * somebody joins, it stops, starts again, and leaves nothing where it should not. Once with an empty
 * cache and an npm that runs no install script of anybody, as npm 12 does unasked; once as an ordinary
 * user without a network, from the cache that the first has filled.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ask } from '../../e2e/calls.ts'
import { newMember } from '../../e2e/people.ts'
import { freePorts, setToNoon } from '../../e2e/program.ts'
import { endAll, launch, type Launched, newFolder, nothingLeft, ROOT } from './launched.ts'

const NOBODY = 65534
const IGNORED = new Set(['node_modules', '.git', '.data', '.build', '.cache', 'dist', 'test-results', 'screenshots'])
/** Where npm start may write inside the checkout. */
const BUILT = new Set(['node_modules', '.data', '.build'])
const isRoot = process.getuid?.() === 0
const folder = newFolder('roz fresh ')
chmodSync(folder, 0o755)

afterEach(endAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Place = { readonly checkout: string; readonly home: string; readonly temporary: string; readonly as: readonly string[] }

/** Undefined where the sources came without their history. */
function listedByGit(): string[] | undefined {
  if (!existsSync(path.join(ROOT, '.git'))) return undefined
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })
  return listed.split('\0').filter((name) => name !== '')
}

/** What belongs to the repository, as it stands now. */
function copySources(to: string): void {
  const listed = listedByGit()
  if (listed === undefined) return cpSync(ROOT, to, { recursive: true, filter: (file) => !IGNORED.has(path.basename(file)) })
  for (const name of listed) if (existsSync(path.join(ROOT, name))) cpSync(path.join(ROOT, name), path.join(to, name))
}

/** Only what belongs to the repository; as that user's own. */
function freshPlace(name: string, uid: number | undefined, prepare: (home: string) => void = () => undefined): Place {
  const place = path.join(folder, name)
  const [checkout, home, temporary] = ['checkout of mine', 'home', 'temporary'].map((part) => path.join(place, part)) as [
    string,
    string,
    string,
  ]
  mkdirSync(place)
  for (const part of [home, temporary]) mkdirSync(part, { mode: 0o700 })
  copySources(checkout)
  prepare(home)
  if (uid === undefined) return { checkout, home, temporary, as: [] }
  for (const part of [checkout, home, temporary]) giveAway(part, uid)
  const flags = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  return { checkout, home, temporary, as: ['setpriv', ...flags] }
}

function giveAway(file: string, uid: number): void {
  chownSync(file, uid, uid)
  for (const entry of readdirSync(file, { recursive: true })) chownSync(path.join(file, String(entry)), uid, uid)
}

async function start({ checkout, home, temporary, as }: Place): Promise<Launched> {
  const env = { HOME: home, TMPDIR: temporary, npm_config_cache: path.join(home, '.npm'), npm_config_update_notifier: 'false', WEB_DIR: '' }
  return launch({ port: await freePorts(), dataDir: path.join(checkout, '.data'), cwd: checkout, env, command: [...as, 'npm', 'start'] })
}

async function stop(roz: Launched): Promise<void> {
  roz.tellGroup('SIGINT')
  await roz.ended
  expect(await nothingLeft(roz, 30_000)).toEqual([])
}

async function startsAndLeavesNothing(place: Place): Promise<void> {
  const before = listing(place.checkout)
  const first = await start(place)
  await first.ready()
  expect(first.output()).toContain('Installing the packages')
  expect(first.output()).toContain('Building the pages')
  const sandboxUrl = `http://127.0.0.1:${Number(new URL(first.url).port) + 1}`
  // What was joined today must still be today's after the second start.
  await setToNoon(first.url)
  const member = await newMember({ url: first.url, sandboxUrl }, { rupees: 10 })
  expect((await ask(first.url, 'joinRound', { token: member.token, body: {} })).output.balance).toBe(9)
  await stop(first)

  const second = await start(place)
  await second.ready()
  expect(second.output()).not.toMatch(/Installing|Building/)
  const { output } = await ask(second.url, 'me', { token: member.token })
  expect(output.user.wallet.balance).toBe(9)
  await stop(second)

  expect(listing(place.checkout)).toEqual(before)
  expect(readdirSync(place.home).filter((name) => !['.npm', '.npmrc', '.cache', '.config'].includes(name))).toEqual([])
  expect(readdirSync(place.temporary).filter((name) => !name.startsWith('node-compile-cache'))).toEqual([])
  expect(existsSync(path.join(place.checkout, '.data', 'postgres', 'cluster', 'postmaster.pid'))).toBe(false)
}

/** Every file of the checkout outside the folders that npm start may fill. */
function listing(checkout: string): string[] {
  return readdirSync(checkout)
    .filter((name) => !BUILT.has(name))
    .flatMap((name) => [name, ...inside(path.join(checkout, name)).map((file) => `${name}/${file}`)])
    .filter((name) => !name.split('/').includes('node_modules'))
    .sort()
}

const inside = (file: string): string[] => {
  try {
    return readdirSync(file, { recursive: true }).map(String)
  } catch {
    return []
  }
}

const CACHE = '.npm'
const npmrc = (home: string, lines: string): void => writeFileSync(path.join(home, '.npmrc'), lines)
let filled: string | undefined

test('a fresh checkout starts with an empty home and cache where npm runs no install script at all, keeps what was done, and leaves nothing elsewhere', {
  timeout: 600_000,
}, async () => {
  const place = freshPlace('mine', undefined, (home) => npmrc(home, 'ignore-scripts=true\n'))
  await startsAndLeavesNothing(place)
  filled = path.join(place.home, CACHE)
})

test.runIf(isRoot)('so it does for an ordinary user who may write nowhere else, without a network', { timeout: 600_000 }, async () => {
  const place = freshPlace('ordinary', NOBODY, (home) => {
    // Alone it has no cache to start from.
    if (filled === undefined) return
    cpSync(filled, path.join(home, CACHE), { recursive: true })
    npmrc(home, 'offline=true\n')
  })
  await startsAndLeavesNothing(place)
})
