/** Checks docs/decisions/: each number has one page with its heading, date and status, and links to decisions name the right number. */
import { expect, test } from 'vitest'
import { sources } from './source.ts'

const FOLDER = 'docs/decisions/'
const pages = sources
  .filter(({ name }) => name.startsWith(FOLDER))
  .map((page) => ({ ...page, number: page.name.slice(FOLDER.length, FOLDER.length + 4) }))

test('no two decisions share a number, and no number is missing', () => {
  expect(pages.map(({ number }) => Number(number)).toSorted((a, b) => a - b)).toEqual(pages.map((_, index) => index + 1))
})

test("a decision's heading begins with its number", () => {
  expect(pages.filter(({ text, number }) => !text.startsWith(`# ${Number(number)}. `)).map(({ name }) => name)).toEqual([])
})

test('a decision has a date and a status', () => {
  expect(pages.filter(({ text }) => !/^.+\n\n\d{4}-\d\d-\d\d · (?:accepted|replaced by )/.test(text)).map(({ name }) => name)).toEqual([])
})

test('a link to a decision leads to the page with that number', () => {
  const names = new Set(pages.map(({ name }) => name.slice(FOLDER.length)))
  const links = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/\[decision (\d+)\]\(([^)]*)\)/g)].map(([, number = '', to = '']) => ({
      name,
      number,
      to: to.split('/').at(-1) ?? '',
    })),
  )
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter(({ number, to }) => !names.has(to) || Number(to.slice(0, 4)) !== Number(number))).toEqual([])
})
