/** This device's findings about the member's own entries. Each day is checked once while the app is open. */
import type { User } from '@roz/contract/shapes.ts'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { call } from '../../app/api.ts'
import { queryClient } from '../../app/query.ts'
import { useMember } from '../../app/session.tsx'
import { useServerDay } from '../clock.ts'
import { ROUND_POLL_MS, roundQuery } from '../queries.ts'
import type { Finding } from './check-ticket.ts'
import { keptReceipt } from './kept-receipts.ts'

/** A list that is not sealed yet is checked again every 5 minutes. */
const AGAIN_MS = 5 * 60_000
const NOT_JOINED = { state: 'not-joined', hasReceipt: false, evidence: '' } as const

export const latestRoundsQuery = queryOptions({
  queryKey: ['mine', 'latest-rounds'],
  queryFn: ({ signal }) => call('roundHistory', { query: { limit: 3 }, signal }),
})

export const ticketQuery = (memberId: string, day: string) =>
  queryOptions({
    queryKey: ['ticket', memberId, day],
    queryFn: async (): Promise<Finding> => {
      // Lateness is measured by the server's clock: a device with a slow clock must not wait forever.
      const [{ checkTicket }] = await Promise.all([
        import('./check-ticket.ts'),
        queryClient.fetchQuery({ ...roundQuery, staleTime: ROUND_POLL_MS }),
      ])
      return checkTicket(memberId, day)
    },
    staleTime: (query) => (query.state.data?.state === 'waiting' ? AGAIN_MS : Number.POSITIVE_INFINITY),
    refetchInterval: (query) => (query.state.data?.state === 'waiting' ? AGAIN_MS : false),
  })

/**
 * Yesterday's entry. The check is skipped only if the history says that the member did not join and this device has no receipt.
 * The history does not contain a day that is still to be drawn.
 */
async function lookAtYesterday({ id: memberId, createdAt }: User, day: IstDay): Promise<Finding> {
  if (dayAt(Date.parse(createdAt)) > day) return { ...NOT_JOINED, day }
  const [{ results }] = await Promise.all([
    queryClient.fetchQuery({ ...latestRoundsQuery, staleTime: ROUND_POLL_MS }),
    queryClient.fetchQuery({ ...roundQuery, staleTime: ROUND_POLL_MS }),
  ])
  const drawn = results.find(({ date }) => date === day)
  if (drawn?.participated === false && keptReceipt(memberId, day) === undefined) return { ...NOT_JOINED, day }
  return queryClient.fetchQuery(ticketQuery(memberId, day))
}

export function useYesterdaysTicket(): UseQueryResult<Finding> {
  const member = useMember()
  const round = useQuery({ ...roundQuery, refetchInterval: false, staleTime: ROUND_POLL_MS })
  // Requested together with the round, not after it, so that the screen loads in one step.
  const latest = useQuery({ ...latestRoundsQuery, staleTime: ROUND_POLL_MS })
  const day = addDays(useServerDay(), -1)
  return useQuery({
    ...ticketQuery(member.id, day),
    queryKey: ['ticket-watch', member.id, day],
    queryFn: () => lookAtYesterday(member, day),
    // Before the server's time is known, yesterday may be another day. A failed query does not block the check:
    // the check repeats the request itself and reports its failure.
    enabled: round.isFetched && latest.isFetched,
    retry: false,
  })
}
