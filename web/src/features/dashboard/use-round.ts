/** The round of the day, polled; a failure is a toast once, not every half minute. */
import { useLingui } from '@lingui/react/macro'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { messageOf } from '../../app/api.ts'
import { toast } from '../../ui/Toast.tsx'
import { type CurrentRound, roundQuery } from '../queries.ts'

export type RoundResult = UseQueryResult<CurrentRound>

export function useRound(): RoundResult {
  const { t } = useLingui()
  const round = useQuery(roundQuery)
  const { isError, isSuccess, error } = round
  const tell = useEffectEvent(() => toast.error(messageOf(error, t`Failed to fetch round details`)))
  // With nothing to show yet, every new attempt is no error until it fails too: only an answer ends the silence.
  const told = useRef(false)
  useEffect(() => {
    if (isSuccess) told.current = false
    if (!isError || told.current) return
    told.current = true
    tell()
  }, [isError, isSuccess])
  return round
}
