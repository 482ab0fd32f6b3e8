import { expect, test } from 'vitest'
import { brandIn } from './brand.ts'

test('our own name stands in the letters of each language, any other as the operator wrote it', () => {
  expect([brandIn('Roz', 'en'), brandIn('Roz', 'hi')]).toEqual(['Roz', 'रोज़'])
  expect([brandIn('Saath', 'en'), brandIn('Saath', 'hi')]).toEqual(['Saath', 'Saath'])
})
