/** Checks the spelling and punctuation of all Hindi texts, in catalogues, content and code. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const FILES = ['locales/hi/*.po', 'locales/hi/pages/*.md', 'core/src/**/*.ts', 'server/src/**/*.ts', 'web/src/**/*.{ts,tsx}']

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

test('no Hindi text has a nukta under क, ख or ग', () => {
  expect(lines.length).toBeGreaterThan(800)
  expect(found(/[कखग]\u093c/u)).toEqual([])
})

test('a Hindi sentence ends with a danda, not with a full stop', () => {
  expect(found(/\p{Script=Devanagari}\.(?=["'`\s]|$)/u)).toEqual([])
})

test('Hindi quotations use typographic quotation marks, not those of the keyboard', () => {
  expect(found(/\\"\p{Script=Devanagari}|\p{Script=Devanagari}\\"/u)).toEqual([])
})
