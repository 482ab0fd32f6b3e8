/** Queries of our bank accounts and their statements. */
import type { Api, Output } from '@roz/contract/api.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../../app/api.ts'
import { at, paging } from '../../queries.ts'
import { QUIETLY } from '../queries.ts'
import { steppedUp } from '../step-up.ts'

export type BankAccount = Output<Api['bankAccounts']>['accounts'][number]
export type BankLine = Output<Api['bankLines']>['lines'][number]

export const bankAccountsQuery = queryOptions({
  queryKey: ['admin', 'bank-accounts'],
  queryFn: ({ signal }) => call('bankAccounts', { signal }),
})
export const bankLinesQuery = infiniteQueryOptions({
  queryKey: ['admin', 'bank-lines'],
  queryFn: ({ pageParam, signal }) => call('bankLines', { query: at(pageParam), signal }),
  ...paging,
})
/** A line with the words of the bank: asks for a step-up. */
export const bankLineQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'bank-lines', id],
    queryFn: ({ signal }) => steppedUp(() => call('bankLine', { params: { id }, signal })),
    ...QUIETLY,
  })
