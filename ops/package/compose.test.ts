/** Tests that compose.yml sets what production requires, and names only settings that exist. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { text } from '../tidy/source.ts'

const compose = readFileSync(path.join(import.meta.dirname, 'compose.yml'), 'utf8')
const app = compose.slice(compose.indexOf('x-app:'), compose.indexOf('\nservices:'))
const set = [...app.matchAll(/^ {4}([A-Z_]+): /gm)].map(([, name = '']) => name)
const rows = text('README.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|')[1] ?? '')
const namesOf = (cell: string): string[] =>
  [...cell.matchAll(/`([A-Z0-9_]+)`( ●)?/g)].map(([, name = '', required]) => name + (required ?? ''))
const settings = rows.flatMap(namesOf)

test('it sets every setting that production requires', () => {
  const required = settings.filter((name) => name.endsWith(' ●')).map((name) => name.slice(0, -2))
  expect(required.length).toBeGreaterThan(12)
  expect(required.filter((name) => !set.includes(name))).toEqual([])
})

test('it names only settings of the product, and its first lines name every value that .env must have', () => {
  const known = new Set(settings.map((name) => name.replace(' ●', '')))
  expect(set.filter((name) => !known.has(name))).toEqual([])
  const asked = new Set([...compose.matchAll(/\$\{([A-Z_]+):\?\}/g)].map(([, name]) => name))
  const head = compose.slice(0, compose.indexOf('\nname:'))
  expect([...asked].filter((name) => !new RegExp(`\\b${name}\\b`).test(head))).toEqual([])
})
