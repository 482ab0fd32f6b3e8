import { expect, test } from 'vitest'
import { draftWords } from './draft-words.ts'
import type { IstDay } from './ist-day.ts'
import { paise } from './money.ts'
import { missingIn, PENDING_CHARITY, translationsOf, wordsFor } from './story-words.ts'

const round = { day: '2026-03-04' as IstDay, participants: 12_345n, need: paise(740_700n) }
const draft = (language: 'en' | 'hi') => ({ ...draftWords(round, language), charityName: PENDING_CHARITY })
const written = { title: 'Books for Meena', description: 'For school.', charityName: 'Meena', charityDescription: 'School books' }
const hindi = { title: 'मीना की किताबें', description: 'स्कूल के लिए।', charityName: 'मीना', charityDescription: 'स्कूल की किताबें' }

test('a draft’s words are shown in the reader’s language, whichever language it was saved in', () => {
  for (const saved of ['en', 'hi'] as const) {
    for (const reader of ['en', 'hi'] as const) {
      const { words, languages } = wordsFor({ ...draft(saved), writtenIn: 'en', translations: {} }, round, reader)
      expect(words).toMatchObject(draft(reader))
      expect(new Set(Object.values(languages))).toEqual(new Set([reader]))
    }
    expect(missingIn({ ...draft(saved), writtenIn: 'en', translations: {} }, round)).toEqual([])
  }
})

test('a reader gets each text in their language, and else as it was written, with its language', () => {
  const story = { ...written, writtenIn: 'en', translations: { hi: { title: hindi.title } } } as const
  expect(wordsFor(story, round, 'hi')).toMatchObject({
    words: { ...written, title: hindi.title },
    languages: { title: 'hi', description: 'en', charityName: 'en', charityDescription: 'en' },
  })
  expect(wordsFor(story, round, 'en').words).toMatchObject(written)
  expect(missingIn(story, round)).toEqual(['hi'])
  expect(missingIn({ ...story, translations: { hi: hindi } }, round)).toEqual([])
  expect(missingIn({ ...hindi, writtenIn: 'hi', translations: {} }, round)).toEqual(['en'])
})

test('the drafted words of another language are no translation of what an editor wrote', () => {
  const story = { ...written, writtenIn: 'en', translations: { hi: draft('hi') } } as const
  expect(wordsFor(story, round, 'hi').words).toMatchObject(written)
  expect(missingIn(story, round)).toEqual(['hi'])
  expect(translationsOf({ ...draft('en'), title: 'Books for Meena', writtenIn: 'en', translations: {} }, round).hi).toEqual({
    description: draft('hi').description,
    charityName: PENDING_CHARITY,
    charityDescription: draft('hi').charityDescription,
  })
})

test('of a story’s title alone, only the title is judged', () => {
  const title = { title: 'Books for Meena', writtenIn: 'en', translations: {} } as const
  expect(wordsFor(title, round, 'hi')).toMatchObject({ words: { title: 'Books for Meena' }, languages: { title: 'en' } })
  expect(missingIn(title, round)).toEqual(['hi'])
})
