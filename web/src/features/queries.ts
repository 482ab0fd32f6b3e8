/**
 * The queries that several screens share.
 * - A call that moves money or joins a round invalidates all of the member's own queries together.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query.ts'
import { session } from '../app/session.tsx'
import { isFirstScreen } from '../ui/Later.tsx'
import { setServerTime } from './clock.ts'

/** The round is polled every 30 s. */
export const ROUND_POLL_MS = 30_000

export type RoundResult = Output<Api['roundHistory']>['results'][number]
export type TimedRound = Output<Api['currentRound']> & { readonly skewMs: number }

/** The server opens the next round in its tick of 1 s. A request exactly at midnight would return the old round. */
export const AFTER_MIDNIGHT_MS = 1500

export const roundQuery = queryOptions({
  queryKey: ['round'],
  queryFn: async ({ signal }): Promise<TimedRound> => {
    const round = await call('currentRound', { signal })
    followRound(queryClient.getQueryData<TimedRound>(['round']), round)
    // The countdown uses the server's clock, because the device's may be wrong by hours.
    return { ...round, skewMs: setServerTime(round.serverTime) }
  },
  refetchInterval: ROUND_POLL_MS,
})

const marksOf = ({ id, hasParticipated, lastWinner, lastImpactStory }: Output<Api['currentRound']>): string =>
  `${id} ${hasParticipated} ${lastWinner?.date} ${lastImpactStory?.date} ${lastImpactStory?.title}`

/**
 * A change here means a new day, a reward, a join made automatically or on another device, or a story. Money has moved, or a story
 * counts in the member's figures, without a call from this page.
 */
function followRound(before: TimedRound | undefined, now: Output<Api['currentRound']>): void {
  if (before === undefined || marksOf(before) === marksOf(now)) return
  refreshMoney()
  void queryClient.invalidateQueries({ queryKey: homeQuery.queryKey })
}

/** Parts of a screen that appear one after another share an answer. */
const OPENING_MS = 3000
export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => call('home', { signal }),
  staleTime: OPENING_MS,
})
export const roundStatsQuery = queryOptions({ queryKey: ['mine', 'round-stats'], queryFn: ({ signal }) => call('roundStats', { signal }) })
export const impactStatsQuery = queryOptions({
  queryKey: ['mine', 'impact-stats'],
  queryFn: ({ signal }) => call('impactStats', { signal }),
})
export const profileQuery = queryOptions({ queryKey: ['mine', 'profile'], queryFn: ({ signal }) => call('profile', { signal }) })

export const devicesQuery = queryOptions({ queryKey: ['mine', 'sessions'], queryFn: ({ signal }) => call('sessions', { signal }) })

/** The query parameters of a page: none for the first page. */
const at = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

/** A list, page by page. */
export const pagesOf = <const Key extends readonly unknown[], Page extends { readonly nextCursor: string | null }>(
  queryKey: Key,
  read: (page: ReturnType<typeof at>, signal: AbortSignal) => Promise<Page>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(at(pageParam), signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })

export const transactionsQuery = pagesOf(['mine', 'transactions'], async (page, signal) => {
  try {
    const [transactions, takeMember] = await Promise.all([
      call('transactions', { query: page, signal }),
      page.cursor === undefined ? memberBeside() : undefined,
    ])
    return { ...transactions, takeMember }
  } catch (error) {
    if (!signal.aborted) console.warn('Failed to load transactions:', error)
    throw error
  }
})

/** The history screen draws and counts the newest month whole, so a page must contain at least one month. */
const MONTH_DAYS_MAX = 31
export const historyQuery = pagesOf(['mine', 'history'], (page, signal) =>
  call('roundHistory', { query: { ...page, limit: MONTH_DAYS_MAX }, signal }),
)

export const storiesQuery = pagesOf(['stories'], (page, signal) => call('stories', { query: page, signal }))

export const refundsQuery = pagesOf(['mine', 'refunds'], (page, signal) => call('refunds', { query: page, signal }))

export const preferencesQuery = queryOptions({
  queryKey: ['mine', 'preferences'],
  queryFn: ({ signal }) => call('preferences', { signal }),
})

export const noticesQuery = pagesOf(['mine', 'notices'], (page, signal) => call('notifications', { query: page, signal }))

export const storyMuteQuery = (id: string) =>
  queryOptions({ queryKey: ['mine', 'mute', id], queryFn: ({ signal }) => call('storyMute', { params: { id }, signal }) })

/** After a join, a top-up or a withdrawal: reloads the member's own figures and lists. */
export const refreshMine = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['mine'] })
/** Also reloads the round and the public figures. */
export const refreshRound = async (): Promise<void> => {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: roundQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: homeQuery.queryKey }),
    refreshMine(),
  ])
}

/** After a refusal or a lost answer, the balance and the lists on the screen may be out of date. Does not wait for the answers. */
export function refreshMoney(): void {
  void refreshMember()
  void refreshMine()
}

/**
 * Requests the member's record along with the newest payments, which another tab may have made. Its failure fails both, so that the
 * old payments stay beside the old balance.
 * Returns a function that applies it; the screen calls it when it draws the payments.
 */
async function memberBeside(): Promise<(() => void) | undefined> {
  const before = session.get()
  // On the first screen, the session has requested the same record just now.
  if (isFirstScreen() || before.status !== 'member') return undefined
  const { user, announcements } = await call('me')
  return () => {
    // Skips the record if another call has reported a newer balance meanwhile.
    if (session.get() === before) session.setUser(user, announcements)
  }
}

/** Reloads the signed-in member's record. On failure the current record stays. */
export async function refreshMember(): Promise<void> {
  const before = session.get()
  if (before.status !== 'member') return
  try {
    const { user, announcements } = await call('me')
    // Another call has reported a newer balance meanwhile, and this answer may be older: request it again.
    if (session.get() !== before) return await refreshMember()
    session.setUser(user, announcements)
  } catch (error) {
    console.warn('Failed to refresh the member:', error)
  }
}
