/** The frame of every sign-in screen: one narrow slip on the day's page. */
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { currentLanguage } from '../../language.ts'
import { formatDay } from '../../ui/format.ts'
import { Book, Section, Slip } from '../../ui/Layout.tsx'

type AuthSheetProps = {
  /** The tab's title and the h1, the same words. */
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

export function AuthSheet({ title, lead, children }: AuthSheetProps) {
  const { t } = useLingui()
  return (
    <Book title={title}>
      <Section when={t`Today`} note={formatDay(new Date(), currentLanguage())}>
        <Slip>
          <h1>{title}</h1>
          {lead === undefined ? null : <p className="lead auth-lead">{lead}</p>}
          {children}
        </Slip>
      </Section>
    </Book>
  )
}
