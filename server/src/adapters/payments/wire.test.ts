import { paise } from '@roz/core/money.ts'
import { describe, expect, test } from 'vitest'
import type { OrderStatus, Payment, PaymentStatus } from './port.ts'
import { isFinal, TOPUP_STATE_OF } from './port.ts'
import { orderStatusOf, readPayments, readRefund, refundStateOf, strangeWordsOf, wirePayments, wireRefund } from './wire.ts'

const attempt = (status: PaymentStatus): Payment => ({
  paymentId: '1',
  status,
  orderAmount: paise(1000n),
  paymentAmount: paise(1000n),
  currency: 'INR',
  group: 'upi',
  message: undefined,
  bankReference: undefined,
  paidAtMs: 0,
})

describe('the status of an order', () => {
  const rows: [string, PaymentStatus[], OrderStatus][] = [
    ['PAID', ['SUCCESS'], 'PAID'],
    ['PAID', ['FAILED', 'SUCCESS'], 'PAID'],
    ['PAID', ['SUCCESS', 'FAILED'], 'PAID'],
    ['PAID', [], 'PENDING'],
    ['PAID', ['FAILED'], 'PENDING'],
    ['ACTIVE', [], 'PENDING'],
    ['ACTIVE', ['PENDING'], 'PENDING'],
    ['ACTIVE', ['NOT_ATTEMPTED'], 'PENDING'],
    ['ACTIVE', ['FAILED'], 'FAILED'],
    ['ACTIVE', ['USER_DROPPED'], 'FAILED'],
    ['ACTIVE', ['CANCELLED'], 'FAILED'],
    ['ACTIVE', ['FAILED', 'PENDING'], 'PENDING'],
    ['ACTIVE', ['PENDING', 'FAILED'], 'FAILED'],
    ['ACTIVE', ['VOID'], 'PENDING'],
    ['ACTIVE', ['FLAGGED'], 'PENDING'],
    ['ACTIVE', ['UNKNOWN'], 'PENDING'],
    ['ACTIVE', ['SUCCESS'], 'PENDING'],
    ['TERMINATION_REQUESTED', ['FAILED'], 'PENDING'],
    ['EXPIRED', [], 'EXPIRED'],
    ['EXPIRED', ['PENDING'], 'EXPIRED'],
    ['TERMINATED', ['FAILED'], 'TERMINATED'],
    ['SOMETHING_NEW', ['FAILED'], 'PENDING'],
    ['', [], 'PENDING'],
    ['toString', [], 'PENDING'],
  ]
  test.each(rows)('of %s with attempts %j is %s', (word, statuses, expected) => {
    expect(orderStatusOf(word, statuses.map(attempt))).toBe(expected)
  })
})

test('an expired or terminated order is final only if all its attempts have ended', () => {
  const order = { orderId: 'x', orderAmount: paise(1000n), currency: 'INR', sessionId: 's' }
  expect(isFinal({ ...order, status: 'EXPIRED', payments: [] })).toBe(true)
  expect(isFinal({ ...order, status: 'EXPIRED', payments: [attempt('FAILED')] })).toBe(true)
  expect(isFinal({ ...order, status: 'EXPIRED', payments: [attempt('FAILED'), attempt('PENDING')] })).toBe(false)
  expect(isFinal({ ...order, status: 'TERMINATED', payments: [attempt('UNKNOWN')] })).toBe(false)
  expect(isFinal({ ...order, status: 'EXPIRED', payments: [attempt('SUCCESS')] })).toBe(false)
  expect(isFinal({ ...order, status: 'FAILED', payments: [attempt('FAILED')] })).toBe(false)
  expect(isFinal({ ...order, status: 'PAID', payments: [attempt('SUCCESS')] })).toBe(true)
})

test('every status of an order maps to a state of a top-up', () => {
  expect(TOPUP_STATE_OF).toEqual({ PAID: 'captured', PENDING: 'pending', FAILED: 'failed', EXPIRED: 'expired', TERMINATED: 'failed' })
})

test('recorded payments are parsed with text ids and paise, and sorted oldest first', () => {
  const recorded = {
    cf_payment_id: '12376123',
    order_id: 'o',
    entity: 'payment',
    is_captured: true,
    order_amount: 10,
    order_currency: 'INR',
    payment_amount: 10.35,
    payment_currency: 'INR',
    payment_group: 'upi',
    payment_status: 'SUCCESS',
    payment_message: 'Transaction successful',
    payment_time: '2025-01-15T12:20:29+05:30',
    payment_completion_time: '2025-01-15T12:20:40+05:30',
    bank_reference: '234928698581',
    auth_id: null,
    authorization: null,
    error_details: null,
    payment_method: { upi: { channel: 'collect', upi_id: 'a@b' } },
  }
  const wires = wirePayments.parse([
    recorded,
    { ...recorded, cf_payment_id: 9, payment_status: 'FLAGGED', bank_reference: null },
    { ...recorded, cf_payment_id: 7, payment_status: 'BRAND_NEW', payment_time: '2025-01-15T12:20:28+05:30' },
  ])
  const payments = readPayments(wires)
  expect([strangeWordsOf('PAID', wires), strangeWordsOf('HELD', []), strangeWordsOf('PAID', [])]).toEqual([
    ['BRAND_NEW'],
    ['HELD'],
    undefined,
  ])
  expect(payments.map(({ paymentId, status }) => [paymentId, status])).toEqual([
    ['7', 'UNKNOWN'],
    ['9', 'FLAGGED'],
    ['12376123', 'SUCCESS'],
  ])
  expect(payments[2]).toEqual({
    paymentId: '12376123',
    status: 'SUCCESS',
    orderAmount: 1000n,
    paymentAmount: 1035n,
    currency: 'INR',
    group: 'upi',
    message: 'Transaction successful',
    bankReference: '234928698581',
    paidAtMs: Date.parse('2025-01-15T06:50:29Z'),
  })
})

test.each([
  ['SUCCESS', 'paid'],
  ['CANCELLED', 'failed'],
  ['FAILED', 'failed'],
  ['PENDING', 'pending'],
  ['ONHOLD', 'pending'],
  ['ACTIVE', 'pending'],
  ['', 'pending'],
  ['toString', 'pending'],
])('a refund with status %s is %s', (word, state) => {
  expect(refundStateOf(word)).toBe(state)
})

test('a refund is parsed with numeric ids and without optional fields', () => {
  const wire = {
    refund_id: 'r1',
    order_id: 'o1',
    refund_amount: 10.5,
    refund_status: 'SUCCESS',
    cf_payment_id: 789727431,
    refund_arn: '205907014017',
  }
  expect(readRefund(wireRefund.parse(wire))).toEqual({
    refundId: 'r1',
    orderId: 'o1',
    state: 'paid',
    status: 'SUCCESS',
    description: undefined,
    amount: 1050n,
    currency: 'INR',
    paymentId: '789727431',
    bankReference: '205907014017',
  })
  expect(readRefund(wireRefund.parse({ ...wire, refund_status: 'HELD' })).strangeWords).toEqual(['HELD'])
  const bare = { ...wire, refund_status: 'PENDING', cf_payment_id: null, refund_arn: '' }
  expect(readRefund(wireRefund.parse(bare))).toMatchObject({ state: 'pending', paymentId: undefined, bankReference: undefined })
  for (const change of [{ refund_amount: '10' }, { refund_amount: 1.001 }, { refund_status: undefined }]) {
    expect(wireRefund.safeParse({ ...wire, ...change }).success).toBe(false)
  }
})

test.each([
  [{}, 'INR'],
  [{ order_currency: 'INR', payment_currency: 'INR' }, 'INR'],
  [{ order_currency: 'INR', payment_currency: 'USD' }, 'USD'],
  [{ order_currency: 'USD', payment_currency: 'INR' }, 'USD'],
  [{ payment_currency: '' }, ''],
])('a payment with %o has the currency %s', (told, currency) => {
  const wire = { cf_payment_id: '1', order_id: 'x', payment_status: 'SUCCESS', order_amount: 10, payment_amount: 10, ...told }
  expect(readPayments(wirePayments.parse([wire]))).toMatchObject([{ currency }])
})
