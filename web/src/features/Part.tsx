/**
 * A part of a screen whose code loads when it is opened, because most visits never need it.
 * - It loads once. If it cannot load, the place says so and offers to try again; the rest of the screen works on.
 */
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { NotLoaded } from '../ui/Feedback.tsx'

type PartProps<Code> = {
  readonly name: string
  readonly load: () => Promise<Code>
  /** The lines of its stand-in. */
  readonly lines: number
  readonly children: (code: Code) => ReactNode
}

export function Part<Code>({ name, load, lines, children }: PartProps<Code>) {
  const { t } = useLingui()
  const code = useQuery({ queryKey: ['code', name], queryFn: load, staleTime: Infinity })
  if (code.data !== undefined) return children(code.data)
  return <NotLoaded query={code} failed={t`Network error. Please check your connection and try again.`} lines={lines} />
}
