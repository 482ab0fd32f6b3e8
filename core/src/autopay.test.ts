import { describe, expect, test } from 'vitest'
import {
  AUTOPAY_STATES,
  type AutopayState,
  dayAfterFailure,
  isLateCharge,
  mayRaiseAt,
  mayStillSend,
  nextQuestionMs,
  stateAfter,
} from './autopay.ts'
import type { IstDay } from './ist-day.ts'

const at = (text: string): number => Date.parse(`${text}+05:30`)
const DAY = '2026-03-05' as IstDay
const standing = (state: AutopayState, more = {}) => ({ state, isPaused: false, failures: 0, ...more })

describe('the state after the gateway has told its status', () => {
  test('a setup is on once the gateway says ACTIVE, and waits for the bank before', () => {
    expect(stateAfter(standing('setup'), 'INITIALIZED')).toBe('setup')
    expect(stateAfter(standing('setup'), 'BANK_APPROVAL_PENDING')).toBe('bank')
    expect(stateAfter(standing('bank'), 'ACTIVE')).toBe('on')
  })

  test('a pause in the UPI app ends to the member’s own pause, to resting, or to on', () => {
    expect(stateAfter(standing('on'), 'CUSTOMER_PAUSED')).toBe('payer_paused')
    expect(stateAfter(standing('payer_paused'), 'ACTIVE')).toBe('on')
    expect(stateAfter(standing('payer_paused', { isPaused: true }), 'ACTIVE')).toBe('paused')
    expect(stateAfter(standing('payer_paused', { failures: 3 }), 'ACTIVE')).toBe('resting')
  })

  test('an unknown word changes no state, and is never on', () => {
    for (const state of AUTOPAY_STATES) expect(stateAfter(standing(state), 'UNKNOWN')).toBe(state)
  })

  test('our stop stands until the gateway confirms it, and its final status wins over every open state', () => {
    expect(stateAfter(standing('stopping'), 'ACTIVE')).toBe('stopping')
    expect(stateAfter(standing('stopping'), 'CUSTOMER_PAUSED')).toBe('stopping')
    for (const status of ['CANCELLED', 'CUSTOMER_CANCELLED', 'COMPLETED', 'EXPIRED'] as const)
      expect(stateAfter(standing('stopping'), status)).toBe('stopped')
    expect(stateAfter(standing('on'), 'CUSTOMER_CANCELLED')).toBe('payer_stopped')
    expect(stateAfter(standing('paused', { isPaused: true }), 'COMPLETED')).toBe('ended')
    expect(stateAfter(standing('setup'), 'EXPIRED')).toBe('lapsed')
  })

  test('what has ended stays as it ended', () => {
    for (const state of ['stopped', 'payer_stopped', 'ended', 'lapsed'] as const) expect(stateAfter(standing(state), 'ACTIVE')).toBe(state)
  })
})

test('after a failure the next debit waits three days, then seven, then for the member', () => {
  expect([1, 2, 3].map((failures) => dayAfterFailure('2026-12-30' as IstDay, failures))).toEqual(['2027-01-02', '2027-01-06', undefined])
})

test('debits are raised from 06:00 until 20:30 in Kolkata', () => {
  expect(
    ['05:59:59', '06:00:00', '20:29:59', '20:30:00', '21:00:00', '00:00:00'].map((time) => mayRaiseAt(at(`2026-12-31T${time}`))),
  ).toEqual([false, true, true, false, false, false])
})

test('a debit is sent again until 20:30 of the evening before its day', () => {
  expect(mayStillSend(DAY, at('2026-03-04T20:29:59'))).toBe(true)
  expect(mayStillSend(DAY, at('2026-03-04T20:30:00'))).toBe(false)
})

test('a debit is asked about at 10:30, 17:30 and the end of its day, a day and three days later, and is late after five', () => {
  const asked: string[] = []
  for (let now = at('2026-03-03T07:00:00'); asked.length < 7; ) {
    now = nextQuestionMs(DAY, now)
    asked.push(new Date(now + 19_800_000).toISOString().slice(0, 16))
  }
  expect(asked).toEqual([
    '2026-03-05T10:30',
    '2026-03-05T17:30',
    '2026-03-06T00:00',
    '2026-03-07T00:00',
    '2026-03-09T00:00',
    '2026-03-11T00:00',
    '2026-03-12T00:00',
  ])
  expect(isLateCharge(DAY, at('2026-03-10T23:59:59'))).toBe(false)
  expect(isLateCharge(DAY, at('2026-03-11T00:00:00'))).toBe(true)
})
