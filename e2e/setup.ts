/** Whatever a file of tests has started is gone when the file ends, also when it failed; and the days that it published hold. */
import { afterAll, expect } from 'vitest'
import { brokenDays } from './days-hold.ts'
import { addressesServed, endEverything } from './program.ts'

afterAll(async () => {
  const broken = (await Promise.all(addressesServed().map(brokenDays))).flat()
  expect(await endEverything()).toEqual([])
  expect(broken).toEqual([])
})
