/**
 * Whatever a file of tests has started is gone when the file ends, also when it failed; the days that
 * it published hold, and its money adds up.
 */
import { afterAll, expect } from 'vitest'
import { brokenBooks } from './database.ts'
import { brokenDays } from './days-hold.ts'
import { endEverything, programsServing } from './program.ts'

afterAll(async () => {
  const programs = programsServing()
  const days = (await Promise.all(programs.map(({ url }) => brokenDays(url)))).flat()
  const books = await Promise.all(programs.map(({ dataDir }) => brokenBooks(dataDir)))
  expect(await endEverything()).toEqual([])
  expect(days).toEqual([])
  expect(books.join('')).toBe('')
})
