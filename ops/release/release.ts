/**
 * `npm run release`: prepares the release whose version package.json names (docs/release.md has the whole checklist).
 * - It refuses while a package, core/src/version.ts or CHANGELOG.md names another version, or the version has no date.
 * - It refuses while changes are under a heading "Since", without a version.
 * - It freezes the migrations: it writes name and SHA-256 of each one into server/migrations/released.json.
 * - It refuses to freeze a migration that was released with other content.
 * - It scans the packages of production (scan.ts) and refuses while one is vulnerable or the registry answers no audit.
 *   `-- --judged` goes on: a person has judged each finding, or has scanned the inventory that it writes with another scanner.
 * - It commits and publishes nothing.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { scan, writeInventory } from './scan.ts'

type Package = {
  readonly name?: string
  readonly version: string
  readonly workspaces?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}
type Frozen = Readonly<Record<string, string>>

const MIGRATIONS = 'server/migrations'
const RELEASED = `${MIGRATIONS}/released.json`

/** The reasons, in plain words, why the sources in `root` are no release. */
export function faultsOf(root: string): string[] {
  const read = (name: string): string => readFileSync(path.join(root, name), 'utf8')
  const packageOf = (folder: string): Package => JSON.parse(read(path.join(folder, 'package.json'))) as Package
  const { version, workspaces = [] } = packageOf('.')
  const packages = workspaces.flatMap((folder) => {
    const { name: folderName = '', version: own, dependencies = {} } = packageOf(folder)
    // A stand-in for a foreign package has the version of that package.
    if (!folderName.startsWith('@roz/')) return []
    const ours = Object.entries(dependencies).filter(([name]) => name.startsWith('@roz/'))
    return [
      [`${folder}/package.json`, own] as const,
      ...ours.map(([name, wanted]) => [`${name} in ${folder}/package.json`, wanted] as const),
    ]
  })
  const inCore = /VERSION = '([^']+)'/.exec(read('core/src/version.ts'))?.[1]
  const others = [...packages, ['core/src/version.ts', inCore] as const]
    .filter(([, found]) => found !== version)
    .map(([place, found]) => `${place} says ${found}, package.json says ${version}`)
  const log = read('CHANGELOG.md')
  const [open] = /^## Since .+$/m.exec(log) ?? []
  const unreleased = open === undefined ? [] : [`CHANGELOG.md still has the heading "${open}": give these changes their version`]
  const [, heading, date] = /^## (\S+) – (.+)$/m.exec(log) ?? []
  const changes = heading === version ? [] : [`the first heading of CHANGELOG.md is ${heading}, package.json says ${version}`]
  const undated = /^\d{4}-\d{2}-\d{2}$/.test(date ?? '') ? [] : [`CHANGELOG.md has no date for ${heading}`]
  return [...others, ...unreleased, ...changes, ...undated, ...frozenIn(root).changed]
}

/** The new contents of released.json, and the released migrations that were changed or removed since. */
function frozenIn(root: string): { readonly frozen: Frozen; readonly changed: readonly string[] } {
  const released = JSON.parse(readFileSync(path.join(root, RELEASED), 'utf8')) as Frozen
  const hashOf = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(path.join(root, MIGRATIONS, name)))
      .digest('hex')
  const names = readdirSync(path.join(root, MIGRATIONS))
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
  const frozen = Object.fromEntries(names.map((name) => [name, hashOf(name)]))
  const changed = Object.entries(released)
    .filter(([name, hash]) => frozen[name] !== hash)
    .map(([name]) => `${name} was released with other content: restore it and add a migration`)
  return { frozen, changed }
}

/** Writes released.json and returns the names that are new in it. */
export function freeze(root: string): string[] {
  const before = JSON.parse(readFileSync(path.join(root, RELEASED), 'utf8')) as Frozen
  const { frozen } = frozenIn(root)
  writeFileSync(path.join(root, RELEASED), `${JSON.stringify(frozen, null, 2)}\n`)
  return Object.keys(frozen).filter((name) => before[name] === undefined)
}

if (import.meta.main) {
  const root = path.resolve(import.meta.dirname, '../..')
  const inventory = writeInventory(root)
  process.stdout.write(`The packages of production: ${inventory}\n`)
  const findings = scan(root)
  const isJudged = process.argv.includes('--judged')
  if (isJudged) for (const finding of findings) process.stdout.write(`Judged: ${finding}\n`)
  const faults = [...faultsOf(root), ...(isJudged ? [] : findings)]
  if (faults.length === 0) process.stdout.write(`${freeze(root).length} migrations were frozen. Go on with docs/release.md.\n`)
  else {
    process.stderr.write(`This is no release yet:\n  ${faults.join('\n  ')}\n`)
    process.exitCode = 1
  }
}
