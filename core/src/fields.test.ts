import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import * as bank from './bank-fields.ts'
import * as calls from './fields.ts'
import { LANGUAGES } from './language.ts'
import { paise } from './money.ts'
import * as money from './money-fields.ts'
import * as named from './name-fields.ts'
import * as person from './person-fields.ts'
import * as reference from './reference-fields.ts'
import { REFUSALS } from './refusals.ts'
import * as story from './story-fields.ts'
import { youtubeId } from './youtube.ts'

const fields = { ...calls, ...person, ...named, ...money, ...bank, ...reference, ...story, youtubeId }

/** The first problem of a value as its English text; undefined if the value is accepted. */
const problem = (schema: z.core.$ZodType, value: unknown): string | undefined => {
  const result = z.safeParse(schema, value)
  return result.success ? undefined : fields.fieldText(result.error.issues[0]?.message ?? '', 'en')
}

const BANK_NUMBER_TEXT =
  "Please enter the bank's number of the transfer, not an IFSC code: 9 to 50 letters and digits, at least 6 of them digits"

test.each([
  ['Password must be at least 6 characters', fields.newPassword, '12345'],
  ['Password must be at most 128 characters', fields.newPassword, 'x'.repeat(129)],
  ['Please fill in all fields', fields.givenPassword, ''],
  ['Please fill in all fields', fields.name, undefined],
  ['Name must be 2 to 100 characters', fields.name, ' A '],
  ["Name can contain only letters, spaces and . ' -", fields.name, 'Asha 2'],
  ["Name can contain only letters, spaces and . ' -", fields.name, 'Asha <b>'],
  ["Name can contain only letters, spaces and . ' -", fields.name, 'http://evil'],
  ["Name can contain only letters, spaces and . ' -", fields.name, '. . .'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'www.evil'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'Asha evil.example'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'ज्ञान.भारत'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 't.me'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'Win at x.com'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'g.co now'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'T.Me'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'X.COM'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'A.Kumar.com'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'K.R.Com'],
  ['Name must not look like a web address. Please put a space after each dot.', fields.name, 'a-b.in'],
  ['Please enter a valid email address', fields.email, 'nobody'],
  ['Please enter a valid email address', fields.email, 'asha@x'],
  ['Please enter a valid email address', fields.email, 'asha@1.2'],
  ['Please enter a valid email address', fields.email, 'asha@mail.example.42'],
  ['Please enter a valid email address', fields.email, `${'a'.repeat(250)}@b.in`],
  ['Phone number is required', fields.phone, ''],
  ['Phone number is required', fields.phone, undefined],
  ['Please enter a valid 10-digit mobile number', fields.phone, '5876543210'],
  ['Please enter a valid 10-digit mobile number', fields.phone, '987654321'],
  ['Please enter a valid 10-digit mobile number', fields.phone, '98765432100'],
  ['Account holder name is required', fields.accountHolderName, ''],
  ['Account holder name must be at least 2 characters', fields.accountHolderName, 'A'],
  ['Account holder name can contain only letters and spaces', fields.accountHolderName, 'Asha 2'],
  ['Account number is required', fields.accountNumber, ''],
  ['Account number must be between 9-18 digits', fields.accountNumber, '12345678'],
  ['Account number must be between 9-18 digits', fields.accountNumber, '1'.repeat(19)],
  ['Account number must contain only digits', fields.accountNumber, '12345678a'],
  ['IFSC code is required', fields.ifscCode, ''],
  ['IFSC code must be 11 characters', fields.ifscCode, 'SBIN000123'],
  ['Invalid IFSC code format', fields.ifscCode, 'SBIN1001234'],
  ['Invalid IFSC code format', fields.ifscCode, 'SBINO001234'],
  ['Please enter the bank reference: 4 to 50 letters and digits', fields.bankReference, 'UTR'],
  ['Please enter the bank reference: 4 to 50 letters and digits', fields.bankReference, 'UTR 0000000042'],
  [BANK_NUMBER_TEXT, fields.bankNumber, 'NEFTCR'],
  [BANK_NUMBER_TEXT, fields.bankNumber, 'NEFTCREDIT12345'],
  [BANK_NUMBER_TEXT, fields.bankNumber, '0012345678'],
  [BANK_NUMBER_TEXT, fields.bankNumber, 'yesb 0000001'],
  ['Bank name is required', fields.bankName, ''],
  ['Bank name must be at least 3 characters', fields.bankName, 'AB'],
  ['Bank name can contain only letters, spaces and & . -', fields.bankName, 'Bank #1'],
  ['Please choose savings or current', fields.accountType, 'other'],
  ['Title is required', fields.storyTitle, '  '],
  ['Description is required', fields.storyDescription, ''],
  ['Charity name is required', fields.charityName, ''],
  ['Charity description is required', fields.charityDescription, ''],
  ['Invalid YouTube URL', fields.videoUrl, 'https://vimeo.com/12345'],
  ['Please enter a valid URL', fields.videoUrl, 'not a url'],
  ['Message must be 10 to 4,000 characters', fields.message, 'too short'],
] as const)('%s', (text, schema, value) => {
  expect(problem(schema, value)).toBe(text)
})

test('valid values are accepted', () => {
  for (const [schema, value] of [
    [fields.newPassword, '123456'],
    [fields.name, 'Dr. A.P.J. Abdul Kalam'],
    [fields.name, 'K.R.Narayanan'],
    [fields.name, 'A.Kumar'],
    [fields.name, 'A.KUMAR'],
    [fields.name, 'A. P. J. Abdul'],
    [fields.name, 'S.K. Rao'],
    [fields.name, 's.k. rao'],
    [fields.name, 'V.Rao'],
    [fields.name, 'O.D’Souza'],
    [fields.name, 'ए.पी.जे. अब्दुल कलाम'],
    [fields.name, 'के.कुमार'],
    [fields.name, 'श्रीमती आशा वर्मा'],
    [fields.name, 'ന\u0D4D\u200dമ ര\u0D4D\u200d'],
    [fields.name, 'রহিম উদ্দিন'],
    [fields.name, '李明'],
    [fields.name, "Zoë d’Souza-O'Neil ‘Abd"],
    [fields.phone, '6000000000'],
    [fields.email, 'asha.verma+roz@example.co.in'],
    [fields.email, '1.2@163.com'],
    [fields.accountHolderName, 'आशा वर्मा'],
    [fields.accountNumber, '123456789'],
    [fields.accountNumber, '1'.repeat(18)],
    [fields.ifscCode, 'HDFC0ABC12Z'],
    [fields.bankReference, ' UTR0000000042 '],
    // NEFT, RTGS, IMPS and UPI, and UPI in the first hour of 2030.
    [fields.bankNumber, 'N333264123456789'],
    [fields.bankNumber, 'YESBN12026110112345'],
    [fields.bankNumber, 'HDFCR52026112900012345'],
    [fields.bankNumber, ' 6305-1234-5678 '],
    [fields.bankNumber, '000100123456'],
    [fields.bankName, 'Jammu & Kashmir Bank Ltd. - Main'],
    [fields.videoUrl, ''],
  ] as const) {
    expect(problem(schema, value)).toBeUndefined()
  }
})

test('the domain of an email becomes ASCII; an IPv4 address and what only a web address has are refused', () => {
  for (const [typed, sent] of [
    [' Ajay@डाटा.भारत ', 'Ajay@xn--c2bd1gb.xn--h2brj9c'],
    ['ajay@डाटा。भारत', 'ajay@xn--c2bd1gb.xn--h2brj9c'],
    ['ajay@Bücher.example', 'ajay@xn--bcher-kva.example'],
    ['ajay@ｅｘａｍｐｌｅ.in', 'ajay@example.in'],
    ['Ajay@Example.in', 'Ajay@Example.in'],
  ] as const) {
    expect(z.parse(fields.email, typed)).toBe(sent)
  }
  const beyondDomain = ['डाटा.भारत:25', 'डाटा.भारत/x', 'डाटा.भारत?x', 'डाटा.भारत#x', 'डाटा.%61', 'a@डाटा.भारत', 'डा टा.भारत']
  const numbers = ['１２７.０.０.１', '１２７.１', '１２７', '０ｘ７ｆ.１']
  // `℀` means `a/c`. The label of 63 letters is longer in ASCII.
  const invalid = ['डाटा', 'डाटा.भारत.', '℀डाटा.भारत', `${'ट'.repeat(63)}.भारत`]
  for (const domain of [...beyondDomain, ...numbers, ...invalid])
    expect([domain, problem(fields.email, `ajay@${domain}`)]).toEqual([domain, 'Please enter a valid email address'])
  expect(problem(fields.email, 'अजय@डाटा.भारत')).toBe('Please enter a valid email address')
})

test('a top-up of ₹10 to ₹30 is accepted, and others are refused with the limit', () => {
  const limits = { min: paise(1000n), max: paise(3000n) }
  const text = (amount: bigint) => fields.fieldText(fields.topupProblem(paise(amount), limits) ?? 'none', 'en')
  expect(text(999n)).toBe('Minimum amount is ₹10')
  expect(text(3001n)).toBe('Maximum amount is ₹30')
  expect(text(1000n)).toBeUndefined()
  expect(text(3000n)).toBeUndefined()
})

test('a withdrawal is at least ₹10 and never above the balance', () => {
  const text = (amount: bigint, balance: bigint) =>
    fields.fieldText(fields.withdrawalProblem(paise(amount), paise(balance)) ?? 'none', 'en')
  expect(text(999n, 5000n)).toBe('Minimum withdrawal is ₹10')
  expect(text(2000n, 1999n)).toBe('Insufficient balance')
  expect(text(2000n, 2000n)).toBeUndefined()
})

test('an amount is a JSON number with at most two decimals, and may be zero or negative', () => {
  for (const value of [10.001, Number.NaN, Number.POSITIVE_INFINITY, 1e10, '10', null])
    expect(problem(fields.rupeeAmount, value)).toBeDefined()
  for (const value of [10, 10.5, 29.99, 0, -1]) expect(problem(fields.rupeeAmount, value)).toBeUndefined()
})

test('a YouTube video is recognised by its short, full and /shorts/ links only', () => {
  for (const link of [
    'https://youtu.be/dQw4w9WgXcQ',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=4',
    'https://m.youtube.com/shorts/dQw4w9WgXcQ',
  ]) {
    expect(fields.youtubeId(link)).toBe('dQw4w9WgXcQ')
  }
  for (const link of [
    'https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ',
    'javascript:alert(1)//youtu.be/dQw4w9WgXcQ',
    'https://youtu.be/short',
    'https://youtube.com/',
    'https://www.youtube.com/embed/dQw4w9WgXcQ',
  ]) {
    expect(fields.youtubeId(link)).toBeUndefined()
  }
})

test('every field problem and every refusal has a text in every language', () => {
  for (const language of LANGUAGES) {
    for (const text of [...Object.values(fields.FIELD_TEXTS), ...Object.values(REFUSALS)]) expect(text[language].length).toBeGreaterThan(3)
  }
})
