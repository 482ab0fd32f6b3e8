/**
 * Finds the version to upgrade from: the newest release (docs/release.md).
 * - A release is known by its tag, or in a clone without tags by its commit: the last one before this that froze migrations.
 * - From that commit to this checkout no migration changed. Its servers start on a newer schema.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'

export type Former = {
  readonly commit: string
  /** The tag of a release, or the beginning of the commit. */
  readonly name: string
  /** Migrations that this checkout adds. */
  readonly added: readonly string[]
}

const MIGRATIONS = 'server/migrations'
const RELEASED = `${MIGRATIONS}/released.json`
const isMigration = (name: string): boolean => /^\d{4}_\w+\.sql$/.test(name)
const NO_RELEASE =
  'An upgrade starts from a release, and this clone has neither its tag nor its commit: fetch them (git fetch --tags --unshallow).'

/** The version that was asked for, or the newest release; a sentence if there is none. */
export function formerVersion(root: string, wanted?: string): Former | string {
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  const found =
    wanted === undefined ? releaseBefore(git) : { commit: tryGit(git, 'rev-parse', '--verify', `${wanted}^{commit}`), name: wanted }
  if (found === undefined) return NO_RELEASE
  const { commit, name } = found
  if (commit === undefined) return `${name} is no commit of this repository.`
  const [then, here] = [blobsAt(git, commit), blobsHere(git, root)]
  const last = [...then.keys()].sort().at(-1) ?? ''
  const added = [...here.keys()].filter((migration) => !then.has(migration)).sort()
  const isKept = [...then].every(([migration, blob]) => here.get(migration) === blob)
  if (!isKept || added.some((migration) => migration <= last))
    return `${name} has migrations that this checkout does not have, or has changed.`
  return { commit, name, added }
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
