/**
 * Whatever a file of tests has started or opened is gone when the file ends, also when it failed; the
 * days that it published hold, and its money adds up. The browser itself goes with the process.
 */
import { afterAll, expect } from 'vitest'
import { closeVisits } from './browser.ts'
import { brokenBooks } from './database.ts'
import { brokenDays } from './published-days.ts'
import { endEverything, programsServing } from './program.ts'

afterAll(async () => {
  let days: readonly string[]
  let books: readonly string[]
  let stuck: readonly unknown[]
  try {
    await closeVisits()
    const programs = programsServing()
    days = (await Promise.all(programs.map(({ url }) => brokenDays(url)))).flat()
    books = await Promise.all(programs.map(({ dataDir }) => brokenBooks(dataDir)))
  } finally {
    stuck = await endEverything()
  }
  expect(stuck).toEqual([])
  expect(days).toEqual([])
  expect(books.join('')).toBe('')
})
