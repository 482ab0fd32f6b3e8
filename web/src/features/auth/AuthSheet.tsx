/** The frame of every login screen: one narrow sheet on today's page. */
import type { ReactNode } from 'react'
import { Book, Slip } from '../../ui/Layout.tsx'
import { TodaySection } from '../TodaySection.tsx'

type AuthSheetProps = {
  /** Both the title of the tab and the h1. */
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
