/**
 * Whatever a file of tests has started is gone when the file ends, also when it failed; the days that
 * it published hold, and its money adds up.
 */
import { afterAll, expect } from 'vitest'
import { brokenBooks } from './database.ts'
import { brokenDays } from './days-hold.ts'
import { endEverything, programsServing } from './program.ts'

afterAll(async () => {
  let days: readonly string[]
  let books: readonly string[]
  let stuck: readonly unknown[]
  try {
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
