/**
 * Finds the version to upgrade from: the newest release, or else the oldest commit whose database this checkout can
 * take over (docs/release.md).
 * - From that commit to this checkout migrations only expand, and none changed. Its servers start on a newer schema.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { contractionsIn } from '@roz/server/testing/side-by-side.ts'

export type Former = {
  readonly commit: string
  /** The tag of a release, or the beginning of the commit. */
  readonly name: string
  /** Migrations that this checkout adds. */
  readonly added: readonly string[]
  /** It starts on the schema of a newer release. */
  readonly goesBack: boolean
}

const MIGRATIONS = 'server/migrations'
const MIGRATING = 'server/src/db/migrate.ts'
/** Its warning on a newer schema: a version without it starts on its own schema alone. */
const WARNING = 'The database is of a newer release than'
const isMigration = (name: string): boolean => /^\d{4}_\w+\.sql$/.test(name)
const NO_HISTORY =
  'An upgrade starts from an earlier version, and this checkout has no git history: fetch it (git fetch --unshallow), or clone the repository.'

/** The version that was asked for, the newest release, or the oldest commit possible; a sentence if there is none. */
export function formerVersion(root: string, wanted?: string): Former | string {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  /** Undefined for a state that this checkout cannot follow. */
  const laterThan = (commit: string): string[] | undefined => {
    const then = blobsAt(git, commit)
    const last = [...then.keys()].sort().at(-1) ?? ''
    const added = [...here.keys()].filter((name) => !then.has(name)).sort()
    const isKept = [...then].every(([name, blob]) => here.get(name) === blob)
    return isKept && added.every((name) => name > last) ? added : undefined
  }
  const asFormer = (commit: string, name: string): Former | string => {
    const added = laterThan(commit)
    if (added === undefined) return `${name} has migrations that this checkout does not have, or has changed.`
    return { commit, name, added, goesBack: git('show', `${commit}:${MIGRATING}`).includes(WARNING) }
  }
  const commitOf = (revision: string): string | undefined => {
    try {
      return git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
    } catch {
      return undefined
    }
  }
  if (commitOf('HEAD') === undefined) return NO_HISTORY
  const here = blobsHere(git, root)
  if (wanted !== undefined) {
    const commit = commitOf(wanted)
    return commit === undefined ? `${wanted} is no commit of this repository.` : asFormer(commit, wanted)
  }
  const release = releaseBefore(git)
  if (release !== undefined) return asFormer(git('rev-parse', `${release}^{commit}`), release)
  const onlyExpands = (added: readonly string[]): boolean =>
    added.every((name) => contractionsIn(name, readFileSync(path.join(root, MIGRATIONS, name), 'utf8')).length === 0)
  let oldest: Former | undefined
  for (const commit of git('log', '--first-parent', '--format=%H', '--', MIGRATIONS, MIGRATING).split('\n').filter(Boolean)) {
    const found = asFormer(commit, commit.slice(0, 12))
    if (typeof found === 'string' || !found.goesBack || !onlyExpands(found.added)) break
    oldest = found
  }
  return oldest ?? NO_HISTORY
}

/** The newest release before this commit. */
function releaseBefore(git: (...words: string[]) => string): string | undefined {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^')
  } catch {
    return undefined
  }
}

/** The migrations of this checkout, also those without a commit, by name: git's hash of each. */
function blobsHere(git: (...words: string[]) => string, root: string): ReadonlyMap<string, string> {
  const names = readdirSync(path.join(root, MIGRATIONS)).filter(isMigration)
  const hashes = git('hash-object', ...names.map((name) => `${MIGRATIONS}/${name}`)).split('\n')
  return new Map(names.map((name, place) => [name, hashes[place] ?? '']))
}

function blobsAt(git: (...words: string[]) => string, commit: string): ReadonlyMap<string, string> {
  const lines = git('ls-tree', '--format=%(objectname) %(path)', `${commit}:${MIGRATIONS}`).split('\n')
  const blobs = lines.map((line) => line.split(' ') as [string, string])
  return new Map(blobs.filter(([, name]) => isMigration(name)).map(([blob, name]) => [name, blob]))
}
