/** Every file that a comment or a document names exists in the repository: its path ends with the name. */
import { expect, test } from 'vitest'
import { sources, text } from './source.ts'

/** Made by a build, by npm, by a release or by the operator, and therefore in no checkout. */
const MADE = new Set([
  'pages.mjs',
  'pdf-frame.html',
  'roz-verify.mjs',
  'manifest.json',
  'sw.js',
  'cashfree.js',
  'report.json',
  'config.json',
])
const FILE = /(?<![\w@/.<>{}*-])(?:\.{1,2}\/)*([\w.-]+(?:\/[\w.-]+)*\.(?:tsx?|mjs|sql|md|py|css|json|html|yml|sh|po))(?![\w/}*])/g
const released = Object.keys(JSON.parse(text('server/migrations/released.json')) as object)
/** This file and imports.test.ts name files that are not there; pages of the site name no file; a released migration keeps the names of its time. */
const isRead = (name: string): boolean =>
  !/^(ops\/tidy\/(named-files|imports)\.test\.ts|locales\/.*)$/.test(name) && !released.some((file) => name === `server/migrations/${file}`)
const names = sources.map(({ name }) => name)

/** The comments of a source; a document is all words, but for its blocks of commands. */
function wordsOf(name: string, text: string): string {
  const found = (pattern: RegExp): string => (text.match(pattern) ?? []).join('\n')
  if (name.endsWith('.md')) return text.replace(/^```[^]*?^```/gm, '').replace(/\bhttps?:\/\/\S+/g, '')
  if (/\.(tsx?|mjs|js|css)$/.test(name)) return found(/\/\*[^]*?\*\/|(?<![:'"`\w])\/\/.*$/gm).replace(/\bhttps?:\/\/\S+/g, '')
  if (name.endsWith('.sql')) return found(/--.*$/gm)
  if (/\.(py|sh|yml)$/.test(name)) return found(/#.*$|"""[^]*?"""/gm)
  return ''
}

function missingIn(name: string, text: string): string[] {
  return (
    [...wordsOf(name, text).matchAll(FILE)]
      .map(([, file]) => file as string)
      // The file of a day, and the name that the next migration gets.
      .filter((file) => !/\d{4}-\d{2}-\d{2}|NNNN/.test(file))
      .filter((file) => !MADE.has(file.split('/').at(-1) as string))
      .filter((file) => !names.some((known) => known === file || known.endsWith(`/${file}`)))
  )
}

test('every file named in a comment or a document exists', () => {
  const findings = sources
    .filter(({ name }) => isRead(name))
    .flatMap(({ name, text }) => missingIn(name, text).map((file) => `${name}: ${file}`))
  expect(findings).toEqual([])
})

test('a file that is gone is found in a comment and in a document, and code is not read for names', () => {
  expect(missingIn('core/src/money.ts', "/** As money.md says. */\nimport './gone.ts'")).toEqual(['money.md'])
  expect(missingIn('docs/x.md', 'See `server/src/nowhere.ts` and [main](../server/src/main.ts).')).toEqual(['server/src/nowhere.ts'])
})
