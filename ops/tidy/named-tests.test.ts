/** Every part of a path that a document or a comment gives to `npm test` finds a test file. */
import { expect, test } from 'vitest'
import { sources } from './source.ts'

/** `npm test -- <part>` is a placeholder. */
const COMMAND = /npm (?:test|run test:all) -- (?!<)([^`'"\n#)]+)/g
const tests = sources.flatMap(({ name }) => (/\.test\.tsx?$/.test(name) ? [name.toLowerCase()] : []))

/** Vitest runs each file whose path contains one of the parts, in any case. */
function foundNoTest(text: string): string[] {
  const parts = [...text.matchAll(COMMAND)].flatMap(([, words = '']) => words.trim().split(/\s+/))
  return parts.filter((part) => !tests.some((name) => name.includes(part.toLowerCase())))
}

test('every filter of npm test that a document or a comment names finds a test file', () => {
  expect(sources.flatMap(({ name, text }) => foundNoTest(text).map((part) => `${name}: ${part}`))).toEqual([])
})

test('a filter that finds no test is named, each part for itself, and a placeholder is not', () => {
  const run = 'npm test'
  expect(foundNoTest(`\`${run} -- tidy/named-tests nowhere/gone\` and \`${run} -- <part>\``)).toEqual(['nowhere/gone'])
})
