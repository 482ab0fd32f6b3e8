/**
 * Starts a fresh copy of the sources, in a folder with a space in its name and with an empty home.
 * - A member joins, Roz stops, starts again, and writes nothing outside its folders.
 * - The first test runs as an ordinary user with an empty npm cache and without install scripts.
 * - The second runs as the user of the tests, without a network, from the cache that the first has filled.
 */
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ask } from '../../e2e/harness/calls.ts'
import { newMember } from '../../e2e/harness/people.ts'
import { freePorts, setToNoon } from '../../e2e/harness/program.ts'
import { copySources, endAll, launch, type Launched, newFolder, nothingLeft } from './launched.ts'

/** The folders of the checkout in which npm start may write. */
const BUILT = new Set(['node_modules', '.data', '.build'])
/** Shared by the whole machine: files left there are never deleted. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm']
const isRoot = process.getuid?.() === 0
const folder = newFolder('roz fresh ')
chmodSync(folder, 0o755)

afterEach(endAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Place = {
  readonly checkout: string
  readonly home: string
  readonly temporary: string
  readonly as: readonly string[]
  readonly uid: number | undefined
}

/** A user with a name who is neither root nor nobody. The databases of other tests run as nobody. */
function ordinaryUser(): number {
  const ids = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => Number(line.split(':')[2]))
  return ids.find((id) => id > 0 && id !== 65_534) ?? 65_534
}

/** The files of a user in the shared folders. */
const leftIn = (folders: readonly string[], uid: number): string[] =>
  folders.flatMap((shared) =>
    inside(shared, false)
      .map((name) => path.join(shared, name))
      .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.uid === uid),
  )

/** A place with only the files of the repository, owned by that user. */
function freshPlace(name: string, uid?: number): Place {
  const place = path.join(folder, name)
  const [checkout, home, temporary] = ['checkout of mine', 'home', 'temporary'].map((part) => path.join(place, part)) as [
    string,
    string,
    string,
  ]
  mkdirSync(place)
  for (const part of [home, temporary]) mkdirSync(part, { mode: 0o700 })
  copySources(checkout)
  if (uid === undefined) return { checkout, home, temporary, as: [], uid }
  for (const part of [checkout, home, temporary]) giveAway(part, uid)
  const flags = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  return { checkout, home, temporary, as: ['setpriv', ...flags], uid }
}

function giveAway(file: string, uid: number): void {
  chownSync(file, uid, uid)
  for (const entry of readdirSync(file, { recursive: true })) chownSync(path.join(file, String(entry)), uid, uid)
}

async function start({ checkout, home, temporary, as }: Place, npm: Readonly<Record<string, string>>): Promise<Launched> {
  const env = { HOME: home, TMPDIR: temporary, WEB_DIR: '', ...npm }
  return launch({ port: await freePorts(), dataDir: path.join(checkout, '.data'), cwd: checkout, env, command: [...as, 'npm', 'start'] })
}

async function stop(roz: Launched): Promise<void> {
  roz.tellGroup('SIGINT')
  await roz.ended
  expect(await nothingLeft(roz, 30_000)).toEqual([])
}

async function startsAndLeavesNothing(place: Place, npm: Readonly<Record<string, string>>): Promise<void> {
  const before = listing(place.checkout)
  const sharedBefore = place.uid === undefined ? [] : leftIn(SHARED, place.uid)
  const first = await start(place, npm)
  await first.ready()
  expect(first.output()).toContain('Installing the packages')
  expect(first.output()).toContain('Building the pages')
  const sandboxUrl = `http://127.0.0.1:${Number(new URL(first.url).port) + 1}`
  // The join of today must still be today's after the second start.
  await setToNoon(first.url)
  const member = await newMember({ url: first.url, sandboxUrl }, { rupees: 10 })
  expect((await ask(first.url, 'joinRound', { token: member.token, body: {} })).output.balance).toBe(9)
  await stop(first)

  const second = await start(place, npm)
  await second.ready()
  expect(second.output()).not.toMatch(/Installing|Building/)
  const { output } = await ask(second.url, 'me', { token: member.token })
  expect(output.user.wallet.balance).toBe(9)
  await stop(second)

  expect(listing(place.checkout)).toEqual(before)
  // Written by npm: packages and logs in the home, and the compile cache of newer Nodes in the temporary folder.
  expect(readdirSync(place.home)).toEqual(['.npm'])
  expect(inside(path.join(place.home, '.npm'), false).filter((name) => !name.startsWith('_'))).toEqual([])
  expect(readdirSync(place.temporary).filter((name) => name !== 'node-compile-cache')).toEqual([])
  if (place.uid !== undefined) expect(leftIn(SHARED, place.uid)).toEqual(sharedBefore)
  expect(existsSync(path.join(place.checkout, '.data', 'postgres', 'cluster', 'postmaster.pid'))).toBe(false)
}

/** Every file of the checkout outside the folders in which npm start may write. */
function listing(checkout: string): string[] {
  return readdirSync(checkout)
    .filter((name) => !BUILT.has(name))
    .flatMap((name) => [name, ...inside(path.join(checkout, name)).map((file) => `${name}/${file}`)])
    .filter((name) => !name.split('/').includes('node_modules'))
    .sort()
}

const inside = (file: string, recursive = true): string[] => {
  try {
    return readdirSync(file, { recursive }).map(String)
  } catch {
    return []
  }
}

/** The npm cache of the first test, for the second. */
let filled: string | undefined

test('a fresh checkout starts without install scripts for an ordinary user with an empty home, keeps its data and writes nothing elsewhere', {
  timeout: 600_000,
}, async () => {
  const place = freshPlace('ordinary', isRoot ? ordinaryUser() : undefined)
  await startsAndLeavesNothing(place, { npm_config_ignore_scripts: 'true' })
  filled = path.join(place.home, '.npm')
})

test('a fresh checkout starts without a network from a filled npm cache, as the user who runs the tests', { timeout: 600_000 }, async ({
  skip,
}) => {
  if (filled === undefined) return skip('the test before this one left no npm cache')
  const place = freshPlace('mine')
  renameSync(filled, path.join(place.home, '.npm'))
  await startsAndLeavesNothing(place, { npm_config_offline: 'true' })
})
