/**
 * Finds the version to upgrade from: the newest release, or before the first one the oldest commit whose database this checkout
 * can take over (docs/release.md).
 * - A release is known by its tag, or in a clone without tags by its commit: the last one before this that froze migrations.
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
/** Its warning on a newer schema: a version without it starts only on its own schema. */
const WARNING = 'The database is of a newer release than'
const RELEASED = `${MIGRATIONS}/released.json`
const isMigration = (name: string): boolean => /^\d{4}_\w+\.sql$/.test(name)
const NO_HISTORY =
  'An upgrade starts from an earlier version, and this checkout has no git history: fetch it (git fetch --unshallow), or clone the repository.'

const NO_RELEASE = `${RELEASED} names a release, and this clone has neither its tag nor its commit: fetch them (git fetch --tags --unshallow).`

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
  if (release !== undefined) return asFormer(release.commit, release.name)
  // The release is this commit itself, or its commit is missing here.
  if (isFrozen(readFileSync(path.join(root, RELEASED), 'utf8')) && !isReleaseItself(git)) return NO_RELEASE
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

type Git = (...words: string[]) => string

/** The newest release before this commit: the newer one of the newest tag and of the last commit that froze migrations. */
function releaseBefore(git: Git): { readonly commit: string; readonly name: string } | undefined {
  const tagged = tryGit(git, 'describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^')
  const frozen = tryGit(git, 'log', '--first-parent', '--max-count=1', '--format=%H', 'HEAD^', '--', RELEASED)
  // Without its parent it is only where a shallow clone begins.
  const isWhole = frozen !== undefined && frozen !== '' && tryGit(git, 'rev-parse', `${frozen}^`) !== undefined
  const isRelease = isWhole && isFrozen(tryGit(git, 'show', `${frozen}:${RELEASED}`) ?? '{}')
  if (tagged === undefined) return isRelease ? { commit: frozen, name: frozen.slice(0, 12) } : undefined
  const commit = git('rev-parse', `${tagged}^{commit}`)
  // A release after the newest tag has lost its tag.
  const isNewer = isRelease && frozen !== commit && tryGit(git, 'merge-base', '--is-ancestor', commit, frozen) !== undefined
  return isNewer ? { commit: frozen, name: frozen.slice(0, 12) } : { commit, name: tagged }
}

/** Undefined if the command fails. */
function tryGit(git: Git, ...words: string[]): string | undefined {
  try {
    return git(...words)
  } catch {
    return undefined
  }
}

const isFrozen = (released: string): boolean => Object.keys(JSON.parse(released) as object).length > 0

/** Whether this checkout, or its commit, freezes the first migrations: then no release is older. */
const isReleaseItself = (git: Git): boolean =>
  !isFrozen(tryGit(git, 'show', `HEAD^:${RELEASED}`) ?? '{}') && tryGit(git, 'rev-parse', 'HEAD^') !== undefined

/** The migrations of this checkout, also those without a commit, by name: git's hash of each. */
function blobsHere(git: Git, root: string): ReadonlyMap<string, string> {
  const names = readdirSync(path.join(root, MIGRATIONS)).filter(isMigration)
  const hashes = git('hash-object', ...names.map((name) => `${MIGRATIONS}/${name}`)).split('\n')
  return new Map(names.map((name, place) => [name, hashes[place] ?? '']))
}

function blobsAt(git: Git, commit: string): ReadonlyMap<string, string> {
  const lines = git('ls-tree', '--format=%(objectname) %(path)', `${commit}:${MIGRATIONS}`).split('\n')
  const blobs = lines.map((line) => line.split(' ') as [string, string])
  return new Map(blobs.filter(([, name]) => isMigration(name)).map(([blob, name]) => [name, blob]))
}
