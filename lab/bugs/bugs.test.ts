import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { INTERLEAVINGS, testOf } from './bug.ts'
import { BUGS } from './bugs.ts'

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

test('the source text of every seeded bug occurs exactly once', () => {
  const lost = BUGS.flatMap(({ name, file, find }) => {
    const times = read(file).split(find).length - 1
    return times === 1 ? [] : [`${name}: ${times} times in ${file}`]
  })
  expect(lost).toEqual([])
})

test('every seeded bug has a unique name, changes something, and names an existing test', () => {
  expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length)
  for (const bug of BUGS) {
    expect(bug.replace).not.toBe(bug.find)
    expect(read(testOf(bug))).not.toBe('')
  }
})

test('the tests that a seeded bug narrows to are in its file; those of the interleavings are named while they run', () => {
  const lost = BUGS.flatMap((bug) => {
    const { name, only } = bug
    const file = testOf(bug)
    return only === undefined || file === INTERLEAVINGS || new RegExp(only).test(read(file)) ? [] : [`${name}: no “${only}” in ${file}`]
  })
  expect(lost).toEqual([])
})

const DEFINITIONS = /^create (?:or replace )?(?:function (\w+)[^$]*\$\$.*?\$\$|view (\w+) as\s.*?;$)/gms
/** The functions and views that a migration defines, by name, with their text. */
const definitionsOf = (migration: string): [string, string][] =>
  [...read(migration).matchAll(DEFINITIONS)].map(([text, ofFunction, ofView]) => [ofFunction ?? ofView ?? '', text])

test('a seeded bug in a function or view of the schema is in its last definition: a later one would mend it', () => {
  const migrations = readdirSync(new URL('../../server/migrations', import.meta.url))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `server/migrations/${name}`)
  const mended = BUGS.flatMap(({ name, file, find }) =>
    definitionsOf(file)
      .filter(([, text]) => text.includes(find))
      .flatMap(([changed]) =>
        migrations
          .filter((later) => later > file && definitionsOf(later).some(([defined]) => defined === changed))
          .map((later) => `${name}: ${later} defines ${changed} again`),
      ),
  )
  expect(mended).toEqual([])
})
