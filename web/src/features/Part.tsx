/**
 * A part of a screen whose code loads when it is opened, because most visits never need it.
 * - It loads once. If it cannot load, the place says so and offers to try again; the rest of the screen works on.
 */
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState, Skeleton } from '../ui/Feedback.tsx'

type PartProps<Code> = {
  readonly name: string
  readonly load: () => Promise<Code>
  /** The lines of its stand-in. */
  readonly lines: number
  readonly children: (code: Code) => ReactNode
}

export function Part<Code>({ name, load, lines, children }: PartProps<Code>) {
  const { t } = useLingui()
  const { data, isError, isFetching, refetch } = useQuery({ queryKey: ['code', name], queryFn: load, staleTime: Infinity })
  if (data !== undefined) return children(data)
  if (!isError) return <Skeleton lines={lines} />
  return (
    <ErrorState title={t`Network error. Please check your connection and try again.`} busy={isFetching} onRetry={() => void refetch()} />
  )
}
