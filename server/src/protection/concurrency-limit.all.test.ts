/** Tests the concurrency limit, and the password hashing that uses it. */
import { expect, test } from 'vitest'
import { UnavailableError } from '../http/faults.ts'
import { createGate } from './concurrency-limit.ts'
import { hashPassword, isPassword } from '../members/passwords.ts'

test('work beyond the limit waits in a bounded queue, in order, and is refused at once when the queue is full', async () => {
  const gate = createGate({ inFlightMax: 2, waitingMax: 3 })
  let running = 0
  let most = 0
  const order: number[] = []
  const work = (n: number) =>
    gate(async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 10))
      running--
      order.push(n)
      if (n === 1) throw new Error('this one fails and still makes room')
      return n
    })
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6].map(work))
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect((results[6] as PromiseRejectedResult).reason).toBeInstanceOf(UnavailableError)
  expect(most).toBe(2)
  expect(order.slice(0, 2).sort()).toEqual([0, 1])
  expect(order.slice(2)).toEqual([2, 3, 4])
  expect(await work(7)).toBe(7)
})

test('a hash accepts its own password only, in any length and script', async () => {
  for (const password of ['secret', 'पासवर्ड', 'x'.repeat(128), '😀😀😀']) {
    const hash = await hashPassword(password)
    expect([await isPassword(hash, password), await isPassword(hash, `${password} `), await isPassword(undefined, password)]).toEqual([
      true,
      false,
      false,
    ])
  }
})

test('password checks beyond 3 running and 256 queued are refused', async () => {
  const results = await Promise.allSettled(Array.from({ length: 300 }, () => isPassword(undefined, 'x')))
  const refused = results.filter((result) => result.status === 'rejected')
  expect(refused).toHaveLength(300 - 3 - 256)
  expect(refused[0]?.reason).toBeInstanceOf(UnavailableError)
})
