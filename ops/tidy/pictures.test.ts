/** The pictures of the documents: each exists, has an alt text and is shown; together they stay small. */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { GUIDE } from '../../lab/screenshots/guide.ts'
import { ROOT, sources } from './source.ts'

const FOLDER = path.join(ROOT, 'docs/pictures')
const TOGETHER_MAX_BYTES = 1_500_000
const IMAGE = /!\[([^\]]*)\]\(([^)\s]+)\)/g

/** Each picture that a document shows, as a path of the repository. */
const shown = sources
  .filter(({ name }) => name.endsWith('.md'))
  .flatMap(({ name, text }) =>
    [...text.matchAll(IMAGE)].map(([, alt = '', file = '']) => ({ name, alt, file: path.posix.join(path.posix.dirname(name), file) })),
  )

test('every picture of a document exists and has an alt text', () => {
  expect(shown.length).toBeGreaterThan(0)
  expect(shown.filter(({ alt }) => alt.trim().length < 10)).toEqual([])
  expect(shown.filter(({ file }) => !statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.isFile())).toEqual([])
})

test('the guide shows exactly the pictures that npm run lab -- screenshots writes', () => {
  const names = GUIDE.map(({ name }) => `${name}.webp`).toSorted()
  expect(readdirSync(FOLDER).toSorted()).toEqual(names)
  const inGuide = shown.filter(({ name }) => name === 'docs/operator-guide.md').map(({ file }) => path.posix.basename(file))
  expect(inGuide.toSorted()).toEqual(names)
})

test('the pictures together take at most 1.5 MB', () => {
  const bytes = readdirSync(FOLDER).reduce((sum, file) => sum + statSync(path.join(FOLDER, file)).size, 0)
  expect(bytes).toBeLessThanOrEqual(TOGETHER_MAX_BYTES)
})
