/**
 * What the screens ask the server for, once per thing: several screens share these answers, and
 * whatever moves money or joins a round marks them stale together.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query.ts'
import { session } from '../app/session.tsx'
import { isFirstScreen } from '../ui/Later.tsx'
import { setServerTime } from './clock.ts'

/** Round data is asked for every 30 s (spec section 9). */
export const ROUND_POLL_MS = 30_000

export type RoundResult = Output<Api['roundHistory']>['results'][number]
export type CurrentRound = Output<Api['currentRound']> & { readonly skewMs: number }

export const roundQuery = queryOptions({
  queryKey: ['round'],
  queryFn: async ({ signal }): Promise<CurrentRound> => {
    const round = await call('currentRound', { signal })
    followRound(queryClient.getQueryData<CurrentRound>(['round']), round)
    // The countdown runs by the server's clock; the device's may be wrong by hours.
    return { ...round, skewMs: setServerTime(round.serverTime) }
  },
  refetchInterval: ROUND_POLL_MS,
})

const marksOf = ({ id, hasParticipated, lastWinner }: Output<Api['currentRound']>): string => `${id} ${hasParticipated} ${lastWinner?.date}`

/** A new day, a reward, a join by itself or by another device: money has moved that nothing here has told of. */
function followRound(before: CurrentRound | undefined, now: Output<Api['currentRound']>): void {
  if (before === undefined || marksOf(before) === marksOf(now)) return
  refreshMoney()
  void queryClient.invalidateQueries({ queryKey: homeQuery.queryKey })
}

export const homeQuery = queryOptions({ queryKey: ['home'], queryFn: ({ signal }) => call('home', { signal }) })
export const roundStatsQuery = queryOptions({ queryKey: ['mine', 'round-stats'], queryFn: ({ signal }) => call('roundStats', { signal }) })
export const impactStatsQuery = queryOptions({
  queryKey: ['mine', 'impact-stats'],
  queryFn: ({ signal }) => call('impactStats', { signal }),
})
export const profileQuery = queryOptions({ queryKey: ['mine', 'profile'], queryFn: ({ signal }) => call('profile', { signal }) })

export const devicesQuery = queryOptions({ queryKey: ['mine', 'sessions'], queryFn: ({ signal }) => call('sessions', { signal }) })

/** The query of a page: none for the first. */
export const at = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })
/** How every list goes on to its next page. */
export const paging = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { readonly nextCursor: string | null }): string | undefined => page.nextCursor ?? undefined,
}

export const transactionsQuery = infiniteQueryOptions({
  queryKey: ['mine', 'transactions'],
  queryFn: async ({ pageParam, signal }) => {
    try {
      const [page, takeMember] = await Promise.all([
        call('transactions', { query: at(pageParam), signal }),
        pageParam === undefined ? memberBeside() : undefined,
      ])
      return { ...page, takeMember }
    } catch (error) {
      if (!signal.aborted) console.warn('Failed to load transactions:', error)
      throw error
    }
  },
  ...paging,
})

/** The newest month is drawn and counted as a whole: no page may end within it. */
const MONTH_DAYS_MAX = 31
export const historyQuery = infiniteQueryOptions({
  queryKey: ['mine', 'history'],
  queryFn: ({ pageParam, signal }) => call('roundHistory', { query: { ...at(pageParam), limit: MONTH_DAYS_MAX }, signal }),
  ...paging,
})

export const storiesQuery = infiniteQueryOptions({
  queryKey: ['stories'],
  queryFn: ({ pageParam, signal }) => call('stories', { query: at(pageParam), signal }),
  ...paging,
})

export const refundsQuery = infiniteQueryOptions({
  queryKey: ['mine', 'refunds'],
  queryFn: ({ pageParam, signal }) => call('refunds', { query: at(pageParam), signal }),
  ...paging,
})

export const preferencesQuery = queryOptions({
  queryKey: ['mine', 'preferences'],
  queryFn: ({ signal }) => call('preferences', { signal }),
})

export const noticesQuery = infiniteQueryOptions({
  queryKey: ['mine', 'notices'],
  queryFn: ({ pageParam, signal }) => call('notifications', { query: at(pageParam), signal }),
  ...paging,
})

/** After a join, a top-up or a withdrawal: the member's own figures and lists are asked for anew. */
export const refreshMine = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['mine'] })
/** The round and the public figures as well. */
export const refreshRound = async (): Promise<void> => {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: roundQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: homeQuery.queryKey }),
    refreshMine(),
  ])
}

/** After a refusal or a lost answer: the balance shown may be an old one, and the lists too. Nobody waits for it. */
export function refreshMoney(): void {
  void refreshMember()
  void refreshMine()
}

/** The record that belongs to the newest payments, which another tab may have made: what takes it over, for the screen to call as it draws them. */
async function memberBeside(): Promise<(() => void) | undefined> {
  const before = session.get()
  // The first screen has asked who is here just now.
  if (isFirstScreen() || before.status !== 'member') return undefined
  const me = await call('me').catch(() => undefined)
  return (
    me &&
    (() => {
      // A press that has told of a newer balance meanwhile is right.
      if (session.get() === before) session.setUser(me.user)
    })
  )
}

/** The signed-in member's record anew. What is shown stays when it cannot be had. */
export async function refreshMember(): Promise<void> {
  const before = session.get()
  if (before.status !== 'member') return
  try {
    const { user } = await call('me')
    // A payment of this screen has told of a newer balance meanwhile: this answer may be from before it.
    if (session.get() !== before) return await refreshMember()
    session.setUser(user)
  } catch (error) {
    console.warn('Failed to refresh the member:', error)
  }
}
