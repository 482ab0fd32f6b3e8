/**
 * Chooses the user that PostgreSQL runs as.
 * - PostgreSQL never runs as root, which it refuses.
 * - It always runs as the owner of its data, which it requires.
 * - It gets no privilege that it does not need.
 *
 * A start as root takes the first of these ways that works on this machine:
 *   1. the folder's owner, or `nobody`, by a plain change of user;
 *   2. the same user with one capability, to pass closed folders (a clone under root's home, 0700);
 *   3. a user namespace in which root's own files look like an ordinary user's.
 */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chown, lchown, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'

type Owner = { readonly uid: number; readonly gid: number }
export type ProcessUser = {
  /** The owner of the data; undefined: the user of this process. */
  readonly owner: Owner | undefined
  readonly spawn: (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess
}

const ROOT = 0
const ownself: ProcessUser = { owner: undefined, spawn: (command, args, options) => spawn(command, args, options) }

export const isRoot = (): boolean => process.getuid?.() === ROOT

/** The identity for existing data. */
export async function identityOf(data: string, programs: Binaries): Promise<ProcessUser> {
  refuseForeign(data)
  if (!isRoot()) return ownself
  const owner = statSync(data)
  const ways = owner.uid === ROOT ? [inNamespace()] : waysAs(owner)
  const found = await firstThatWorks(ways, data, programs)
  if (found !== undefined) return found
  // Root's data that cannot run in a namespace on this machine (a copy, for instance) are given to an ordinary user.
  if (owner.uid === ROOT) return identityFor(data, programs)
  throw new EmbeddedPostgresError(
    `The database in ${data} belongs to user ${nameOf(owner.uid)}, and root cannot run it as that user on this machine. ` +
      `Start Roz as ${nameOf(owner.uid)}, or choose another folder with DATA_DIR, or set DATABASE_URL.`,
  )
}

/** Throws where an ordinary user would use data of another user, root included. */
export function refuseForeign(folder: string): void {
  const owner = statSync(folder, { throwIfNoEntry: false })
  if (owner === undefined || isRoot() || process.getuid === undefined || owner.uid === process.getuid()) return
  throw foreignFolder(folder, owner.uid)
}

/** The identity for new data in `folder`, which belongs to this process's user. Gives the folder to the chosen user. */
export async function identityFor(folder: string, programs: Binaries): Promise<ProcessUser> {
  if (!isRoot()) return isNamed() ? ownself : inNamespace(ordinaryUsers(folder)[0])
  for (const user of ordinaryUsers(folder)) {
    await handOver(folder, user)
    const found = await firstThatWorks(waysAs(user), folder, programs)
    if (found !== undefined) return found
  }
  await handOver(folder, { uid: ROOT, gid: ROOT })
  const found = await firstThatWorks([inNamespace()], folder, programs)
  if (found !== undefined) return found
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and no other user can reach ${path.dirname(folder)} on this machine. ` +
      'Start Roz as an ordinary user, or put DATA_DIR and the checkout where every user may enter, or set DATABASE_URL.',
  )
}

/** Gives a file that root made to the owner of the folder around it, so that this owner can later start without root. */
export async function giveTo(owner: Owner, file: string): Promise<void> {
  if (isRoot() && owner.uid !== ROOT) await chown(file, owner.uid, owner.gid)
}

function waysAs(user: Owner): ProcessUser[] {
  const { uid, gid } = user
  const plain: ProcessUser = { owner: user, spawn: (command, args, options) => spawn(command, args, { ...options, uid, gid }) }
  const passing = (capability: string): ProcessUser => {
    // Without no_setuid_fixup, access(2) ignores the capability and PostgreSQL does not find its own program.
    const rights = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--securebits=+no_setuid_fixup', '--no-new-privs']
    const flags = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...rights]
    return { owner: user, spawn: (command, args, options) => spawn('setpriv', [...flags, command, ...args], options) }
  }
  return process.platform === 'linux' ? [plain, passing('dac_read_search'), passing('dac_override')] : [plain]
}

/** Runs in a user namespace: outside it the files belong to this process's user, inside it that user looks like `as`. */
function inNamespace(as: Owner = { uid: 1000, gid: 1000 }): ProcessUser {
  const flags = ['--user', `--map-user=${as.uid}`, `--map-group=${as.gid}`]
  return {
    owner: isRoot() ? { uid: ROOT, gid: ROOT } : undefined,
    spawn: (command, args, options) => spawn('unshare', [...flags, command, ...args], options),
  }
}

async function firstThatWorks(ways: readonly ProcessUser[], folder: string, programs: Binaries): Promise<ProcessUser | undefined> {
  for (const way of ways) if (await works(way, folder, programs)) return way
  return undefined
}

/** True where this identity can enter the folder, write there, and run the PostgreSQL program from its place. */
async function works(way: ProcessUser, folder: string, programs: Binaries): Promise<boolean> {
  const script = 'cd "$1" && test -w . && exec "$2" --version'
  const child = way.spawn('/bin/sh', ['-c', script, 'sh', folder, programs.postgres], {
    cwd: '/',
    env: programs.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => {
      output += text.toString()
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('error', () => resolve(null)).once('close', resolve))
  return code === 0 && output.includes('PostgreSQL') && !output.includes('invalid binary')
}

/** First the owner of the parent folder, so that a start as root does not lock the owner of a checkout out; then `nobody`. */
function ordinaryUsers(folder: string): Owner[] {
  const place = statSync(path.dirname(folder))
  const known = accounts()
  const owners = place.uid !== ROOT && known.has(place.uid) ? [{ uid: place.uid, gid: place.gid }] : []
  const nobody = [...known].find(([, account]) => account.name === 'nobody')
  if (nobody !== undefined) owners.push({ uid: nobody[0], gid: nobody[1].gid })
  return owners
}

async function handOver(folder: string, to: Owner): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(path.join(entry.parentPath, entry.name), to.uid, to.gid)
  }
  await chown(folder, to.uid, to.gid)
}

/** True where this process's user has a name, which initdb requires. In a container the uid may have none. */
function isNamed(): boolean {
  return process.platform !== 'linux' || process.getuid === undefined || accounts().has(process.getuid())
}

function accounts(): Map<number, { readonly name: string; readonly gid: number }> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [name, , uid, gid] = line.split(':')
      return name === undefined || uid === undefined ? [] : [[Number(uid), { name, gid: Number(gid) }] as const]
    }),
  )
}

function nameOf(uid: number): string {
  return (process.platform === 'win32' ? undefined : accounts().get(uid)?.name) ?? String(uid)
}

function foreignFolder(data: string, uid: number): EmbeddedPostgresError {
  const how = uid === ROOT || nameOf(uid) === 'nobody' ? 'by a start as root' : `by user ${nameOf(uid)}`
  return new EmbeddedPostgresError(
    `The database in ${data} was made ${how}, so this user may not open it. Start Roz in the same way as then, ` +
      'or choose another folder (DATA_DIR=some/folder npm start), or remove that one as its owner if nothing in it is needed.',
  )
}
