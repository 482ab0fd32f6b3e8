/** The API document says of each call what the contract does. */
import { api, type CallName } from '@roz/contract/api.ts'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'

type Operation = {
  readonly operationId: string
  readonly requestBody?: { readonly required: boolean; readonly content: object }
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}
const { paths } = openApiDocument('Roz') as { paths: Record<string, Record<string, Operation>> }
const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
const operationOf = (name: CallName): Operation => operations.find(({ operationId }) => operationId === name) as Operation

test('every call of the contract stands in it once', () => {
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(api).sort())
})

test('a body is required where the call is refused without one', () => {
  expect(operationOf('register').requestBody?.required).toBe(true)
  expect(operationOf('uploadAvatar').requestBody?.required).toBe(true)
  expect(operationOf('cashfreeWebhook').requestBody?.required).toBe(true)
  expect(operationOf('joinRound').requestBody?.required).toBe(false)
  expect(operationOf('logout').requestBody).toBeUndefined()
})

test('calls that move money name the Idempotency-Key, and others do not', () => {
  const isKeyed = (name: CallName): boolean => operationOf(name).parameters.some((parameter) => parameter.name === 'Idempotency-Key')
  const keyed = (Object.keys(api) as CallName[]).filter(isKeyed).sort()
  // Whoever adds a POST that moves money finds its name missing here.
  expect(keyed).toEqual([
    'addMoney',
    'approveRefund',
    'approveWithdrawal',
    'closeAccount',
    'completeWithdrawal',
    'creditSuspense',
    'joinRound',
    'paySuspense',
    'refundSuspense',
    'rejectRefund',
    'rejectWithdrawal',
    'requestRefund',
    'retryWithdrawal',
    'takeOverWithdrawal',
    'triggerDraw',
    'withdraw',
    'withdrawalNotPaid',
  ])
})

test('parameters of the address are required', () => {
  expect(operationOf('verifyOrder').parameters).toEqual([expect.objectContaining({ name: 'orderId', in: 'path', required: true })])
})

test('a call that answers in plain text says so of its refusals too', () => {
  expect(Object.keys(operationOf('verifyEmail').responses['400']?.content ?? {})).toEqual(['application/json', 'text/plain'])
})
