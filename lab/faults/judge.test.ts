import { keyPrefix } from '@roz/server/ledger/join-outcome.ts'
import { expect, test } from 'vitest'
import type { Operation, OperationKind } from './journal.ts'
import { compare, type Ledger } from './judge.ts'
import { findLate, type Gateways } from './judge-returns.ts'
import { firstVoiceOf } from './returns.ts'

const DAY = '2026-11-21'
const RECEIPT = 'ab'.repeat(32)
const CHALLAN = 'bc'.repeat(32)
const BANK_LETTER = 'ca'.repeat(32)
const JOIN: Operation = { line: 'tried', id: 1, kind: 'join', memberId: '1001', key: 'k1', effects: [DAY], refused: undefined }
const ORDER: Operation = {
  line: 'tried',
  id: 2,
  kind: 'topup',
  memberId: '1001',
  key: 'k2',
  paise: 1000,
  effects: ['o1'],
  refused: undefined,
}
const PAYMENT: Operation = { line: 'tried', id: 3, kind: 'payment', memberId: '1001', subject: 'o1', effects: ['o1'], refused: undefined }
const CREDIT: Operation = { line: 'tried', id: 4, kind: 'credit', memberId: '1001', subject: 'o1', effects: ['o1'], refused: undefined }
const WITHDRAW: Operation = {
  line: 'tried',
  id: 5,
  kind: 'withdraw',
  memberId: '1001',
  key: 'k5',
  paise: 1000,
  effects: ['w1'],
  refused: undefined,
}
const APPROVE: Operation = {
  line: 'tried',
  id: 6,
  kind: 'approve',
  memberId: '1001',
  key: 'k6',
  subject: 'w1',
  effects: ['w1'],
  refused: undefined,
}
const OPERATIONS = [JOIN, ORDER, PAYMENT, CREDIT, WITHDRAW, APPROVE]

const ENTRY = { member: '1001', day: DAY, prefix: keyPrefix('k1'), via: 'member' }
const TOPUP = { order: 'o1', member: '1001', amount: 1000n, credits: 1, credited: 1000n, isDebit: false }
const WITHDRAWAL = { id: 'w1', member: '1001', amount: 1000n, status: 'sending', ofDebtor: false, holds: 1, backs: 0 }
const tried = (id: number, kind: OperationKind, effect: string, more: Partial<Operation> = {}): Operation => ({
  line: 'tried',
  id,
  kind,
  memberId: '1001',
  key: `k${id}`,
  effects: [effect],
  refused: undefined,
  ...more,
})
const RETURNED = [
  tried(7, 'refund', 'r1', { paise: 500, subject: 'o1' }),
  tried(8, 'refund-approve', 'r1'),
  tried(10, 'strange', 's1', { memberId: '0', subject: 's1' }),
  tried(11, 'item-credit', '5'),
  tried(16, 'item-credit', firstVoiceOf('5')),
  tried(12, 'dispute', 'd1', { subject: 'o1' }),
  tried(13, 'disburse', 'h1', { memberId: '0', paise: 70, subject: RECEIPT }),
  tried(14, 'tax-remitted', 'h2', { memberId: '0', paise: 18, subject: CHALLAN }),
  tried(15, 'losses-covered', 'h3', { memberId: '0', paise: 8, subject: BANK_LETTER }),
]
const REFUND = { id: 'r1', member: '1001', item: null, amount: 500n, status: 'sending', problem: null, holds: 1, backs: 0 }
const ITEM = { id: '5', order: 's1', isTaken: false, credits: 1, creditedTo: '1001', voices: 2 }
const SHOES = { id: 'h1', kind: 'disbursement', amount: 70n, receipt: RECEIPT, isAsked: true }
const TAX = { id: 'h2', kind: 'tds_remitted', amount: 18n, receipt: CHALLAN, isAsked: true }
const COVER = { id: 'h3', kind: 'losses_covered', amount: 8n, receipt: BANK_LETTER, isAsked: true }
const DISPUTE = { id: 'd1', order: 'o1', isTaken: true, problem: null }
const NOTHING_RETURNED = { refunds: [], items: [], disputes: [], outlays: [], mandates: [] }
const LEDGER: Ledger = { entries: [ENTRY], orders: [TOPUP], withdrawals: [WITHDRAWAL], ...NOTHING_RETURNED }
const WITH_RETURNS: Ledger = { ...LEDGER, refunds: [REFUND], items: [ITEM], disputes: [DISPUTE], outlays: [SHOES, TAX, COVER] }
const ALL_DEEDS = [...OPERATIONS, ...RETURNED]

const found = (operations: readonly Operation[], ledger: Ledger) => {
  const { lost, doubled, strange } = compare(operations, ledger, operations)
  return [lost.length, doubled.length, strange.length]
}

test('a ledger with every acknowledged effect once is clean', () => {
  expect(found(OPERATIONS, LEDGER)).toEqual([0, 0, 0])
})

test.each<[string, Ledger]>([
  ['join', { ...LEDGER, entries: [] }],
  ['order', { ...LEDGER, orders: [{ ...TOPUP, amount: 999n }] }],
  ['credit', { ...LEDGER, orders: [{ ...TOPUP, credits: 0, credited: null }] }],
  ['hold of a withdrawal', { ...LEDGER, withdrawals: [{ ...WITHDRAWAL, holds: 0 }] }],
  ['approval', { ...LEDGER, withdrawals: [{ ...WITHDRAWAL, status: 'requested' }] }],
])('an acknowledged %s that is missing is lost', (_what, ledger) => {
  expect(found(OPERATIONS, ledger)[0]).toBeGreaterThan(0)
})

test.each<[string, readonly Operation[], Ledger]>([
  ['a second order of one operation', OPERATIONS, { ...LEDGER, orders: [TOPUP, { ...TOPUP, order: 'o2', credits: 0, credited: null }] }],
  ['a second withdrawal of one operation', OPERATIONS, { ...LEDGER, withdrawals: [WITHDRAWAL, { ...WITHDRAWAL, id: 'w2' }] }],
  ['an order credited twice', OPERATIONS, { ...LEDGER, orders: [{ ...TOPUP, credits: 2, credited: 2000n }] }],
  ['two answers to one key', [{ ...JOIN, effects: [DAY, '2026-11-22'] }], { ...LEDGER, entries: [ENTRY] }],
  ['one order for two operations', [...OPERATIONS, { ...ORDER, id: 9, key: 'k9' }], LEDGER],
])('%s is doubled', (_what, operations, ledger) => {
  expect(found(operations, ledger)[1]).toBeGreaterThan(0)
})

test('a payment that a dispute took, and that came back, waits once', () => {
  const items = [
    { ...ITEM, isTaken: true },
    { ...ITEM, id: '6', credits: 0, creditedTo: null },
  ]
  expect(found(OPERATIONS, { ...LEDGER, items })[1]).toBe(0)
})

test('an operation without an answer may exist or not; one refused at its first try must not exist', () => {
  const open: Operation = { ...JOIN, effects: [] }
  expect(found([open], { ...LEDGER, orders: [], withdrawals: [] })).toEqual([0, 0, 0])
  expect(found([open], { entries: [], orders: [], withdrawals: [], ...NOTHING_RETURNED })).toEqual([0, 0, 0])
  const refused: Operation = { ...open, refused: { line: 'refused', id: 1, code: 'round_closed', first: true } }
  expect(found([refused], { ...LEDGER, orders: [], withdrawals: [] })[2]).toBe(1)
})

test('a join without a try and a credit without a payment are strange', () => {
  expect(found(OPERATIONS, { ...LEDGER, entries: [ENTRY, { ...ENTRY, member: '1002', prefix: 5n }] })[2]).toBe(1)
  expect(found([JOIN, ORDER], { ...LEDGER, withdrawals: [] })[2]).toBe(1)
})

test.each<[string, 'lost' | 'doubled' | 'strange', Partial<Ledger>]>([
  ['a refund that is not held', 'lost', { refunds: [{ ...REFUND, holds: 0 }] }],
  ['an approval of a refund that is forgotten', 'lost', { refunds: [{ ...REFUND, status: 'requested' }] }],
  ['an item that was credited to another member', 'lost', { items: [{ ...ITEM, creditedTo: '1002' }] }],
  ['a first voice about an item that is forgotten', 'lost', { items: [{ ...ITEM, voices: 0 }] }],
  ['an item credited twice', 'doubled', { items: [{ ...ITEM, credits: 2 }] }],
  ['an item credited and sent back', 'doubled', { refunds: [REFUND, { ...REFUND, id: 'r2', member: null, item: '5' }] }],
  ['a second refund of one operation', 'doubled', { refunds: [REFUND, { ...REFUND, id: 'r2' }] }],
  ['one payment that waits twice', 'doubled', { items: [ITEM, { ...ITEM, id: '6', credits: 0, creditedTo: null }] }],
  ['an item of a payment that nobody made', 'strange', { items: [ITEM, { ...ITEM, id: '6', order: 's2', credits: 0 }] }],
  ['a disbursement that is missing', 'lost', { outlays: [TAX, COVER] }],
  ['a disbursement of another amount', 'lost', { outlays: [{ ...SHOES, amount: 71n }, TAX, COVER] }],
  ['a disbursement that nobody asked for', 'strange', { outlays: [SHOES, TAX, COVER, { ...SHOES, id: 'h9', receipt: 'cd'.repeat(32) }] }],
  ['remitted tax that is missing', 'lost', { outlays: [SHOES, COVER] }],
  ['covered losses that were booked as a share paid out', 'lost', { outlays: [SHOES, TAX, { ...COVER, kind: 'platform_out' }] }],
  ['covered losses that nobody asked for', 'strange', { outlays: [SHOES, TAX, COVER, { ...COVER, id: 'h9', receipt: 'cd'.repeat(32) }] }],
  ['a dispute that nobody raised', 'strange', { disputes: [DISPUTE, { ...DISPUTE, id: 'd2', order: 'o9' }] }],
])('%s is %s', (_what, word, change) => {
  expect(compare(ALL_DEEDS, WITH_RETURNS, ALL_DEEDS)).toEqual({ lost: [], doubled: [], strange: [] })
  expect(compare(ALL_DEEDS, { ...WITH_RETURNS, ...change }, ALL_DEEDS)[word]).toHaveLength(1)
})

const PAUSE = tried(18, 'autopay-pause', 'pause', { key: 'none' })
const RESUME = tried(19, 'autopay-resume', 'resume', { key: 'none' })
const MANDATE = { member: '1001', state: 'paused', paid: [] }

test('the newest wish about AutoPay that was acknowledged stands', () => {
  const lostIn = (operations: readonly Operation[], state: string) =>
    compare(operations, { ...LEDGER, mandates: [{ ...MANDATE, state }] }, operations).lost
  expect(lostIn([...OPERATIONS, RESUME, PAUSE], 'paused')).toEqual([])
  expect(lostIn([...OPERATIONS, RESUME, PAUSE], 'on')).toHaveLength(1)
  expect(lostIn([...OPERATIONS, PAUSE, RESUME], 'paused')).toHaveLength(1)
  // Without an answer it may have happened or not.
  expect(lostIn([...OPERATIONS, RESUME, { ...PAUSE, effects: [] }], 'on')).toEqual([])
})

test('a debit of a mandate needs no order of a client, and a second one within 27 days is doubled', () => {
  const debit = { ...TOPUP, order: 'o7', isDebit: true }
  const paid: Operation = { ...PAYMENT, id: 20, kind: 'debit', subject: 'o7', effects: ['o7'] }
  const ledger = (days: readonly number[]): Ledger => ({ ...LEDGER, orders: [TOPUP, debit], mandates: [{ ...MANDATE, paid: days }] })
  expect(found([...OPERATIONS, paid], ledger([10, 37]))).toEqual([0, 0, 0])
  expect(found([...OPERATIONS, paid], ledger([10, 36]))).toEqual([0, 1, 0])
  expect(found(OPERATIONS, ledger([10]))).toEqual([0, 0, 1])
})

test('an item may have several first voices, for it is credited by the last', () => {
  const again = tried(17, 'item-credit', firstVoiceOf('5'))
  expect(compare([...ALL_DEEDS, again], WITH_RETURNS, [...ALL_DEEDS, again])).toEqual({ lost: [], doubled: [], strange: [] })
})

test("at rest, the gateway's states and webhooks must be in the ledger", async () => {
  const there =
    (refund: string, dispute: string, heard = true): Gateways =>
    async (what) => ({
      status: what === 'refunds' ? refund : what === 'disputes' ? dispute : 'PAID',
      heard,
    })
  const late = (ledger: Ledger, gateways: Gateways) => findLate(ALL_DEEDS, ledger, gateways)
  expect(await late(WITH_RETURNS, there('PENDING', 'CHARGEBACK_CREATED'))).toEqual([])
  expect(await late(WITH_RETURNS, there('SUCCESS', 'CHARGEBACK_MERCHANT_LOST'))).toHaveLength(1)
  expect(await late({ ...WITH_RETURNS, refunds: [{ ...REFUND, status: 'paid' }] }, there('FAILED', 'DISPUTE_MERCHANT_LOST'))).toHaveLength(
    1,
  )
  expect(await late(WITH_RETURNS, there('PENDING', 'CHARGEBACK_MERCHANT_WON'))).toHaveLength(1)
  expect(await late({ ...WITH_RETURNS, items: [] }, there('PENDING', 'ARBITRATION_CREATED'))).toHaveLength(1)
  expect(await late({ ...WITH_RETURNS, disputes: [] }, there('PENDING', 'RETRIEVAL_CREATED'))).toHaveLength(1)
  // Without an answered webhook the server cannot know.
  expect(await late({ ...WITH_RETURNS, items: [], disputes: [] }, there('PENDING', 'CHARGEBACK_CREATED', false))).toEqual([])
})
