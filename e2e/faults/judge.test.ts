import { keyPrefix } from '@roz/server/ledger/join-outcome.ts'
import { expect, test } from 'vitest'
import type { Deed } from './journal.ts'
import { compare, type Ledger } from './judge.ts'

const DAY = '2026-11-21'
const JOIN: Deed = { line: 'tried', id: 1, kind: 'join', memberId: '1001', key: 'k1', effects: [DAY], refused: undefined }
const ORDER: Deed = { line: 'tried', id: 2, kind: 'topup', memberId: '1001', key: 'k2', paise: 1000, effects: ['o1'], refused: undefined }
const PAYMENT: Deed = { line: 'tried', id: 3, kind: 'payment', memberId: '1001', subject: 'o1', effects: ['o1'], refused: undefined }
const CREDIT: Deed = { line: 'tried', id: 4, kind: 'credit', memberId: '1001', subject: 'o1', effects: ['o1'], refused: undefined }
const WITHDRAW: Deed = {
  line: 'tried',
  id: 5,
  kind: 'withdraw',
  memberId: '1001',
  key: 'k5',
  paise: 1000,
  effects: ['w1'],
  refused: undefined,
}
const APPROVE: Deed = {
  line: 'tried',
  id: 6,
  kind: 'approve',
  memberId: '1001',
  key: 'k6',
  subject: 'w1',
  effects: ['w1'],
  refused: undefined,
}
const DEEDS = [JOIN, ORDER, PAYMENT, CREDIT, WITHDRAW, APPROVE]

const ENTRY = { member: '1001', day: DAY, prefix: keyPrefix('k1'), via: 'member' }
const TOPUP = { order: 'o1', member: '1001', amount: 1000n, credits: 1, credited: 1000n }
const WITHDRAWAL = { id: 'w1', member: '1001', amount: 1000n, status: 'sending', holds: 1, backs: 0 }
const LEDGER: Ledger = { entries: [ENTRY], orders: [TOPUP], withdrawals: [WITHDRAWAL] }

const found = (deeds: readonly Deed[], ledger: Ledger) => {
  const { lost, doubled, strange } = compare(deeds, ledger, deeds)
  return [lost.length, doubled.length, strange.length]
}

test('a ledger that holds what was acknowledged, once, is clean', () => {
  expect(found(DEEDS, LEDGER)).toEqual([0, 0, 0])
})

test.each<[string, Ledger]>([
  ['join', { ...LEDGER, entries: [] }],
  ['order', { ...LEDGER, orders: [{ ...TOPUP, amount: 999n }] }],
  ['credit', { ...LEDGER, orders: [{ ...TOPUP, credits: 0, credited: null }] }],
  ['hold of a withdrawal', { ...LEDGER, withdrawals: [{ ...WITHDRAWAL, holds: 0 }] }],
  ['approval', { ...LEDGER, withdrawals: [{ ...WITHDRAWAL, status: 'requested' }] }],
])('an acknowledged %s that does not stand is lost', (_what, ledger) => {
  expect(found(DEEDS, ledger)[0]).toBeGreaterThan(0)
})

test.each<[string, readonly Deed[], Ledger]>([
  ['a second order of one deed', DEEDS, { ...LEDGER, orders: [TOPUP, { ...TOPUP, order: 'o2', credits: 0, credited: null }] }],
  ['a second withdrawal of one deed', DEEDS, { ...LEDGER, withdrawals: [WITHDRAWAL, { ...WITHDRAWAL, id: 'w2' }] }],
  ['an order credited twice', DEEDS, { ...LEDGER, orders: [{ ...TOPUP, credits: 2, credited: 2000n }] }],
  ['two answers to one key', [{ ...JOIN, effects: [DAY, '2026-11-22'] }], { ...LEDGER, entries: [ENTRY] }],
  ['one order for two deeds', [...DEEDS, { ...ORDER, id: 9, key: 'k9' }], LEDGER],
])('%s is doubled', (_what, deeds, ledger) => {
  expect(found(deeds, ledger)[1]).toBeGreaterThan(0)
})

test('a deed without an answer may stand or not; one that was refused at once must not', () => {
  const open: Deed = { ...JOIN, effects: [] }
  expect(found([open], { ...LEDGER, orders: [], withdrawals: [] })).toEqual([0, 0, 0])
  expect(found([open], { entries: [], orders: [], withdrawals: [] })).toEqual([0, 0, 0])
  const refused: Deed = { ...open, refused: { line: 'refused', id: 1, code: 'round_closed', first: true } }
  expect(found([refused], { ...LEDGER, orders: [], withdrawals: [] })[2]).toBe(1)
})

test('a join that nobody tried and a credit that nobody paid are strange', () => {
  expect(found(DEEDS, { ...LEDGER, entries: [ENTRY, { ...ENTRY, member: '1002', prefix: 5n }] })[2]).toBe(1)
  expect(found([JOIN, ORDER], { ...LEDGER, withdrawals: [] })[2]).toBe(1)
})
