/** Advisory locks have one register: no number is used twice, and no lock is taken without the register. */
import { expect, test } from 'vitest'
import { ADVISORY_LOCKS } from '../../server/src/db/advisory-locks.ts'
import { type Source, sources } from './source.ts'

const REGISTER = 'server/src/db/advisory-locks.ts'
const TAKEN = /pg_(?:try_)?advisory_(?:xact_)?(?:un)?lock(?:_shared)?\s*\(([^)]*)\)/g
const numbers = new Set<string>(Object.values(ADVISORY_LOCKS).map(String))

/** SQL that takes a lock without the register: in code every number, in a migration a number that is not registered. */
function listStrays(files: readonly Pick<Source, 'name' | 'text'>[]): string[] {
  return files.flatMap(({ name, text }) =>
    [...text.matchAll(TAKEN)]
      .filter(([, given = '']) => !(name.startsWith('server/migrations/') && numbers.has(given.trim())))
      // A plain client takes the migrations' own lock, before any schema exists.
      .filter(([, given]) => !(name === 'server/src/db/migrate.ts' && given === '$1'))
      .map(([call]) => `${name}: ${call}`),
  )
}

test('no two advisory locks share a number', () => {
  expect(numbers.size).toBe(Object.keys(ADVISORY_LOCKS).length)
})

test('every advisory lock is taken through the register, by its name', () => {
  const files = sources.filter(
    ({ name }) => /\.(ts|mjs|js|sql)$/.test(name) && name !== REGISTER && !name.endsWith('advisory-locks.test.ts'),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(listStrays(files)).toEqual([])
})

test('a number outside the register is found, in code and in a migration', () => {
  const strays = [
    { name: 'server/src/features/x/x.ts', text: 'await tx.query(sql`select pg_advisory_xact_lock(7242011)`)' },
    { name: 'lab/bench/x.ts', text: 'select pg_try_advisory_lock(${MINE}::bigint)' },
    { name: 'server/migrations/9999_x.sql', text: 'perform pg_advisory_xact_lock(99);' },
  ]
  expect(listStrays(strays)).toHaveLength(3)
  expect(
    listStrays([{ name: 'server/migrations/9999_x.sql', text: `perform pg_advisory_xact_lock(${ADVISORY_LOCKS.joinMonth});` }]),
  ).toEqual([])
})
