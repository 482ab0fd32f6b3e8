/**
 * pgBackRest of Debian with our own ops/database/pgbackrest.conf, beside a PostgreSQL of the test.
 * - Its packages are unpacked below .build, and it runs with their libraries: nothing is installed.
 * - The file is used as it is. The variables by which compose.yml changes its places change them here too: the repository is a
 *   folder instead of a bucket, and the phrase is a random one.
 * - It runs as PostgreSQL's own user, as on an operator's host.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { binaries } from '@roz/server/db/embedded/binaries.ts'
import { identityOf, isRoot } from '@roz/server/db/embedded/identity.ts'
import { debianRoot } from './debian-root.ts'
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
  const sockets = made('sockets')
  const variables = {
    ...variablesOfCompose({
      PGBACKREST_PG1_PATH: cluster,
      PGBACKREST_REPO1_PATH: made('repository'),
      PGBACKREST_REPO1_CIPHER_PASS: randomBytes(24).toString('base64'),
    }),
    PGBACKREST_PG1_SOCKET_PATH: sockets,
    PGBACKREST_PG1_USER: 'postgres',
    PGBACKREST_LOG_PATH: made('log'),
    PGBACKREST_LOG_LEVEL_FILE: 'off',
    PGBACKREST_LOCK_PATH: made('lock'),
    PGBACKREST_SPOOL_PATH: made('spool'),
  }
  // PostgreSQL gives its archive_command none of the variables. The first word of the last line is the program's own path: it
  // starts itself again for each of its processes.
  const lines = [
    '#!/bin/sh',
    ...Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`),
    `exec '${found}/${loader}' --library-path '${found}' --argv0 "$0" '${debian}/usr/bin/pgbackrest' "$@"`,
  ]
  writeFileSync(program, `${lines.join('\n')}\n`, { mode: 0o700 })
  own(program)
  const settings = path.join(folder, 'pgbackrest.conf')
  copyFileSync(path.join(ROOT, 'ops/database/pgbackrest.conf'), settings)
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

/** pgBackRest's variables of the compose file, with the places of this machine. Throws where the file does not set one of them. */
function variablesOfCompose(places: Readonly<Record<string, string>>): Record<string, string> {
  const compose = readFileSync(path.join(ROOT, 'ops/package/compose.yml'), 'utf8')
  const found = Object.fromEntries([...compose.matchAll(/^ +(PGBACKREST_\w+): (.+)$/gm)].map(([, name = '', value = '']) => [name, value]))
  for (const name of Object.keys(places)) if (!(name in found)) throw new Error(`ops/package/compose.yml does not set ${name}`)
  return { ...found, ...places }
}

/** A folder for a restored cluster, of the user that runs the first one. */
export function emptyLike(cluster: string, wanted: string): void {
  mkdirSync(wanted, { mode: 0o700 })
  const { uid, gid } = statSync(cluster)
  if (isRoot()) chownSync(wanted, uid, gid)
}
