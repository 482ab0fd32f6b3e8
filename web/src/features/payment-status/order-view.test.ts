import { expect, test } from 'vitest'
import { orderIdOf, orderView, recheckDelayMs } from './order-view.ts'

const answer = (success: boolean, order_status: string) => ({
  success,
  orderUserDetails: { order_id: 'o1', order_amount: 12.5, order_status },
})

test('an order succeeds by its flag or by PAID, is pending by PENDING, and has failed otherwise', () => {
  expect(orderView(answer(true, 'PENDING'), 5)).toEqual({
    orderId: 'o1',
    amountRupees: 12.5,
    status: 'success',
    createdAtMs: 5,
    isFinal: true,
  })
  expect(orderView(answer(false, 'PAID'), 5).status).toBe('success')
  expect(orderView(answer(false, 'PENDING'), 5).status).toBe('pending')
  for (const other of ['FAILED', 'EXPIRED', 'TERMINATED', 'NEW']) expect(orderView(answer(false, other), 5).status).toBe('failed')
})

test('a pending or failed order may still be paid, and an expired or terminated one may not', () => {
  expect(['PENDING', 'FAILED'].map((status) => orderView(answer(false, status), 5).isFinal)).toEqual([false, false])
  expect(['PAID', 'EXPIRED', 'TERMINATED'].map((status) => orderView(answer(false, status), 5).isFinal)).toEqual([true, true, true])
})

test('the order id is read as text, even if it is repeated or long', () => {
  expect(orderIdOf('?order_id=123456789012345678901')).toBe('123456789012345678901')
  expect(orderIdOf('?order_id={order_id}&order_id=a1')).toBe('a1')
  expect(orderIdOf('?order_id=')).toBeUndefined()
  expect(orderIdOf('')).toBeUndefined()
})

test('a pending order is checked after 2 s, then ever later: every 15 s, and after five minutes every minute', () => {
  expect([1, 2, 3, 8, 24, 25, 400].map(recheckDelayMs)).toEqual([2000, 4000, 6000, 15_000, 15_000, 60_000, 60_000])
})
