/**
 * Makes a root folder with programs from Debian's packages, below .build.
 * - Nothing is installed into the machine's own system: apt has its own lists and its own status, and no package script runs.
 * - apt checks the signatures with the machine's own keyring of Debian.
 * - The folder appears when it is complete, and later starts use it again.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The suite has PostgreSQL 18, which the stable ones before it lack. */
const SUITE = 'forky'
const MIRROR = 'http://deb.debian.org/debian'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
type Wanted = {
  /** The name of its folder below .build. */
  readonly name: string
  readonly packages: readonly string[]
  /** One of each package that is started. */
  readonly programs: readonly string[]
}

export const CLUSTER: Wanted = {
  name: 'cluster',
  packages: [
    'postgresql-18',
    'patroni',
    'python3-etcd',
    'etcd-server',
    'etcd-client',
    'haproxy',
    'pgbouncer',
    'libstdc++6',
    'libatomic1',
    'dash',
    'coreutils',
  ],
  programs: [
    'usr/lib/postgresql/18/bin/postgres',
    'usr/bin/patroni',
    'usr/bin/etcd',
    'usr/bin/etcdctl',
    'usr/sbin/haproxy',
    'usr/sbin/pgbouncer',
  ],
}
/** The user of every program. The number is free on Debian. */
export const USER = { name: 'roz', id: 64_777 } as const

export class RootError extends Error {
  override readonly name = 'RootError'
}

/** Mount points and names that no package brings. */
const MOUNTS = ['proc', 'dev', 'tmp', 'data', 'product', 'web', 'runtime'] as const

export async function debianRoot(checkout: string, wanted: Wanted, say: (line: string) => void): Promise<string> {
  const parent = path.join(checkout, '.build', wanted.name)
  const named = createHash('sha256')
    .update([SUITE, ...wanted.packages, ...MOUNTS].join(' '))
    .digest('hex')
    .slice(0, 12)
  const root = path.join(parent, `root-${named}`)
  if (existsSync(root)) return root
  say(`Unpacking ${wanted.packages.join(', ')} of Debian ${SUITE} into ${path.relative(checkout, root)} (once, a minute or two)…`)
  mkdirSync(parent, { recursive: true })
  for (const old of readdirSync(parent)) rmSync(path.join(parent, old), { recursive: true, force: true })
  const making = path.join(parent, 'making')
  const apt = path.join(making, 'apt')
  const unpacked = path.join(making, 'root')
  await download(apt, wanted)
  mkdirSync(unpacked)
  const archives = path.join(apt, 'cache', 'archives')
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
    await finish('dpkg-deb', ['-x', path.join(archives, file), unpacked])
  furnish(unpacked, wanted)
  renameSync(unpacked, root)
  rmSync(making, { recursive: true, force: true })
  return root
}

/** apt with an empty status downloads every package that the wanted ones need. */
async function download(apt: string, { packages }: Wanted): Promise<void> {
  if (!existsSync(KEYRING)) throw new RootError(`Debian's keys are missing (${KEYRING}): apt-get install debian-archive-keyring`)
  for (const folder of ['etc', 'state/lists/partial', 'cache/archives/partial']) mkdirSync(path.join(apt, folder), { recursive: true })
  writeFileSync(path.join(apt, 'status'), '')
  writeFileSync(path.join(apt, 'sources.list'), `deb [signed-by=${KEYRING}] ${MIRROR} ${SUITE} main\n`)
  const file = path.join(apt, 'apt.conf')
  writeFileSync(file, aptSettings(apt))
  const env = { ...process.env, APT_CONFIG: file, DEBIAN_FRONTEND: 'noninteractive' }
  await finish('apt-get', ['update', '-qq'], env)
  await finish('apt-get', ['install', '-qq', '-y', '--download-only', ...packages], env)
}

/** A stale mirror has an old date: apt checks its signature, not its age. */
const aptSettings = (apt: string): string => `Dir::Etc "${apt}/etc";
Dir::Etc::sourcelist "${apt}/sources.list";
Dir::Etc::sourceparts "none";
Dir::Etc::main "none";
Dir::Etc::parts "none";
Dir::State "${apt}/state";
Dir::State::status "${apt}/status";
Dir::Cache "${apt}/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
`

/** Makes the folders and the user that the packages' own scripts would make. */
function furnish(root: string, { programs }: Wanted): void {
  for (const folder of ['bin', 'sbin', 'lib', 'lib64'])
    if (!existsSync(path.join(root, folder))) symlinkSync(`usr/${folder}`, path.join(root, folder))
  if (!existsSync(path.join(root, 'bin/sh'))) symlinkSync('dash', path.join(root, 'usr/bin/sh'))
  for (const folder of MOUNTS) mkdirSync(path.join(root, folder), { recursive: true })
  writeFileSync(path.join(root, 'etc/passwd'), `root:x:0:0:root:/:/bin/sh\n${USER.name}:x:${USER.id}:${USER.id}::/data:/bin/sh\n`)
  writeFileSync(path.join(root, 'etc/group'), `root:x:0:\n${USER.name}:x:${USER.id}:\n`)
  writeFileSync(path.join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  const missing = programs.filter((program) => !existsSync(path.join(root, program)))
  if (missing.length > 0) throw new RootError(`Debian ${SUITE} brought no ${missing.join(', ')}.`)
}

/** Runs a program to its end; its last lines become the error. */
async function finish(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0)
    throw new RootError(`${program} failed, so Debian's packages could not be unpacked: ${printed.trim().split('\n').slice(-4).join(' ')}`)
}
