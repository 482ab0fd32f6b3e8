/** How Hindi is written here, wherever it stands: one spelling, its own full stop, quotation marks of one kind. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..')
const FILES = ['web/src/locales/hi/*.po', 'web/src/content/hi/*.md', 'core/src/**/*.ts', 'server/src/**/*.ts', 'web/src/**/*.{ts,tsx}']

const HINDI = /\p{Script=Devanagari}/u
type Line = { readonly at: string; readonly text: string }

const lines: readonly Line[] = FILES.flatMap((files) => globSync(files, { cwd: ROOT }))
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) =>
    readFileSync(path.join(ROOT, file), 'utf8')
      .split('\n')
      .map((text, index) => ({ at: `${file}:${index + 1}`, text })),
  )
  .filter(({ text }) => HINDI.test(text))

const found = (wrong: RegExp): readonly string[] => lines.filter(({ text }) => wrong.test(text.normalize('NFD'))).map(({ at }) => at)

test('a dot below stands under ज and फ, which it makes z and f, and under ड and ढ; nowhere else', () => {
  expect(lines.length).toBeGreaterThan(800)
  expect(found(/[कखग]\u093c/u)).toEqual([])
})

test('a sentence ends with its own stop', () => {
  expect(found(/\p{Script=Devanagari}\.(?=["'`\s]|$)/u)).toEqual([])
})

test('what is quoted stands in quotation marks of the text, not of the keyboard', () => {
  expect(found(/\\"\p{Script=Devanagari}|\p{Script=Devanagari}\\"/u)).toEqual([])
})
