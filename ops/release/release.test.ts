/** Tests the release step on a small copy of the sources, and that the sources name one version and one licence. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { VERSION } from '@roz/core/version.ts'
import { ROOT, text } from '../tidy/source.ts'
import { faultsOf, freeze } from './release.ts'

let copy: string
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'roz-release-'))
  mkdirSync(path.join(copy, 'server'))
  const { workspaces } = JSON.parse(text('package.json')) as { readonly workspaces: readonly string[] }
  const own = ['ops/release/release.ts', 'ops/release/scan.ts']
  const files = ['package.json', 'core/src/version.ts', ...own, ...workspaces.map((folder) => `${folder}/package.json`)]
  for (const name of files) cpSync(path.join(ROOT, name), path.join(copy, name))
  cpSync(path.join(ROOT, 'server/migrations'), path.join(copy, 'server/migrations'), { recursive: true })
  put('server/migrations/released.json', '{}\n')
  const released = text('CHANGELOG.md').replace(/^## Since .+?(?=^## )/ms, '')
  put('CHANGELOG.md', released.replace(/^## (\S+) – .+$/m, '## $1 – 2026-12-01'))
})
afterEach(() => rmSync(copy, { recursive: true, force: true }))

const put = (name: string, content: string): void => writeFileSync(path.join(copy, name), content)
const get = (name: string): string => readFileSync(path.join(copy, name), 'utf8')
const change = (name: string, from: string, to: string): void => put(name, get(name).replace(from, to))
const [FIRST_MIGRATION, SECOND_MIGRATION] = ['0001_foundation.sql', '0002_ledger.sql'] as const
const releasedNames = (): string[] => Object.keys(JSON.parse(get('server/migrations/released.json')) as object)

test('every package, core and the change log name one version', () => {
  expect(faultsOf(copy)).toEqual([])
})

test('a package of another version is no release', () => {
  change('web/package.json', `"version": "${VERSION}"`, '"version": "0.9.1"')
  expect(faultsOf(copy)).toEqual([`web/package.json says 0.9.1, package.json says ${VERSION}`])
})

test('a change log without the version, or without its date, is no release', () => {
  put('CHANGELOG.md', '# Changes\n\n## 9.0.0 – not released yet\n')
  expect(faultsOf(copy)).toEqual([
    `the first heading of CHANGELOG.md is 9.0.0, package.json says ${VERSION}`,
    'CHANGELOG.md has no date for 9.0.0',
  ])
})

test('changes under a heading without a version are no release', () => {
  put('CHANGELOG.md', get('CHANGELOG.md').replace(`## ${VERSION}`, `## Since ${VERSION}\n\n- A change.\n\n## ${VERSION}`))
  expect(faultsOf(copy)).toEqual([`CHANGELOG.md still has the heading "## Since ${VERSION}": give these changes their version`])
})

test('a release freezes every migration, and a second one only those added since', () => {
  const first = freeze(copy)
  expect(first).toContain(FIRST_MIGRATION)
  expect(releasedNames()).toEqual(first)
  expect(freeze(copy)).toEqual([])
  put('server/migrations/9999_later.sql', 'select 1;\n')
  expect(faultsOf(copy)).toEqual([])
  expect(freeze(copy)).toEqual(['9999_later.sql'])
})

test('a released migration that was changed or removed is named, and the command changes nothing', () => {
  freeze(copy)
  const before = get('server/migrations/released.json')
  put(`server/migrations/${FIRST_MIGRATION}`, `${get(`server/migrations/${FIRST_MIGRATION}`)}-- changed\n`)
  rmSync(path.join(copy, 'server/migrations', SECOND_MIGRATION))
  put('server/migrations/9999_later.sql', 'select 1;\n')
  const { status, stderr } = release(CLEAN)
  expect(status).toBe(1)
  expect(stderr).toContain(`${FIRST_MIGRATION} was released with other content`)
  expect(stderr).toContain(`${SECOND_MIGRATION} was released with other content`)
  expect(get('server/migrations/released.json')).toBe(before)
})

const CLEAN = '{ "vulnerabilities": {} }'

/** Runs the command with an npm whose audit gives that answer. */
function release(audit: string, ...words: string[]) {
  put('audit.json', audit)
  put('npm', `#!/bin/sh\nif [ "$1" = audit ]; then cat audit.json; else echo "$*"; fi\n`)
  chmodSync(path.join(copy, 'npm'), 0o755)
  const env = { ...process.env, PATH: `${copy}${path.delimiter}${process.env.PATH}` }
  return spawnSync(process.execPath, [path.join(copy, 'ops/release/release.ts'), ...words], { encoding: 'utf8', env })
}

test('the command freezes the migrations of a release, and writes the inventory of its packages', () => {
  const { status, stdout } = release(CLEAN)
  const inventory = path.join(copy, '.build/release/sbom.cdx.json')
  expect([status, stdout]).toEqual([
    0,
    `The packages of production: ${inventory}\n${releasedNames().length} migrations were frozen. Go on with docs/release.md.\n`,
  ])
  expect(releasedNames().length).toBeGreaterThan(40)
  expect(readFileSync(inventory, 'utf8')).toBe('sbom --omit=dev --package-lock-only --sbom-format=cyclonedx\n')
})

test.each([
  ['a vulnerable package', '{ "vulnerabilities": { "pg": { "severity": "high", "range": "<8.1" } } }', 'pg <8.1: high'],
  ['no audit', '{ "message": "405 Method Not Allowed" }', 'the registry answered no audit: 405 Method Not Allowed'],
  ['no answer', '', 'the registry answered no audit: nothing'],
])('%s is no release, unless a person has judged it', (_what, audit, finding) => {
  const refused = release(audit)
  expect([refused.status, refused.stderr]).toEqual([1, `This is no release yet:\n  ${finding}\n`])
  expect(releasedNames()).toEqual([])
  expect(release(audit, '--judged')).toMatchObject({ status: 0, stdout: expect.stringContaining(`Judged: ${finding}\n`) })
})
