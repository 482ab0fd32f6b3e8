import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BUGS } from './bugs.ts'

const read = (file: string): string => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

test('every seeded bug finds its place, once', () => {
  const lost = BUGS.flatMap(({ name, file, find }) => {
    const times = read(file).split(find).length - 1
    return times === 1 ? [] : [`${name}: ${times} times in ${file}`]
  })
  expect(lost).toEqual([])
})

test('every seeded bug has a name of its own, changes something, and names a test that is there', () => {
  expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length)
  for (const { find, replace, test: file } of BUGS) {
    expect(replace).not.toBe(find)
    expect(read(file)).not.toBe('')
  }
})
