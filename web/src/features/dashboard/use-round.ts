/** Today's round, polled. Repeated failures show one toast, not one every 30 s. */
import { useLingui } from '@lingui/react/macro'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { messageOf } from '../../app/api.ts'
import { toast } from '../../ui/Toast.tsx'
import { type TimedRound, roundQuery } from '../queries.ts'

export type RoundQuery = UseQueryResult<TimedRound>

export function useRound(): RoundQuery {
  const { t } = useLingui()
  const round = useQuery(roundQuery)
  const { isError, isSuccess, error } = round
  const tell = useEffectEvent(() => toast.error(messageOf(error, t`Failed to fetch round details`)))
  // While there is no round to show, a retry resets `isError`. So only an answer re-arms the toast.
  const told = useRef(false)
  useEffect(() => {
    if (isSuccess) told.current = false
    if (!isError || told.current) return
    told.current = true
    tell()
  }, [isError, isSuccess])
  return round
}
