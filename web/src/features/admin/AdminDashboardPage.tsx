/** The portal's page. The address names the open tab, so a reload or a link keeps it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { paths } from '../../paths.ts'
import { Book } from '../../ui/Layout.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Disputes } from './Disputes.tsx'
import { Refunds } from './Refunds.tsx'
import { Overview } from './Overview.tsx'
import { Stories } from './Stories.tsx'
import { Suspense } from './Suspense.tsx'
import { TriggerDraw } from './TriggerDraw.tsx'
import { Users } from './Users.tsx'
import { Withdrawals } from './Withdrawals.tsx'
import { TodaySection } from '../TodaySection.tsx'

const TAB_IDS = ['overview', 'users', 'stories', 'withdrawals', 'refunds', 'suspense', 'disputes'] as const
type TabId = (typeof TAB_IDS)[number]
const PARTS = {
  overview: Overview,
  users: Users,
  stories: Stories,
  withdrawals: Withdrawals,
  refunds: Refunds,
  suspense: Suspense,
  disputes: Disputes,
} as const satisfies Record<TabId, ComponentType>

export function AdminDashboardPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { tab } = useSearch({ strict: false })
  const value: TabId = TAB_IDS.find((id) => id === tab) ?? 'overview'
  const Part = PARTS[value]
  const tabs = [
    { id: 'overview', label: t`Overview` },
    { id: 'users', label: t`Users` },
    { id: 'stories', label: t`Impact Stories` },
    { id: 'withdrawals', label: t`Withdrawals` },
    { id: 'refunds', label: t`Refunds` },
    { id: 'suspense', label: t`Suspense` },
    { id: 'disputes', label: t`Disputes` },
  ] as const
  return (
    <Book title={t`Admin dashboard`}>
      <TodaySection>
        <div className="head-row portal-head">
          <h1>
            <Trans>Admin dashboard</Trans>
          </h1>
          <TriggerDraw />
        </div>
        <Tabs<TabId>
          label={t`Parts of the portal`}
          tabs={tabs}
          value={value}
          onChange={(id) => void navigate({ to: paths.adminDashboard, search: { tab: id } })}
        >
          <Part />
        </Tabs>
      </TodaySection>
    </Book>
  )
}
