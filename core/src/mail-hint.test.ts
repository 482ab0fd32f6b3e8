/** Tests which addresses are questioned. */
import { expect, test } from 'vitest'
import { meantAddress } from './mail-hint.ts'

test.each([
  ['asha@gmail.con', 'asha@gmail.com'],
  [' Asha@GMIAL.com ', 'Asha@gmail.com'],
  ['asha@gmial.con', 'asha@gmail.com'],
  ['asha@company.con', 'asha@company.com'],
  ['asha@gmail.com', undefined],
  ['asha@yahoo.co.in', undefined],
  ['asha@x.co', undefined],
  ['asha', undefined],
  ['', undefined],
])('%s: %s was probably meant', (address, meant) => {
  expect(meantAddress(address)).toBe(meant)
})
