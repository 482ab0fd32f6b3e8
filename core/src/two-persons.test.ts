/** The rule of two persons. */
import { expect, test } from 'vitest'
import { paise } from './money.ts'
import { REFUSALS } from './refusals.ts'
import { judgeApproval, needsSecondPerson } from './two-persons.ts'

const limit = paise(100_000n)
const asked = { amount: paise(100_001n), limit, alone: paise(0n), first: 'nobody', isOwn: false, isSettled: true } as const

test('an amount at the limit needs one person, one paisa more needs two', () => {
  expect(needsSecondPerson(limit, asked)).toBe(false)
  expect(needsSecondPerson(paise(100_001n), asked)).toBe(true)
  expect(judgeApproval({ ...asked, amount: limit })).toEqual({ ok: true, value: 'alone' })
  expect(judgeApproval(asked)).toEqual({ ok: true, value: 'first' })
})

test('the second approval is another person’s, and ends it', () => {
  expect(judgeApproval({ ...asked, first: 'same' })).toEqual({ ok: false, code: 'second_person_needed' })
  expect(judgeApproval({ ...asked, first: 'another' })).toEqual({ ok: true, value: 'second' })
})

test('a recorded first approval needs the second one even after the limit was raised', () => {
  expect(judgeApproval({ ...asked, first: 'same', limit: paise(900_000n) })).toEqual({ ok: false, code: 'second_person_needed' })
})

test('nobody approves their own money, at any amount', () => {
  expect(judgeApproval({ ...asked, amount: paise(1n), isOwn: true })).toEqual({ ok: false, code: 'own_money' })
  expect(judgeApproval({ ...asked, first: 'another', isOwn: true })).toEqual({ ok: false, code: 'own_money' })
  expect(REFUSALS.own_money.status).toBe(403)
})

test('many small decisions of one person are one large decision', () => {
  const small = { ...asked, amount: paise(1n) }
  expect(judgeApproval({ ...small, alone: paise(99_999n) })).toEqual({ ok: true, value: 'alone' })
  expect(judgeApproval({ ...small, alone: limit })).toEqual({ ok: true, value: 'first' })
  expect(judgeApproval({ ...small, alone: limit, first: 'another' })).toEqual({ ok: true, value: 'second' })
})

test('above the limit a voice counts only after 48 hours in the role, the first one too', () => {
  expect(judgeApproval({ ...asked, isSettled: false })).toEqual({ ok: false, code: 'role_too_new' })
  expect(judgeApproval({ ...asked, isSettled: false, first: 'another' })).toEqual({ ok: false, code: 'role_too_new' })
  expect(judgeApproval({ ...asked, first: 'unsettled' })).toEqual({ ok: false, code: 'role_too_new' })
  expect(judgeApproval({ ...asked, amount: limit, isSettled: false })).toEqual({ ok: true, value: 'alone' })
  expect(REFUSALS.role_too_new.status).toBe(409)
})
