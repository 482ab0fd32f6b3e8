/** Queries of our bank accounts and their statements. */
import type { Api, Output } from '@roz/contract/api.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../app/api.ts'
import { pagesOf } from '../../queries.ts'
import { QUIETLY } from '../queries.ts'
import { steppedUp } from '../step-up.ts'

export type BankAccount = Output<Api['bankAccounts']>['accounts'][number]
export type BankLine = Output<Api['bankLines']>['lines'][number]

export const bankAccountsQuery = queryOptions({
  queryKey: ['admin', 'bank-accounts'],
  queryFn: ({ signal }) => call('bankAccounts', { signal }),
})
export const bankLinesQuery = pagesOf(['admin', 'bank-lines'], (page, signal) => call('bankLines', { query: page, signal }))
/** The newest lines by which a payment by hand may have come back. */
export const returnLinesQuery = (returnOf: string) =>
  queryOptions({
    queryKey: ['admin', 'bank-lines', 'returns', returnOf],
    queryFn: async ({ signal }) => (await call('bankLines', { query: { returnOf, limit: 100 }, signal })).lines,
  })
/** A line with the words of the bank: asks for a step-up. */
export const bankLineQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'bank-lines', id],
    queryFn: ({ signal }) => steppedUp(() => call('bankLine', { params: { id }, signal })),
    ...QUIETLY,
  })
