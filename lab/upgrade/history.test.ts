/** Which version the upgrade starts from, on small repositories. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formerVersion } from './history.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'roz-history-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=Asha', '-c', 'user.email=asha@x.test', '-c', 'commit.gpgsign=false', ...words], {
    cwd: root,
    encoding: 'utf8',
  }).trim()
function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
  writeFileSync(path.join(root, name), text)
}
const migration = (name: string, text: string): void => write(`server/migrations/${name}.sql`, `${text};\n`)
function commit(): string {
  git('add', '.')
  git('commit', '-q', '-m', 'Go on')
  return git('rev-parse', 'HEAD')
}
function begin(): string {
  git('init', '-q')
  migration('0001_members', 'create table member (id bigint, phone text)')
  release('{}\n')
  return commit()
}
const release = (text = '{ "0001_members.sql": "its hash" }\n'): void => write('server/migrations/released.json', text)
const added = (...names: string[]): string[] => names.map((name) => `${name}.sql`)

test('it is the newest release as soon as there is one, also if a later migration contracts', () => {
  begin()
  git('tag', 'v1.0.0')
  migration('0002_words', 'alter table member add column words text')
  const newest = commit()
  git('tag', 'v1.1.0')
  migration('0003_bare', '-- contracts after 1.1.0\nalter table member drop column phone')
  commit()
  expect(formerVersion(root)).toEqual({ commit: newest, name: 'v1.1.0', added: added('0003_bare') })
})

test('without tags the release is the last commit that froze migrations', () => {
  begin()
  release()
  const first = commit()
  migration('0002_words', 'alter table member add column words text')
  commit()
  expect(formerVersion(root)).toMatchObject({ commit: first, name: first.slice(0, 12), added: added('0002_words') })
  git('tag', 'v1.0.0', first)
  expect(formerVersion(root)).toMatchObject({ commit: first, name: 'v1.0.0' })
  release('{ "0001_members.sql": "its hash", "0002_words.sql": "another" }\n')
  const second = commit()
  migration('0003_more', 'create table story (id bigint)')
  commit()
  expect(formerVersion(root)).toMatchObject({ commit: second, name: second.slice(0, 12), added: added('0003_more') })
})

test('without a release in the history, and for an unknown commit, a sentence says so', () => {
  begin()
  release()
  commit()
  migration('0002_words', 'alter table member add column words text')
  const last = commit()
  // As a clone without depth has it: neither the tag nor the release's commit.
  git('checkout', '-q', '--orphan', 'shallow', last)
  commit()
  expect(formerVersion(root)).toContain('neither its tag nor its commit')
  expect(formerVersion(root, 'v9.9.9')).toBe('v9.9.9 is no commit of this repository.')
})

test('a commit with a migration that was changed or is gone here cannot be upgraded', () => {
  const first = begin()
  migration('0001_members', 'create table member (id bigint, mail text)')
  commit()
  expect(formerVersion(root, first)).toBe(`${first} has migrations that this checkout does not have, or has changed.`)
  migration('0000_before', 'select 1')
  const second = git('rev-parse', 'HEAD')
  expect(formerVersion(root, second)).toBe(`${second} has migrations that this checkout does not have, or has changed.`)
})
