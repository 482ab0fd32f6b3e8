import { expect, test } from 'vitest'
import { parsePayoutWebhook } from './cashfree-payouts.ts'
import { beneficiaryStateOf, readTransfer, transferStateOf, wireBeneficiary, wireTransfer } from './wire.ts'

test.each([
  ['SUCCESS', 'paid'],
  ['FAILED', 'failed'],
  ['REJECTED', 'failed'],
  ['MANUALLY_REJECTED', 'failed'],
  ['REVERSED', 'reversed'],
  ['RECEIVED', 'pending'],
  ['APPROVAL_PENDING', 'pending'],
  ['QUEUED', 'pending'],
  ['PENDING', 'pending'],
  ['success', 'pending'],
  ['SOMETHING_NEW', 'pending'],
  ['', 'pending'],
  ['constructor', 'pending'],
])('a transfer with status %s is %s', (word, state) => {
  expect(transferStateOf(word)).toBe(state)
})

test.each([
  ['VERIFIED', 'ready'],
  ['INITIATED', 'checking'],
  ['SOMETHING_NEW', 'checking'],
  ['INVALID', 'unusable'],
  ['CANCELLED', 'unusable'],
  ['FAILED', 'unusable'],
  ['DELETED', 'unusable'],
])('a beneficiary with status %s is %s', (word, state) => {
  expect(beneficiaryStateOf(word)).toBe(state)
})

// The example answer of a transfer in Cashfree's documents (standard-transfer-v2).
const DOCUMENTED = {
  transfer_id: 'JUNOB2018',
  cf_transfer_id: '123456',
  status: 'RECEIVED',
  status_code: 'RECEIVED',
  status_description: 'The transfer has been received by Cashfree successfully for further processing.',
  beneficiary_details: { beneficiary_id: 'JOHN18011' },
  transfer_amount: 1,
  transfer_mode: 'BANK',
  fundsource_id: 'CASHFREE_1',
  added_on: '2021-11-24T13:39:25Z',
  updated_on: '2021-11-24T13:40:27Z',
}

test('the documented answer is parsed, also with a numeric id and without optional fields', () => {
  const read = {
    transferId: 'JUNOB2018',
    gatewayId: '123456',
    state: 'pending',
    status: 'RECEIVED',
    statusCode: 'RECEIVED',
    description: DOCUMENTED.status_description,
    amount: 100n,
    currency: 'INR',
    bankReference: undefined,
    toldAtMs: Date.parse('2021-11-24T13:40:27Z'),
  }
  expect(readTransfer(wireTransfer.parse(DOCUMENTED))).toEqual(read)
  expect(readTransfer(wireTransfer.parse({ ...DOCUMENTED, cf_transfer_id: 123_456, transfer_utr: '' }))).toEqual(read)
  expect(readTransfer(wireTransfer.parse({ ...DOCUMENTED, transfer_currency: 'USD' }))).toEqual({ ...read, currency: 'USD' })
  expect(readTransfer(wireTransfer.parse({ ...DOCUMENTED, status: 'SOMETHING_NEW' })).strangeWords).toEqual(['SOMETHING_NEW'])
  const bare = { transfer_id: 'JUNOB2018', status: 'FAILED', transfer_amount: 1.5 }
  expect(readTransfer(wireTransfer.parse(bare))).toMatchObject({
    state: 'failed',
    amount: 150n,
    gatewayId: undefined,
    statusCode: undefined,
  })
})

test('an amount that is not whole paise or an answer without status is refused', () => {
  for (const change of [{ transfer_amount: 1.001 }, { transfer_amount: '1' }, { transfer_amount: -1 }, { status: undefined }]) {
    expect(wireTransfer.safeParse({ ...DOCUMENTED, ...change }).success).toBe(false)
  }
  expect(wireBeneficiary.safeParse({ beneficiary_id: 'x' }).success).toBe(false)
})

test('a webhook names its transfer, other kinds are `other`, and a body that is no event is undefined', () => {
  const parse = (event: unknown) => parsePayoutWebhook(Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)))
  const data = { ...DOCUMENTED, status: 'REVERSED' }
  for (const type of [
    'TRANSFER_SUCCESS',
    'TRANSFER_ACKNOWLEDGED',
    'TRANSFER_FAILED',
    'TRANSFER_REVERSED',
    'TRANSFER_REJECTED',
    'TRANSFER_APPROVED',
  ]) {
    expect(parse({ data, event_time: '2024-07-25T17:43:37', type })).toEqual({
      kind: 'transfer',
      eventKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      type,
      transferId: 'JUNOB2018',
    })
  }
  for (const type of ['BULK_TRANSFER_REJECTED', 'BENEFICIARY_INCIDENT', 'CREDIT_CONFIRMATION', 'LOW_BALANCE_ALERT', 'TRANSFER_NEW']) {
    expect(parse({ data: { batch_transfer_id: 'x' }, type })).toMatchObject({ kind: 'other', type })
  }
  expect(parse({ type: 'TRANSFER_SUCCESS' })).toMatchObject({ kind: 'other' })
  for (const text of ['', '{', '[]', 'null', '7', '{"type":7}', '{"data":{}}']) expect(parse(text)).toBe(undefined)
})
