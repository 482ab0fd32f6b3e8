/** The first section of a screen: the day stands in the margin, as it heads a page of the book. */
import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { currentLanguage } from '../language.ts'
import { formatDay } from '../ui/format.ts'
import { Section } from '../ui/Layout.tsx'
import { serverNowMs } from './clock.ts'

export function TodaySection({ children }: { readonly children: ReactNode }) {
  const { t } = useLingui()
  const [now] = useState(() => new Date(serverNowMs()))
  return (
    <Section when={t`Today`} note={formatDay(now, currentLanguage())}>
      {children}
    </Section>
  )
}
