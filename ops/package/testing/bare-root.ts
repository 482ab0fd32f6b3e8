/**
 * A root folder like the official Node image, and programs that run in it, without a container engine.
 * - /usr and /etc are this machine's, read-only; /usr/local is the folder's own and has Node, npm and nothing else.
 * - Needs root on Linux: own mounts, an own /proc, and a change of the root folder.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Users and groups of the official image, without this machine's. */
const USERS = 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n'
const GROUPS = 'root:x:0:\nnode:x:1000:\n'

export function makeNodeImage(root: string, npm: string): void {
  for (const folder of ['usr', 'etc', 'proc', 'dev', 'root', 'local/bin', 'local/lib/node_modules', 'cache', 'users'])
    mkdirSync(path.join(root, folder), { recursive: true })
  mkdirSync(path.join(root, 'tmp'), { mode: 0o1777 })
  for (const name of ['bin', 'lib', 'lib64', 'sbin'])
    if (existsSync(`/${name}`) && lstatSync(`/${name}`).isSymbolicLink()) symlinkSync(readlinkSync(`/${name}`), path.join(root, name))
  cpSync(process.execPath, path.join(root, 'local/bin/node'))
  cpSync(realpathSync(npm), path.join(root, 'local/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(root, 'local/bin/npm'))
  writeFileSync(path.join(root, 'users/passwd'), USERS)
  writeFileSync(path.join(root, 'users/group'), GROUPS)
}

type Inside = {
  readonly root: string
  readonly folder: string
  /** `65532:65532`; root if it is left out. */
  readonly user?: string
  /** Folders of this machine, by their place inside. */
  readonly mounts?: Readonly<Record<string, string>>
  readonly isReadOnly?: boolean
}

/** The command line that runs a program inside the root folder. */
export function inside({ root, folder, user = '0:0', mounts = {}, isReadOnly = false }: Inside, words: readonly string[]): string[] {
  const [uid, gid] = user.split(':')
  const script = [
    'set -e; root=$1; shift; mount --make-rprivate /; mount --bind "$root" "$root"',
    ...['usr', 'etc'].map((name) => `mount --bind /${name} "$root/${name}"; mount -o remount,bind,ro "$root/${name}"`),
    'mount --bind "$root/local" "$root/usr/local"; mount --rbind /dev "$root/dev"; mount -t proc proc "$root/proc"',
    ...['passwd', 'group'].map((name) => `mount --bind "$root/users/${name}" "$root/etc/${name}"`),
    ...Object.entries(mounts).map(([place, from]) => `mount --bind '${from}' "$root${place}"`),
    ...(isReadOnly ? ['mount -o remount,bind,ro "$root"; mount -o remount,bind,ro "$root/usr/local"'] : []),
    `exec unshare --root "$root" --wd '${folder}' --setgid ${gid} --setuid ${uid} "$@"`,
  ]
  return ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script.join('\n'), 'sh', root, ...words]
}
