/** The frame of every sign-in screen: one narrow slip on the day's page. */
import type { ReactNode } from 'react'
import { Book, Slip } from '../../ui/Layout.tsx'
import { TodaySection } from '../TodaySection.tsx'

type AuthSheetProps = {
  /** The tab's title and the h1, the same words. */
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

export function AuthSheet({ title, lead, children }: AuthSheetProps) {
  return (
    <Book title={title}>
      <TodaySection>
        <Slip>
          <h1>{title}</h1>
          {lead === undefined ? null : <p className="lead auth-lead">{lead}</p>}
          {children}
        </Slip>
      </TodaySection>
    </Book>
  )
}
