import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatPaise, paise } from './money.ts'
import { asciiDigits, readPhone } from './typed.ts'
import { readAccount, readAmount, readIfsc, shownAmount } from './typed-money.ts'

const NBSP = '\u00a0'
const NARROW = '\u202f'

test('a decimal digit of any script is its ASCII digit, and nothing else is a digit', () => {
  for (const ten of [
    '०१२३४५६७८९',
    '০১২৩৪৫৬৭৮৯',
    '੦੧੨੩੪੫੬੭੮੯',
    '૦૧૨૩૪૫૬૭૮૯',
    '୦୧୨୩୪୫୬୭୮୯',
    '௦௧௨௩௪௫௬௭௮௯',
    '౦౧౨౩౪౫౬౭౮౯',
    '೦೧೨೩೪೫೬೭೮೯',
    '൦൧൨൩൪൫൬൭൮൯',
    '٠١٢٣٤٥٦٧٨٩',
    '۰۱۲۳۴۵۶۷۸۹',
    '０１２３４５６７８９',
    '᱐᱑᱒᱓᱔᱕᱖᱗᱘᱙',
    '꯰꯱꯲꯳꯴꯵꯶꯷꯸꯹',
    '𑄶𑄷𑄸𑄹𑄺𑄻𑄼𑄽𑄾𑄿',
    '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗',
    '𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿',
  ])
    expect(asciiDigits(ten)).toBe('0123456789')
  expect(asciiDigits('10² ① Ⅻ ½')).toBe('10² ① Ⅻ ½')
})

describe('an amount', () => {
  test.each([
    ['20', '₹20.00'],
    ['20.', '₹20.00'],
    ['20.5', '₹20.50'],
    ['20.50', '₹20.50'],
    ['.5', '₹0.50'],
    ['.50', '₹0.50'],
    ['0', '₹0.00'],
    ['0.00', '₹0.00'],
    ['007', '₹7.00'],
    ['19.99', '₹19.99'],
    [' 20 ', '₹20.00'],
    ['Rs. 20', '₹20.00'],
    ['Rs.20', '₹20.00'],
    ['Rs 20', '₹20.00'],
    ['rs20', '₹20.00'],
    ['RS. 20.50', '₹20.50'],
    ['Re. 1', '₹1.00'],
    ['₹20', '₹20.00'],
    ['₹ 20', '₹20.00'],
    [`₹${NBSP}20.00`, '₹20.00'],
    ['₨ 20', '₹20.00'],
    ['INR 20', '₹20.00'],
    ['inr20.25', '₹20.25'],
    ['रु. २०', '₹20.00'],
    ['रु २०', '₹20.00'],
    ['रुपये २०', '₹20.00'],
    ['२० रुपये', '₹20.00'],
    ['20/-', '₹20.00'],
    ['20 /-', '₹20.00'],
    ['Rs. 20/-', '₹20.00'],
    ['Rs. 20/- only', '₹20.00'],
    ['20 rupees', '₹20.00'],
    ['1 rupee', '₹1.00'],
    ['20 Rs.', '₹20.00'],
    ['20₹', '₹20.00'],
    ['20 INR', '₹20.00'],
    ['20 रुपये मात्र', '₹20.00'],
    ['२०', '₹20.00'],
    ['২০', '₹20.00'],
    ['૨૦.૫૦', '₹20.50'],
    ['２０', '₹20.00'],
    ['٢٠٫٥٠', '₹20.50'],
    ['1,000', '₹1,000.00'],
    ['1,000.50', '₹1,000.50'],
    ['12,345', '₹12,345.00'],
    ['1,23,456', '₹1,23,456.00'],
    ['1,23,45,678.50', '₹1,23,45,678.50'],
    ['123,456', '₹1,23,456.00'],
    ['1,234,567.89', '₹12,34,567.89'],
    ['1 000', '₹1,000.00'],
    ['1 23 456', '₹1,23,456.00'],
    [`1${NBSP}234${NBSP}567`, '₹12,34,567.00'],
    [`12${NARROW}345.50`, '₹12,345.50'],
    ['₹1,500.00', '₹1,500.00'],
    ['\u200e₹20\u200f', '₹20.00'],
    ['\u2066120\u2069', '₹120.00'],
    ['9999999999.99', '₹9,99,99,99,999.99'],
  ])('“%s” is %s', (typed, amount) => {
    const read = readAmount(typed)
    expect(read === undefined ? 'in doubt' : formatPaise(read)).toBe(amount)
  })
  test.each([
    ['', 'nothing'],
    [' ', 'nothing'],
    ['.', 'nothing'],
    ['Rs.', 'no number'],
    ['₹', 'no number'],
    ['ten', 'words'],
    ['20,50', 'a decimal comma'],
    ['1.000,50', 'a decimal comma'],
    ['1,00', 'a decimal comma'],
    ['1,0000', 'wrong groups'],
    ['1,2,3', 'wrong groups'],
    ['12,34,56', 'wrong groups'],
    ['0,500', 'a group of zero'],
    ['1234,567', 'wrong groups'],
    ['1.000', 'thousands or three decimals'],
    ['1.234', 'three decimals'],
    ['1.2.3', 'two points'],
    ['1..2', 'two points'],
    ['-20', 'minus'],
    ['−20', 'minus'],
    ['–20', 'minus'],
    ['₹-20', 'minus'],
    ['(20)', 'a minus of accountants'],
    ['+20', 'plus'],
    ['5e3', 'an exponent'],
    ['0x10', 'hexadecimal'],
    ['20 30', 'two amounts'],
    ['20-30', 'a range'],
    ['20+5', 'a sum'],
    ['20 or 30', 'two amounts'],
    ['₹20₹30', 'two amounts'],
    ['20 lakh', 'a scale'],
    ['20k', 'a scale'],
    ['20%', 'a percentage'],
    ['$20', 'another currency'],
    ['20 USD', 'another currency'],
    ['€20', 'another currency'],
    ['20 paise', 'paise'],
    ['Rs 20 paise 50', 'words between'],
    ['Rs .50', 'a point that may belong to Rs.'],
    ['Rs. .50', 'a point that may belong to Rs.'],
    ['10²', 'a power'],
    ['½', 'a fraction'],
    ["1'000", 'an apostrophe'],
    ['1_000', 'an underscore'],
    ['1,000 50', 'two separators'],
    ['1 000,50', 'two separators'],
    ['1\u202e20', 'a mark that turns what is seen'],
    ['2\u200f0', 'a mark between digits'],
    ['1\n2', 'two lines'],
    ['20 # 1', 'a mark'],
    ['12345678901', 'too much'],
    ['NaN', 'words'],
    ['Infinity', 'words'],
    ['1'.repeat(500), 'too long'],
  ])('“%s” is in doubt: %s', (typed) => {
    expect(readAmount(typed)).toBeUndefined()
    expect(shownAmount(typed)).toBe(typed)
  })
  test('that was read is shown as plain digits', () => {
    expect(shownAmount('Rs. 20')).toBe('20')
    expect(shownAmount('1,23,456.5')).toBe('123456.50')
  })

  const anyPaise = fc.bigInt({ min: 0n, max: 99_999_999_999n }).map(paise)
  test('as it is printed, in any usual form and script, is read as itself', () => {
    const form = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replace('₹', 'Rs. '),
      (text) => text.replace('₹', ''),
      (text) => text.replaceAll(',', ''),
      (text) => text.replaceAll(',', ' '),
      (text) => `${text}/-`,
      (text) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x966 + Number(digit))),
    )
    fc.assert(fc.property(anyPaise, form, (amount, write) => readAmount(write(formatPaise(amount))) === amount))
  })
  test('is never read from other digits than it has', () => {
    const typed = fc.array(fc.constantFrom(...Array.from('0123456789०९.,, -₹Rsk/e+()x')), { maxLength: 12 }).map((chars) => chars.join(''))
    fc.assert(
      fc.property(typed, (text) => {
        const amount = readAmount(text)
        if (amount === undefined) return
        const ascii = asciiDigits(text)
        const decimals = /(?:^\s*|\d)\.(\d{1,2})\D*$/.exec(ascii)?.[1]?.length ?? 0
        expect(amount).toBe(BigInt(ascii.replace(/\D/g, '')) * 10n ** BigInt(2 - decimals))
        // Neither a sign nor a second number is left out.
        expect(ascii.replace(/\/-\s*$/, '')).toMatch(/^\D*[\d., ]+[^\d+()x-]*$/)
        expect(ascii.replace(/\/-\s*$/, '')).not.toMatch(/[-+()x]/)
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('a phone', () => {
  test.each([
    '9876543210',
    '98765 43210',
    '98765-43210',
    '987-654-3210',
    '98765.43210',
    '98765–43210',
    '(98765) 43210',
    '98765/43210',
    `98765${NBSP}43210`,
    '+919876543210',
    '+91 98765 43210',
    '+91-98765-43210',
    '+91 09876543210',
    '+91 (0) 98765 43210',
    '(+91) 98765-43210',
    '919876543210',
    '91 98765 43210',
    '09876543210',
    '0 98765 43210',
    '00919876543210',
    '0091 98765 43210',
    '0919876543210',
    '९८७६५४३२१०',
    '+९१ ९८७६५ ४३२१०',
    '৯৮৭৬৫৪৩২১০',
    '９８７６５４３２１０',
    '\u202a+91 98765 43210\u202c',
    ' 9876543210 ',
  ])('“%s” is 9876543210', (typed) => {
    expect(readPhone(typed)).toBe('9876543210')
  })
  test.each([
    ['', 'nothing'],
    ['987654321', 'nine digits'],
    ['98765432101', 'eleven digits'],
    ['98765432101234', 'fourteen digits'],
    ['5876543210', 'no mobile number'],
    ['05876543210', 'no mobile number'],
    ['+9198765432', 'eight digits after +91'],
    ['+989876543210', 'of another country'],
    ['+1 987 654 3210', 'of another country'],
    ['+9876543210', 'no such country'],
    ['98765 43210, 91234 56780', 'two numbers'],
    ['98765432x0', 'a letter'],
    ['Phone: 9876543210', 'words'],
    ['9876543210 ext 2', 'words'],
    ['98765\u202e43210', 'a mark that turns what is seen'],
    ['91919876543210', 'a country twice'],
    ['-9876543210²', 'a power'],
  ])('“%s” is in doubt: %s', (typed) => {
    expect(readPhone(typed)).toBeUndefined()
  })
  test('is never read from a text whose last ten digits are others', () => {
    const typed = fc
      .array(fc.constantFrom(...Array.from('0123456789987691+ -().')), { minLength: 8, maxLength: 18 })
      .map((chars) => chars.join(''))
    fc.assert(
      fc.property(typed, (text) => {
        const [phone, digits] = [readPhone(text), text.replace(/\D/g, '')]
        if (phone === undefined) return
        expect(digits.endsWith(phone)).toBe(true)
        expect(['', '0', '91', '910', '091', '0910', '0091', '00910']).toContain(digits.slice(0, -10))
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('an account number', () => {
  test.each([
    ['123456789012', '123456789012'],
    ['1234 5678 9012', '123456789012'],
    ['1234-5678-9012', '123456789012'],
    [`1234${NBSP}5678${NBSP}9012`, '123456789012'],
    ['१२३४५६७८९०१२', '123456789012'],
    ['၁၂၃၄၅၆၇၈၉', '123456789'],
    ['A/c 123456789012 IFSC SBIN0001234', '123456789012'],
    ['A/c 12345678901 IFSC SBIN0001234', '12345678901'],
    ['A/C No. 1234 5678 9012', '123456789012'],
    ['Account number: 123456789012', '123456789012'],
    ['Name: Asha Verma\nAccount no: 123456789012\nIFSC: SBIN0001234\nPhone: 9876543210', '123456789012'],
    ['खाता संख्या: १२३४५६७८९०१२', '123456789012'],
    ['000123456789', '000123456789'],
    ['1', '1'],
  ])('“%s” is read as %s', (typed, account) => {
    expect(readAccount(typed)).toBe(account)
  })
  test.each([
    ['', 'nothing'],
    ['12345678a', 'a letter'],
    ['123456789 987654321', 'two numbers'],
    ['123456789012 IFSC SBIN0001234', 'no label'],
    ['UTR 123456789012', 'another label'],
    ['A/c 123456789 A/c 987654321', 'two accounts'],
    ['A/c 123456789x', 'a letter'],
    ['-123456789', 'a minus'],
    ['12.34', 'a point'],
  ])('“%s” is in doubt: %s', (typed) => {
    expect(readAccount(typed)).toBeUndefined()
  })
})

describe('an IFSC', () => {
  test.each([
    ['SBIN0001234', 'SBIN0001234'],
    ['sbin0001234', 'SBIN0001234'],
    [' sbin 0001234 ', 'SBIN0001234'],
    ['SBIN-0-001234', 'SBIN0001234'],
    ['SBIN०००१२३४', 'SBIN0001234'],
    ['IFSC: SBIN0001234', 'SBIN0001234'],
    ['A/c 123456789012 IFSC SBIN0001234', 'SBIN0001234'],
    ['HDFC0', 'HDFC0'],
  ])('“%s” is read as %s', (typed, ifsc) => {
    expect(readIfsc(typed)).toBe(ifsc)
  })
  test.each([
    ['', 'nothing'],
    ['SBIN0001234 HDFC0001234', 'two codes'],
    ['SBIN00012345', 'twelve characters'],
    ['SВIN0001234', 'a Cyrillic letter'],
    ['HDFC0.001234', 'a point'],
  ])('“%s” is in doubt: %s', (typed) => {
    expect(readIfsc(typed)).toBeUndefined()
  })
})
