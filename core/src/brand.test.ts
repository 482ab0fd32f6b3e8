import { expect, test } from 'vitest'
import { brandIn } from './brand.ts'

test('our own name is written in the letters of each language, and any other name as the operator wrote it', () => {
  expect([brandIn('Roz', 'en'), brandIn('Roz', 'hi')]).toEqual(['Roz', 'रोज़'])
  expect([brandIn('Saath', 'en'), brandIn('Saath', 'hi')]).toEqual(['Saath', 'Saath'])
})
