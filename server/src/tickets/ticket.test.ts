import { createHmac, randomBytes } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { ticketOf } from './ticket.ts'

test('a ticket is the HMAC that the protocol defines, for any key and day', () => {
  for (let index = 0; index < 500; index++) {
    const key = randomBytes(32)
    const day = `2026-11-${String(10 + (index % 20))}` as IstDay
    expect(ticketOf(key, day)).toEqual(createHmac('sha256', key).update(`roz/v1/ticket\n${day}`).digest())
  }
})

test('a key that is not 32 bytes long is refused', () => {
  expect(() => ticketOf(randomBytes(31), '2026-11-21' as IstDay)).toThrow('32 bytes')
})
