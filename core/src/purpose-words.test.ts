/** The purpose of a payment for readers of each language. */
import { expect, test } from 'vitest'
import { purposeFor } from './purpose-words.ts'

const shoes = { purpose: 'school shoes', language: 'en', translations: { hi: 'स्कूल के जूते' } } as const

test('a reader gets the words of their language, and the written ones where it is missing', () => {
  expect(purposeFor(shoes, 'hi')).toEqual({ purpose: 'स्कूल के जूते', language: 'hi' })
  expect(purposeFor(shoes, 'en')).toEqual({ purpose: 'school shoes', language: 'en' })
  expect(purposeFor({ ...shoes, translations: {} }, 'hi')).toEqual({ purpose: 'school shoes', language: 'en' })
  expect(purposeFor({ purpose: 'स्कूल के जूते', language: 'hi', translations: {} }, 'en')).toEqual({
    purpose: 'स्कूल के जूते',
    language: 'hi',
  })
})

test('words of an answer without languages are shown as they are', () => {
  expect(purposeFor({ purpose: 'school shoes' }, 'hi')).toEqual({ purpose: 'school shoes', language: null })
})
