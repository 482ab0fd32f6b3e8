import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { INTERLEAVINGS } from './bug.ts'
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
  for (const { find, replace, test: file } of BUGS) {
    expect(replace).not.toBe(find)
    expect(read(file)).not.toBe('')
  }
})

test('the tests that a seeded bug narrows to are in its file; those of the interleavings are named while they run', () => {
  const lost = BUGS.flatMap(({ name, only, test: file }) =>
    only === undefined || file === INTERLEAVINGS || new RegExp(only).test(read(file)) ? [] : [`${name}: no “${only}” in ${file}`],
  )
  expect(lost).toEqual([])
})

const FUNCTIONS = /^create (?:or replace )?function (\w+)[^$]*\$\$.*?\$\$/gms
/** The functions that a migration defines, with their text. */
const functionsOf = (migration: string): RegExpExecArray[] => [...read(migration).matchAll(FUNCTIONS)]

test('a seeded bug in a function of the schema is in its last definition: a later one would mend it', () => {
  const migrations = readdirSync(new URL('../../server/migrations', import.meta.url))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => `server/migrations/${name}`)
  const mended = BUGS.flatMap(({ name, file, find }) =>
    functionsOf(file)
      .filter(([text]) => text.includes(find))
      .flatMap(([, changed]) =>
        migrations
          .filter((later) => later > file && functionsOf(later).some(([, defined]) => defined === changed))
          .map((later) => `${name}: ${later} defines ${changed} again`),
      ),
  )
  expect(mended).toEqual([])
})
