/** The portal's page. The address names the open section, and the filter with which it opens, so a reload or a link keeps them. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { paths } from '../../../paths.ts'
import { Card } from '../../../ui/Card.tsx'
import { Skeleton } from '../../../ui/Feedback.tsx'
import { Book } from '../../../ui/Layout.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { TodaySection } from '../../TodaySection.tsx'
import { AuthSheet } from '../../auth/AuthSheet.tsx'
import { refreshPortal } from '../queries.ts'
import { useOwesApp } from '../team/queries.ts'
import { SetUpApp } from '../team/SecondFactor.tsx'
import { Overview } from './Overview.tsx'
import { sectionsOf } from '../sections.ts'
import { StepUpDialog } from '../StepUpDialog.tsx'
import { useStaffRole } from '../use-may.ts'
import '../portal.css'

export function AdminDashboardPage() {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const { tab, status = '', order = '' } = useSearch({ strict: false })
  const owesApp = useOwesApp()
  const groups = sectionsOf(useStaffRole())
  const sections = groups.flatMap((group) => group.sections)
  // The first section is the overview, where the role reads it.
  const section = sections.find(({ id }) => id === tab) ?? sections[0]
  const Screen = section?.Screen ?? Overview
  const tabs = groups.flatMap(({ label, sections }) =>
    sections.map((one) => ({ id: one.id, label: i18n._(one.label), group: i18n._(label) })),
  )
  if (owesApp === true) return <FirstSetup />
  return (
    <Book title={t`Admin dashboard`}>
      <TodaySection>
        <h1>{t`Admin dashboard`}</h1>
        <Tabs
          label={t`Parts of the portal`}
          tabs={tabs}
          value={section?.id ?? ''}
          onChange={(id) => void navigate({ to: paths.adminDashboard, search: { tab: id } })}
        >
          {/* A section would request data that is refused until the authenticator app is set up. Another filter in the address opens it anew. */}
          <Suspense fallback={<Skeleton lines={6} />}>
            {owesApp === undefined ? (
              <Skeleton lines={6} />
            ) : (
              <Card key={`${section?.id} ${status} ${order}`}>
                <Screen />
              </Card>
            )}
          </Suspense>
        </Tabs>
        <StepUpDialog />
      </TodaySection>
    </Book>
  )
}

/** The only screen of an owner or of finance in production, until an authenticator app is set up. */
function FirstSetup() {
  const { t } = useLingui()
  return (
    <AuthSheet
      title={t`Set up your authenticator app`}
      lead={<Trans>Your role decides about money or people. Set up an authenticator app to open the portal.</Trans>}
    >
      <SetUpApp onDone={() => void refreshPortal()} />
    </AuthSheet>
  )
}
