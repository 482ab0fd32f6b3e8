/**
 * After a failed test, keeps its pages and the servers' output.
 * After every test file, also a failed one: closes what it opened and checks what it left.
 * - Every program it started ends.
 * - The days it published pass the verifier, and its books pass the audit.
 * - The browser itself ends with the process.
 */
import { afterAll, afterEach, expect } from 'vitest'
import { closeVisits } from './browser.ts'
import { brokenBooks } from './database.ts'
import { keepFailure } from './failed.ts'
import { brokenDays } from './published-days.ts'
import { endEverything, programsServing } from './program.ts'

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  const folder = await keepFailure(task.file.name, task.name)
  console.warn(`✗ ${task.name}\n  Its pages and the server's output: ${folder}`)
})

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
