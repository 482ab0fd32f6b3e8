/** Whatever a file of tests has started is gone when the file ends, also when it failed. */
import { afterAll, expect } from 'vitest'
import { endEverything } from './program.ts'

afterAll(async () => {
  expect(await endEverything()).toEqual([])
})
