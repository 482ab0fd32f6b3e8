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
/** Open lines by which a payment of this amount may have come back, of the newest hundred. */
export const returnLinesQuery = (amount: number, since: string | null) =>
  queryOptions({
    queryKey: ['admin', 'bank-lines', 'returns', amount, since],
    queryFn: async ({ signal }) => {
      const { lines } = await call('bankLines', { query: { status: 'open', limit: 100 }, signal })
      return lines.filter((line) => line.amount === amount && line.day >= (since ?? '').slice(0, 10))
    },
  })
/** A line with the words of the bank: asks for a step-up. */
export const bankLineQuery = (id: string) =>
  queryOptions({
    queryKey: ['admin', 'bank-lines', id],
    queryFn: ({ signal }) => steppedUp(() => call('bankLine', { params: { id }, signal })),
    ...QUIETLY,
  })
