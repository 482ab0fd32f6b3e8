/**
 * The portal's sections in the order of its tabs, with the roles that read them.
 * - A section loads when its tab is opened for the first time.
 * - `roles` only spares a role a tab that the server would refuse: the contract decides.
 */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { CASE_READERS, CONTROL, EVERYONE, READERS, type Roles, STAFF, type StaffRole, TAX_READERS } from '@roz/contract/roles.ts'
import { type ComponentType, lazy } from 'react'
import { settings } from '../../app/settings.ts'
import { Overview } from './today/Overview.tsx'

type PortalSection = {
  /** The address names it: `/admin/dashboard?tab=users`. */
  readonly id: string
  readonly label: MessageDescriptor
  readonly roles: Roles
  readonly Screen: ComponentType
}
type SectionGroup = { readonly label: MessageDescriptor; readonly sections: readonly PortalSection[] }

const onDemand = (load: () => Promise<ComponentType>): ComponentType => lazy(async () => ({ default: await load() }))

const Announcements = onDemand(async () => (await import('./team/Announcements.tsx')).Announcements)
const Rounds = onDemand(async () => (await import('./today/Rounds.tsx')).Rounds)
const Site = onDemand(async () => (await import('./team/Site.tsx')).Site)
const Users = onDemand(async () => (await import('./members/Users.tsx')).Users)
const Messages = onDemand(async () => (await import('./members/Messages.tsx')).Messages)
const Review = onDemand(async () => (await import('./members/Review.tsx')).Review)
const Stories = onDemand(async () => (await import('./help/Stories.tsx')).Stories)
const Cases = onDemand(async () => (await import('./help/Cases.tsx')).Cases)
const Beneficiaries = onDemand(async () => (await import('./help/Beneficiaries.tsx')).Beneficiaries)
const HelpGiven = onDemand(async () => (await import('./help/HelpGiven.tsx')).HelpGiven)
const HouseEntries = onDemand(async () => (await import('./money/HouseEntries.tsx')).HouseEntries)
const Withdrawals = onDemand(async () => (await import('./money/Withdrawals.tsx')).Withdrawals)
const Refunds = onDemand(async () => (await import('./money/Refunds.tsx')).Refunds)
const Suspense = onDemand(async () => (await import('./money/Suspense.tsx')).Suspense)
const Transfers = onDemand(async () => (await import('./money/Transfers.tsx')).Transfers)
const Reconciliation = onDemand(async () => (await import('./money/Reconciliation.tsx')).Reconciliation)
const AutopayMandates = onDemand(async () => (await import('./money/AutopayMandates.tsx')).AutopayMandates)
const TaxWithheld = onDemand(async () => (await import('./money/TaxWithheld.tsx')).TaxWithheld)
const Disputes = onDemand(async () => (await import('./money/Disputes.tsx')).Disputes)

const Team = onDemand(async () => (await import('./team/Team.tsx')).Team)
const StaffLog = onDemand(async () => (await import('./team/StaffLog.tsx')).StaffLog)
const Account = onDemand(async () => (await import('./team/Account.tsx')).Account)

const GROUPS: readonly SectionGroup[] = [
  {
    label: msg`Today`,
    sections: [
      { id: 'overview', label: msg`Overview`, roles: STAFF, Screen: Overview },
      { id: 'rounds', label: msg`Rounds`, roles: STAFF, Screen: Rounds },
    ],
  },
  {
    label: msg`Members`,
    sections: [
      { id: 'users', label: msg`Users`, roles: READERS, Screen: Users },
      { id: 'messages', label: msg`Messages`, roles: READERS, Screen: Messages },
      { id: 'review', label: msg`Review`, roles: READERS, Screen: Review },
    ],
  },
  {
    label: msg`Help`,
    sections: [
      { id: 'requests', label: msg`Requests for help`, roles: CASE_READERS, Screen: Cases },
      { id: 'beneficiaries', label: msg`Beneficiaries`, roles: STAFF, Screen: Beneficiaries },
      { id: 'help-given', label: msg`Help given`, roles: STAFF, Screen: HelpGiven },
      { id: 'stories', label: msg`Impact Stories`, roles: STAFF, Screen: Stories },
    ],
  },
  {
    label: msg`Money`,
    sections: [
      { id: 'withdrawals', label: msg`Withdrawals`, roles: READERS, Screen: Withdrawals },
      { id: 'refunds', label: msg`Refunds`, roles: READERS, Screen: Refunds },
      { id: 'suspense', label: msg`Suspense`, roles: READERS, Screen: Suspense },
      ...(settings.hasTransfers ? [{ id: 'transfers', label: msg`Bank transfers`, roles: READERS, Screen: Transfers }] : []),
      { id: 'disputes', label: msg`Disputes`, roles: READERS, Screen: Disputes },
      ...(settings.modes.byTransfer && !settings.hasAutopay
        ? []
        : [{ id: 'autopay', label: msg`AutoPay`, roles: READERS, Screen: AutopayMandates }]),
      { id: 'reconciliation', label: msg`Reconciliation`, roles: READERS, Screen: Reconciliation },
      { id: 'house-entries', label: msg`Platform entries`, roles: READERS, Screen: HouseEntries },
      { id: 'tax', label: msg`Tax withheld`, roles: TAX_READERS, Screen: TaxWithheld },
    ],
  },
  {
    label: msg`Team and site`,
    sections: [
      { id: 'announcements', label: msg`Announcements`, roles: STAFF, Screen: Announcements },
      { id: 'site', label: msg`Site`, roles: STAFF, Screen: Site },
      { id: 'team', label: msg`Team`, roles: CONTROL, Screen: Team },
      { id: 'audit', label: msg`Staff log`, roles: CONTROL, Screen: StaffLog },
      { id: 'account', label: msg`My account`, roles: EVERYONE, Screen: Account },
    ],
  },
]

/** The groups and sections that a role reads. Every role but a volunteer's reads the overview. */
export const sectionsOf = (role: StaffRole | null): readonly SectionGroup[] =>
  GROUPS.map(({ label, sections }) => ({ label, sections: sections.filter(({ roles }) => role !== null && roles.includes(role)) })).filter(
    ({ sections }) => sections.length > 0,
  )
