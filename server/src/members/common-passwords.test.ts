import { expect, test } from 'vitest'
import { DEMO_PASSWORD } from '../demo/demo.ts'
import { PASSWORD } from '../testing/people.ts'
import { isCommonPassword } from './common-passwords.ts'

test.each(['123456', 'password', 'Password', 'QWERTYUIOP', 'iloveyou', 'welcome1', 'india123'])('%s is a common password', (password) => {
  expect(isCommonPassword(password)).toBe(true)
})

test.each([PASSWORD, DEMO_PASSWORD, 'पासवर्ड', 'Kz9#mQ2!', '12345', 'password '])('%s is not a common password', (password) => {
  expect(isCommonPassword(password)).toBe(false)
})
