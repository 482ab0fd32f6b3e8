/** Tests that the API document describes each call as the contract does. */
import { api, type CallName } from '@roz/contract/api.ts'
import { expect, test } from 'vitest'
import { TEST_MODES } from '../testing/modes.ts'
import { openApiDocument } from './openapi.ts'

type Operation = {
  readonly operationId: string
  readonly requestBody?: { readonly required: boolean; readonly content: object }
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}
const { paths } = openApiDocument('Roz', TEST_MODES) as { paths: Record<string, Record<string, Operation>> }
const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
const operationOf = (name: CallName): Operation => operations.find(({ operationId }) => operationId === name) as Operation

test('every call of the contract is in the document exactly once', () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(api).sort())
})

test('a body is required for exactly the calls that are refused without one', () => {
  expect(operationOf('register').requestBody?.required).toBe(true)
  expect(operationOf('uploadAvatar').requestBody?.required).toBe(true)
  expect(operationOf('paymentWebhook').requestBody?.required).toBe(true)
  expect(operationOf('joinRound').requestBody?.required).toBe(false)
  expect(operationOf('logout').requestBody).toBeUndefined()
})

test('the refusals of a wrong body are declared for each call that reads it, also where the call takes none', () => {
  const refused = (name: CallName): string[] => Object.keys(operationOf(name).responses).filter((status) => ['413', '415'].includes(status))
  expect(refused('logout')).toEqual(['413', '415'])
  expect(refused('uploadPoster')).toEqual(['413', '415'])
  expect(refused('paymentWebhook')).toEqual(['413', '415'])
  expect(refused('me')).toEqual(['413'])
})

test('exactly the calls that move money have the Idempotency-Key parameter', () => {
  const isKeyed = (name: CallName): boolean => operationOf(name).parameters.some((parameter) => parameter.name === 'Idempotency-Key')
  const keyed = (Object.keys(api) as CallName[]).filter(isKeyed).sort()
  // A new POST that moves money fails here until its name is added.
  expect(keyed).toEqual([
    'addMoney',
    'approveDisbursement',
    'approveHouseEntry',
    'approveRefund',
    'approveRefunds',
    'approveWithdrawal',
    'approveWithdrawals',
    'askDisbursement',
    'askHouseEntry',
    'askSettlement',
    'askTransfer',
    'closeAccount',
    'closeFinding',
    'completeWithdrawal',
    'correctDisbursement',
    'creditSuspense',
    'joinRound',
    'passOn',
    'paySuspense',
    'recordArrival',
    'recordSettlement',
    'refundSuspense',
    'rejectDisbursement',
    'rejectHouseEntry',
    'rejectRefund',
    'rejectWithdrawal',
    'requestRefund',
    'retryWithdrawal',
    'setUpAutopay',
    'takeOverWithdrawal',
    'translateDisbursement',
    'triggerDraw',
    'withdraw',
    'withdrawalCameBack',
    'withdrawalNotPaid',
  ])
})

test('path parameters are required', () => {
  expect(operationOf('verifyOrder').parameters).toEqual([expect.objectContaining({ name: 'orderId', in: 'path', required: true })])
})

test('refusals of a call that answers in plain text are described as plain text too', () => {
  expect(Object.keys(operationOf('verifyEmail').responses['400']?.content ?? {})).toEqual(['application/json', 'text/plain'])
})
