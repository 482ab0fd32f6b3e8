import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountHolderName, bankName } from './bank-fields.ts'
import { initialName } from './names.ts'
import { name } from './name-fields.ts'
import { isolated } from './isolated.ts'
import { line, paragraphs } from './written.ts'

describe('a text that people write', () => {
  test.each([
    ['ㅤㅤ', 'Hangul fillers'],
    ['\u200b\u200b\u200b\u200b', 'zero-width spaces'],
    ['\u2800\u2800', 'blanks of Braille'],
    ['\u00a0 \u3000', 'blanks'],
    ['\u0301\u0301\u0301', 'only marks'],
    ['\u200d\u200c\ufe0f', 'joiners and a selector'],
    ['\u202e\u2066', 'direction marks'],
    ['\u115f\u1160\uffa0', 'fillers'],
    ['\u00ad\ufeff\u2060', 'nothing'],
    ['\u{e0041}\u{e0042}', 'tags'],
  ])('%j (%s) is empty', (text) => {
    expect([line(text), paragraphs(text)]).toEqual(['', ''])
  })
  test.each([
    ['  Asha   Verma ', 'Asha Verma'],
    ['Asha\u00a0Verma', 'Asha Verma'],
    ['Asha\nVerma', 'Asha Verma'],
    ['As\u200bha', 'Asha'],
    ['Asha \u202egpj.exe', 'Asha gpj.exe'],
    ['\u2067Asha\u2069', 'Asha'],
    ['A\u0000s\u0007ha', 'Asha'],
    ['Ame\u0301lie', 'Amélie'],
    ['Z\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a', 'Ź\u0302\u0303\u0304\u0305\u0306\u0307'],
    ['कर्‍हाडे', 'कर्‍हाडे'],
    ['Asha \u200dVerma', 'Asha Verma'],
    ['👩‍👩‍👧 ❤️', '👩‍👩‍👧 ❤️'],
    ['a\u200d\u200d\u200db', 'a\u200db'],
  ])('%j is the line %j', (text, clean) => {
    expect(line(text)).toBe(clean)
  })
  test('of several lines keeps them, with one empty line at most', () => {
    expect(paragraphs(' one \r\n two\u2028three\n\n\n\n four\t five ')).toBe('one\ntwo\nthree\n\nfour five')
  })
  test('stays as it is when it is cleaned again, and has no control and no direction mark', () => {
    const text = fc.string({
      unit: fc.constantFrom(...Array.from('aक्ष\u094d\u200d\u200c\u202e\u2066\u0301\u0007\n \u00a0\u3164\ufe0f👩'), 'ര്'),
      maxLength: 40,
    })
    fc.assert(
      fc.property(text, (given) => {
        const clean = paragraphs(given)
        expect(paragraphs(clean)).toBe(clean)
        expect(line(line(given))).toBe(line(given))
        expect(clean.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\u3164]/u)
        expect(clean).not.toMatch(/\p{M}{7}/u)
      }),
      { numRuns: 5000 },
    )
  })
})

const NAMES: readonly (readonly [string, string])[] = [
  ['Latin', 'K. R. Ramanathan'],
  ['Latin with an apostrophe', 'Zoë d’Souza-O’Neil'],
  ['Vietnamese', 'Nguyễn Thị Hằng'],
  ['Devanagari', 'आशा वर्मा'],
  ['Devanagari initials', 'आर.के. नारायण'],
  ['Devanagari initials in full', 'डब्ल्यू.सी. बनर्जी'],
  ['Devanagari abbreviation sign', 'डॉ॰ आशा'],
  ['Marathi with a joiner', 'कर्‍हाडे'],
  ['Nukta', 'ज़ाकिर हुसैन'],
  ['Bengali', 'রবীন্দ্রনাথ ঠাকুর'],
  ['Bengali initials', 'এস.এম. সুলতান'],
  ['Assamese', 'ভূপেন হাজৰিকা'],
  ['Gurmukhi', 'ਹਰਪ੍ਰੀਤ ਸਿੰਘ'],
  ['Gujarati', 'મોહનદાસ ગાંધી'],
  ['Odia', 'ଫକୀର ମୋହନ'],
  ['Tamil initials', 'எம்.ஜி.ஆர்'],
  ['Tamil', 'சுப்பிரமணிய பாரதி'],
  ['Telugu initials', 'ఎన్.టి. రామారావు'],
  ['Kannada', 'ಕುವೆಂಪು ಪುಟ್ಟಪ್ಪ'],
  ['Malayalam', 'തകഴി ശിവശങ്കരപ്പിള്ള'],
  ['Malayalam with joiners', 'ന\u0d4d\u200dമ ര\u0d4d\u200d'],
  ['Sinhala with a joiner', 'ශ්‍රීමාලි'],
  ['Urdu', 'عبدالکلام آزاد'],
  ['Urdu initials', 'اے.پی.جے. عبدالکلام'],
  ['Hebrew', 'יעל כהן'],
  ['Thai', 'สมชาย ใจดี'],
  ['Burmese', 'အောင်ဆန်း'],
  ['Khmer', 'សុខ ស៊ីណា'],
  ['Tibetan', 'བསྟན་འཛིན'.replace('་', ' ')],
  ['Meitei', 'ꯃꯤꯇꯩ ꯂꯣꯟ'],
  ['Ol Chiki', 'ᱨᱚᱜᱷᱩᱱᱟᱛᱷ ᱢᱩᱨᱢᱩ'],
  ['Cyrillic', 'Анна Каренина'],
  ['Greek', 'Ελένη Παππά'],
  ['Armenian', 'Արամ Խաչատրյան'],
  ['Georgian', 'ნინო ბერიძე'],
  ['Ethiopic', 'አበበ ቢቂላ'],
  ['Han', '李明'],
  ['Hangul', '김민수'],
  ['Kana', 'さくら・タナカ'],
  ['Chakma', '𑄌𑄋𑄴𑄟'],
]
test.each(NAMES)('a name is accepted as written: %s', (_, given) => {
  expect(name.safeParse(given).data).toBe(given.normalize('NFC'))
  expect(initialName(given)).toBe(line(initialName(given)))
})

test.each([
  ['गूगल.भारत', 'name_address'],
  ['ज्ञान.भारत', 'name_address'],
  ['बैंकऑफइंडिया.कम', 'name_address'],
  ['இணையம்.இந்தியா', 'name_address'],
  ['李.中国', 'name_address'],
  ['आशा.com', 'name_address'],
  ['Asha.рф', 'name_address'],
  ['ㅤㅤ', 'name_length'],
  ['\u200b\u200b', 'name_length'],
  ['\u0301\u0301', 'name_length'],
  ['Asha 2', 'name_letters'],
  ['आशा २', 'name_letters'],
])('the name %j is refused: %s', (given, problem) => {
  expect(name.safeParse(given).error?.issues[0]?.message).toBe(problem)
})

test('an account holder and a bank have joiners and marks as parts of their letters', () => {
  for (const given of ['ශ්‍රීමාලි පෙරේරා', 'कर्‍हाडे', 'ന\u0d4d\u200dമ', 'Asha\u00a0Verma'])
    expect(accountHolderName.safeParse(given).data).toBe(line(given))
  expect(bankName.safeParse('कर्‍हाड & Co. - बैंक').success).toBe(true)
  for (const given of ['\u200d\u200d', 'ㅤㅤ', '  ', '\u0301\u0301']) {
    expect(accountHolderName.safeParse(given).error?.issues[0]?.message).toBe('holder_required')
    expect(bankName.safeParse(given).error?.issues[0]?.message).toBe('bank_required')
  }
  expect(accountHolderName.safeParse('K.R. Rao').error?.issues[0]?.message).toBe('holder_letters')
  expect(bankName.safeParse('&&&').error?.issues[0]?.message).toBe('bank_letters')
})

test('a name from right to left is isolated in a sentence, and no other', () => {
  expect(isolated('عبدالکلام آ.')).toBe('\u2068عبدالکلام آ.\u2069')
  expect([isolated('Asha V.'), isolated('आशा व.')]).toEqual(['Asha V.', 'आशा व.'])
})
