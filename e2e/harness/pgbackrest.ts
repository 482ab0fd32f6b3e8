/**
 * pgBackRest of Debian with our own ops/database/pgbackrest.conf, beside a PostgreSQL of the test.
 * - Its packages are unpacked below .build, and it runs with their libraries: nothing is installed.
 * - Only places are changed in the file: the repository is a folder instead of a bucket, and the phrase is a random one.
 * - It runs as PostgreSQL's own user, as on an operator's host.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { binaries } from '@roz/server/db/embedded/binaries.ts'
import { identityOf, isRoot } from '@roz/server/db/embedded/identity.ts'
import { debianRoot } from '../../ops/cluster/debian-root.ts'
import { ROOT } from './program.ts'

const PGBACKREST = { name: 'pgbackrest', packages: ['pgbackrest', 'dash', 'coreutils'], programs: ['usr/bin/pgbackrest'] }
const LOADERS: Readonly<Record<string, readonly [string, string]>> = {
  x64: ['ld-linux-x86-64.so.2', 'x86_64-linux-gnu'],
  arm64: ['ld-linux-aarch64.so.1', 'aarch64-linux-gnu'],
}

type Place = { readonly cluster: string; readonly password: string }
export type PgBackRest = {
  /** For PostgreSQL's archive_command. */
  readonly archiveCommand: string
  /** The folder of the socket by which it reaches PostgreSQL. */
  readonly sockets: string
  /** Runs one command to its end; throws its words where it fails. */
  readonly run: (...words: string[]) => Promise<string>
}

/** Throws RootError where Debian cannot be reached. */
export const unpackPgBackRest = (): Promise<string> => debianRoot(ROOT, PGBACKREST, (line) => process.stdout.write(`${line}\n`))

/** `cluster` is PostgreSQL's folder, and `password` its superuser's. */
export function preparePgBackRest(debian: string, folder: string, { cluster, password }: Place): PgBackRest {
  const owner = statSync(cluster)
  const own = (file: string): string => {
    if (isRoot()) chownSync(file, owner.uid, owner.gid)
    return file
  }
  const made = (name: string): string => {
    mkdirSync(path.join(folder, name), { mode: 0o700 })
    return own(path.join(folder, name))
  }
  const program = path.join(folder, 'pgbackrest')
  const [loader, libraries] = LOADERS[process.arch] ?? LOADERS.x64 ?? []
  const found = path.join(debian, 'usr/lib', libraries ?? '')
  // The first word is its own path: it starts itself again for each of its processes.
  const start = `exec '${found}/${loader}' --library-path '${found}' --argv0 "$0" '${debian}/usr/bin/pgbackrest' "$@"`
  writeFileSync(program, `#!/bin/sh\n${start}\n`, { mode: 0o755 })
  const settings = path.join(folder, 'pgbackrest.conf')
  const sockets = made('sockets')
  const places = [`log-path=${made('log')}`, `lock-path=${made('lock')}`, `spool-path=${made('spool')}`, 'log-level-file=off']
  const ofDatabase = [`pg1-path=${cluster}`, `pg1-socket-path=${sockets}`, 'pg1-user=postgres']
  writeFileSync(settings, ownPlaces(made('repository'), places, ofDatabase), { mode: 0o640 })
  own(settings)
  return {
    archiveCommand: `'${program}' '--config=${settings}' --stanza=roz archive-push %p`,
    sockets,
    run: async (...words) => {
      const identity = await identityOf(cluster, await binaries(path.join(folder, 'postgres-lib')))
      const child = identity.spawn(program, [`--config=${settings}`, '--stanza=roz', ...words], {
        cwd: '/',
        env: { PATH: process.env.PATH, PGPASSWORD: password },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let text = ''
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)))
      const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
      if (code !== 0) throw new Error(`pgbackrest ${words.join(' ')} ended with ${code}: ${text}`)
      return text
    },
  }
}

/** Our file with the places of this machine. Throws where a line that it replaces has gone. */
function ownPlaces(repository: string, places: readonly string[], ofDatabase: readonly string[]): string {
  let text = readFileSync(path.join(ROOT, 'ops/database/pgbackrest.conf'), 'utf8')
  const replace = (line: RegExp, by: string): void => {
    if (!line.test(text)) throw new Error(`ops/database/pgbackrest.conf has no line ${String(line)}`)
    text = text.replace(line, by)
  }
  replace(/^repo1-type=s3$/m, ['repo1-type=posix', ...places].join('\n'))
  replace(/^repo1-s3-.*\n/gm, '')
  replace(/^repo1-path=.*$/m, `repo1-path=${repository}`)
  replace(/^repo1-cipher-pass=.*$/m, `repo1-cipher-pass=${randomBytes(24).toString('base64')}`)
  replace(/^pg1-path=.*$/m, ofDatabase.join('\n'))
  return text
}

/** A folder for a restored cluster, of the user that runs the first one. */
export function emptyLike(cluster: string, wanted: string): void {
  mkdirSync(wanted, { mode: 0o700 })
  const { uid, gid } = statSync(cluster)
  if (isRoot()) chownSync(wanted, uid, gid)
}
