import { expect, test } from 'vitest'
import { draftWords } from './draft-words.ts'
import type { IstDay } from './ist-day.ts'
import { LANGUAGES } from './language.ts'
import { paise } from './money.ts'
import { charityDescription, storyDescription, storyTitle } from './story-fields.ts'

const round = { day: '2026-03-04' as IstDay, participants: 12_345n, need: paise(740_700n) }

test('a draft says in both languages that the share for people in need was set aside', () => {
  expect(draftWords(round, 'en')).toEqual({
    title: 'Daily impact of 4 March 2026',
    description: '12,345 members put one rupee each into the round of 4 March 2026. ₹7,407.00 of it was set aside for people in need.',
    charityDescription: 'The charity for this day has not been selected yet.',
  })
  expect(draftWords({ ...round, participants: 1n, need: paise(60n) }, 'en').description).toBe(
    '1 member put one rupee into the round of 4 March 2026. ₹0.60 of it was set aside for people in need.',
  )
  const hindi = draftWords(round, 'hi')
  expect(hindi.title).toBe('4 मार्च 2026 का असर')
  expect(hindi.description).toContain('12,345 सदस्यों')
  expect(hindi.description).toContain('₹7,407.00 ज़रूरतमंदों के लिए अलग रखे गए')
})

test.each([1n, 60n, 720n, 100_000n, 12_345_678n, 600_000_000n])(
  'an editor can save a draft with its own words: a share of %d paise',
  (need) => {
    for (const language of LANGUAGES) {
      const words = draftWords({ ...round, participants: need, need: paise(need) }, language)
      const problems = [storyTitle.safeParse(words.title), storyDescription.safeParse(words.description)].map(({ error }) => error)
      expect([...problems, charityDescription.safeParse(words.charityDescription).error], words.description).toEqual(
        Array(3).fill(undefined),
      )
    }
  },
)
