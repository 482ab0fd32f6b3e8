/** What the portal asks the server for. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { queryClient } from '../../query.ts'
import { at, paging } from '../queries.ts'

export const adminStatsQuery = queryOptions({ queryKey: ['admin', 'stats'], queryFn: ({ signal }) => call('adminStats', { signal }) })

export const adminUsersQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'users', q],
    queryFn: ({ pageParam, signal }) => call('adminUsers', { query: { ...at(pageParam), ...(q === '' ? {} : { q }) }, signal }),
    ...paging,
  })

export const adminStoriesQuery = infiniteQueryOptions({
  queryKey: ['admin', 'stories'],
  queryFn: ({ pageParam, signal }) => call('storiesAdmin', { query: at(pageParam), signal }),
  ...paging,
})

/** After a draw or an edit: figures, members' wallets and stories may all have changed. */
export const refreshPortal = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['admin'] })
