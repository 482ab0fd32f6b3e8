import { expect, test } from 'vitest'
import { isVoided, knownStatus, toneOf } from './transaction-status.ts'

test.each([
  ['green', 'good', ['completed', 'success', 'Completed', 'SUCCESS']],
  ['yellow', 'waiting', ['pending', 'processing', 'PENDING']],
  ['red', 'bad', ['failed', 'rejected', 'Failed']],
  ['grey', 'plain', ['expired', 'returned', 'closed', 'reversed', 'on hold', '', 'constructor']],
])("a transaction's status is shown in %s", (_colour, tone, statuses) => {
  for (const status of statuses) expect(toneOf(status), status).toBe(tone)
})

test('an unknown status has no translation', () => {
  expect(['Completed', 'EXPIRED'].map(knownStatus)).toEqual(['completed', 'expired'])
  for (const other of ['reversed', '', 'constructor', 'toString']) expect(knownStatus(other)).toBeUndefined()
})

test('a failed, rejected, expired, returned or closed transaction has moved no money', () => {
  expect(['failed', 'Rejected', 'EXPIRED', 'returned', 'closed'].map(isVoided)).toEqual([true, true, true, true, true])
  expect(['completed', 'success', 'pending', 'processing', 'reversed'].map(isVoided)).toEqual([false, false, false, false, false])
})
