/**
 * The first section of a screen, with today's date in the margin. The date follows the server's clock, which the round's answer carries.
 */
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { currentLanguage } from '../app/language.ts'
import { formatDay } from '../ui/format.ts'
import { CardSection } from '../ui/Layout.tsx'
import { useServerDay } from './clock.ts'
import { ROUND_POLL_MS, roundQuery } from './queries.ts'

export function TodaySection({ children }: { readonly children: ReactNode }) {
  const { t } = useLingui()
  useQuery({ ...roundQuery, refetchInterval: false, staleTime: ROUND_POLL_MS })
  const today = useServerDay()
  return (
    <CardSection when={t`Today`} note={formatDay(today, currentLanguage())}>
      {children}
    </CardSection>
  )
}
