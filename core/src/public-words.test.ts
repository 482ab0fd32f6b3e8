import { describe, expect, test } from 'vitest'
import { announcementText } from './announcement-fields.ts'
import { purpose } from './help-fields.ts'
import { tellsContact } from './public-words.ts'
import { siteFigure } from './site-fields.ts'
import { charityDescription, charityName, storyDescription, storyTitle } from './story-fields.ts'

describe('words that everybody reads', () => {
  test.each([
    'school shoes, फ़ोन ९८७६५४३२१०',
    'ফোন ৯৮৭৬৫৪৩২১০',
    '９８７６５４３２１０',
    '98765.43210',
    '98765–43210',
    '98765/43210',
    '98765\u00a043210',
    '98765 - 43210',
    '98765\u200b43210',
    '(98765) 43210',
    '9-8-7-6-5-4-3-2-1-0',
    '9️⃣8️⃣7️⃣6️⃣5️⃣4️⃣3️⃣2️⃣1️⃣0️⃣',
    '+91 98765 43210',
    '98765,43210',
    '9,87,65,43,210',
    '₹9876543210',
    'Aadhaar 1234 5678 9012',
    '०१२३ ४५६७ ८९०१',
    'call 022-2345678',
    'paid on 01-04-2026 98765 43210',
    '98765 ₹43210',
    '98.76-54.32-10',
    '9.87-65.43',
    'open 10.30-11.30, 98765-43210',
    '10.30-98765432',
    '10.30-11.30-12.30-13.30',
    'a@b.in',
    'a＠b',
    'https://example.org',
    'HTTP://X',
    'www.example',
    't.me/joinfree',
    'T.ME/JOINFREE',
    'wa.me',
    'bit.ly/2x',
    'example.com',
    'EXAMPLE.COM',
    'example．com',
    'गूगल.भारत',
    'गूगल.भारत पर',
    'ज्ञान。中国',
    'गूगल.com',
    'роз.рф',
  ])('“%s” tells how to reach somebody', (words) => {
    expect(tellsContact(words)).toBe(true)
  })
  test.each([
    'school shoes',
    'rent for 01-04-2026',
    'किराया ०१-०४-२०२६',
    'rent 01/04/2026 – 30/04/2026',
    'rent for 1.4.26',
    '2026-04-01 10:30',
    '10:30 - 11:30',
    'open 10.30-11.30',
    'खुला 10:30-11:30',
    'rent 01/04/2026-30/04/2026',
    'fees for 1.4.26-30.4.26',
    'fees 2025-2026',
    'fees for 2025 2026',
    'fees ₹1,23,456.50',
    '₹1,00,00,000 for a school',
    'Rs. 12,34,567',
    'The round of 30 November 2026. ₹7.20 of it was set aside.',
    '₹1234567',
    'classes 5, 6, 7, 8, 9, 10, 11',
    'Medicine for 30 days.',
    'For R.K. Narayan school at 5 p.m.',
    'St.Mary school',
    'आर.के. नारायण विद्यालय',
    'Rice.For ten families',
    'Rs.500 each, i.e. 2 bags',
    '500 g + 250 g',
    'ward 12, bed 4, room 101',
    '5000/-',
  ])('“%s” tells nobody’s address', (words) => {
    expect(tellsContact(words)).toBe(false)
  })
  test.each([
    ['purpose', purpose],
    ['title', storyTitle],
    ['description', storyDescription],
    ['charity', charityName],
    ['charity description', charityDescription],
    ['announcement', announcementText],
  ] as const)('a %s with a phone is refused', (_, rule) => {
    expect(rule.safeParse('Call ९८७६५ ४३२१०').error?.issues[0]?.message).toBe('words_personal')
    expect(rule.safeParse('Rice\u00a0for \u202eten').data).toBe('Rice for ten')
  })
  test.each(['9876543210', '98765 43210', '98765-43210', '९८७६५४३२१०', '+91 98765 43210', 'call 020-26123456', 'a@b.in', 't.me/joinfree'])(
    'a figure “%s” is refused',
    (figure) => {
      expect(siteFigure.safeParse(figure).error?.issues[0]?.message).toBe('words_personal')
    },
  )
  test.each(['1000000', '₹10,00,000', '12,34,567', '१०,००,०००', '14,000', '10,000+', '2.5 lakh', '10,000–15,000', '2019–2026'])(
    'a figure “%s” is taken',
    (figure) => {
      expect(siteFigure.safeParse(figure).data).toBe(figure)
    },
  )
})
