import { fieldText } from '@roz/core/fields.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { addMoneyRules } from './rules.ts'
import { EMPTY_PLACE, placeOf, withdrawRules } from './withdraw-rules.ts'

const said = (
  rules: { safeParse: (value: unknown) => { error?: { issues: { path: PropertyKey[]; message: string }[] } } },
  value: unknown,
) =>
  [...new Map((rules.safeParse(value).error?.issues ?? []).toReversed().map((issue) => [issue.path.join('.'), issue.message]))]
    .map(([field, problem]) => `${field}: ${fieldText(problem, 'en')}`)
    .toReversed()

const limits = { min: wholeRupees(10), max: wholeRupees(30) }

test('adding money needs ₹10 to ₹30 and a 10-digit mobile number that starts with 6 to 9', () => {
  const rules = addMoneyRules(limits)
  expect(said(rules, { amount: '9.99', phoneNumber: '' })).toEqual([
    'amount: Minimum amount is ₹10',
    'phoneNumber: Phone number is required',
  ])
  expect(said(rules, { amount: '30.01', phoneNumber: '5876543210' })).toEqual([
    'amount: Maximum amount is ₹30',
    'phoneNumber: Please enter a valid 10-digit mobile number',
  ])
  expect(said(rules, { amount: '', phoneNumber: '9876543210' })).toEqual(['amount: Minimum amount is ₹10'])
  expect(said(rules, { amount: '12,50', phoneNumber: '9876543210' })).toHaveLength(1)
  expect(said(rules, { amount: '12.50', phoneNumber: '9876543210' })).toEqual([])
})

const bank = {
  accountHolderName: 'Asha Verma',
  accountNumber: '123456789',
  ifscCode: 'SBIN0001234',
  bankName: 'State Bank',
  accountType: 'savings',
  upiId: '',
}

test('a withdrawal is at least ₹10 and at most the balance', () => {
  const rules = withdrawRules(wholeRupees(20), 'bank')
  expect(said(rules, { ...bank, amount: '9' })).toEqual(['amount: Minimum withdrawal is ₹10'])
  expect(said(rules, { ...bank, amount: '20.01' })).toEqual(['amount: Insufficient balance'])
  expect(said(rules, { ...bank, amount: '20' })).toEqual([])
})

test('each bank field names the rule that its value breaks', () => {
  const rules = withdrawRules(wholeRupees(20), 'bank')
  expect(said(rules, { ...bank, amount: '10', accountNumber: '12345678' })).toEqual([
    'accountNumber: Account number must be between 9-18 digits',
  ])
  expect(said(rules, { ...bank, amount: '10', ifscCode: 'SBIN1001234' })).toEqual(['ifscCode: Invalid IFSC code format'])
  expect(said(rules, { ...bank, amount: '10', accountHolderName: 'A' })).toHaveLength(1)
  expect(said(rules, { ...bank, amount: '10', bankName: 'AB' })).toHaveLength(1)
})

test('a withdrawal to a UPI ID needs the name and one UPI ID, and no bank account', () => {
  const rules = withdrawRules(wholeRupees(20), 'upi')
  const empty = { ...EMPTY_PLACE, amount: '10' }
  expect(said(rules, empty)).toEqual(['accountHolderName: Account holder name is required', 'upiId: UPI ID is required'])
  const values = { ...empty, accountHolderName: 'Asha Verma', upiId: ' Asha.Verma@OKBANK ' }
  expect(said(rules, { ...values, upiId: 'asha@gmail.com' })).toEqual([
    'upiId: Please enter one UPI ID such as name@bank, not an email address',
  ])
  const upiDetail = { accountHolderName: 'Asha Verma', upiId: 'asha.verma@okbank' }
  expect(placeOf(rules.parse(values), 'upi', false)).toEqual({ upiDetail })
  // The consent goes along only where the form asks for it.
  expect(placeOf(rules.parse(values), 'upi', true)).toEqual({ upiDetail, nameCheck: true })
  expect(placeOf(rules.parse(values), 'bank', true)).not.toHaveProperty('nameCheck')
})
