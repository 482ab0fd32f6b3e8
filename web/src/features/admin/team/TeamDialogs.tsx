/** The dialogs of the team: inviting, and every change of a person. Each says what it does before it does it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { STAFF_ROLES, type StaffRole } from '@roz/contract/roles.ts'
import { name as nameRule } from '@roz/core/name-fields.ts'
import { email as emailRule } from '@roz/core/person-fields.ts'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { SelectField, TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import { typed } from '../portal-form-errors.ts'
import { problemOf, useProblems } from '../problems.ts'
import type { Invitation, StaffMember } from './queries.ts'
import { ROLE_WORDS } from './roles.ts'
import { Options } from '../Options.tsx'

export type TeamAction =
  | { readonly kind: 'role' | 'remove' | 'reset' | 'stop'; readonly person: StaffMember }
  | { readonly kind: 'cancel'; readonly invitation: Invitation }

type Closing = { readonly onClose: () => void }

function RoleField({ value, onChange }: { readonly value: StaffRole; readonly onChange: (role: StaffRole) => void }) {
  const { t, i18n } = useLingui()
  return (
    <SelectField
      label={t`Role`}
      hint={i18n._(ROLE_WORDS[value].may)}
      value={value}
      onChange={(event) => onChange(STAFF_ROLES.find((role) => role === event.target.value) ?? value)}
    >
      <Options values={STAFF_ROLES} nameOf={(role) => i18n._(ROLE_WORDS[role].name)} />
    </SelectField>
  )
}

export function InviteDialog({ known, onClose }: Closing & { readonly known: Partial<Invitation> }) {
  const { t } = useLingui()
  const [name, setName] = useState(known.name ?? '')
  const [email, setEmail] = useState(known.email ?? '')
  const [role, setRole] = useState<StaffRole>(known.role ?? 'support')
  const { problems, judge, refused } = useProblems()
  return (
    <Decision
      title={<Trans>Invite to the team</Trans>}
      confirm={t`Send the invitation`}
      check={() => judge({ name: problemOf(nameRule, name), email: problemOf(emailRule, email) })}
      send={() => call('inviteStaff', { body: { name, email, role } }).catch(refused)}
      onDone={({ invitation }) => toast.success(t`Invitation sent to ${invitation.email}.`)}
      onClose={onClose}
    >
      <p>{t`We email a link that works once, for 24 hours. An earlier invitation to this address stops working.`}</p>
      <TextField label={t`Name`} autoComplete="off" {...typed(name, problems['name'], setName)} />
      <TextField
        label={t`Email`}
        type="email"
        autoComplete="off"
        hint={t`Use an address that belongs to no member: staff have no wallet.`}
        {...typed(email, problems['email'], setEmail)}
      />
      <RoleField value={role} onChange={setRole} />
    </Decision>
  )
}

export function TeamDialog({ action, onClose }: Closing & { readonly action: TeamAction }) {
  if (action.kind === 'cancel') return <CancelDialog invitation={action.invitation} onClose={onClose} />
  if (action.kind === 'role') return <RoleDialog person={action.person} onClose={onClose} />
  if (action.kind === 'stop') return <StopDialog person={action.person} onClose={onClose} />
  return action.kind === 'remove' ? (
    <RemoveDialog person={action.person} onClose={onClose} />
  ) : (
    <ResetDialog person={action.person} onClose={onClose} />
  )
}

function CancelDialog({ invitation, onClose }: Closing & { readonly invitation: Invitation }) {
  const { t } = useLingui()
  return (
    <Decision
      title={<Trans>Cancel the invitation of {invitation.name}?</Trans>}
      confirm={t`Cancel invitation`}
      danger
      send={() => call('cancelInvitation', { params: { id: invitation.id } })}
      onDone={() => toast.success(t`Cancelled. The link no longer works.`)}
      onClose={onClose}
    >
      <p>{t`The link in the email stops working. You can invite the address again.`}</p>
    </Decision>
  )
}

type Asked = StaffMember['asked'][number]['what']
/** Says what happened: a change of an owner by another owner only waits. */
function useTold() {
  const { t } = useLingui()
  return ({ staff }: { readonly staff: StaffMember }, asked: Asked, done: string) =>
    toast.success(
      (staff.asked ?? []).some(({ what }) => what === asked)
        ? t`Asked, and mailed to all owners. It takes effect when another owner does the same; where there is no other, when you do it again after 48 hours.`
        : done,
    )
}

function StopDialog({ person, onClose }: Closing & { readonly person: StaffMember }) {
  const { t } = useLingui()
  return (
    <Decision
      title={<Trans>Stop what is asked about {person.name}?</Trans>}
      confirm={t`Stop it`}
      send={() => call('stopStaffChange', { params: { id: person.id } })}
      onDone={() => toast.success(t`Stopped. Nothing changed.`)}
      onClose={onClose}
    >
      <p>{t`Nothing changes then, and all owners get an email.`}</p>
    </Decision>
  )
}

function RoleDialog({ person, onClose }: Closing & { readonly person: StaffMember }) {
  const { t } = useLingui()
  const tell = useTold()
  const [role, setRole] = useState(person.role)
  return (
    <Decision
      title={<Trans>Change the role of {person.name}?</Trans>}
      confirm={t`Change role`}
      unready={role === person.role}
      send={() => call('changeStaffRole', { params: { id: person.id }, body: { role } })}
      onDone={(answer) => tell(answer, 'role', t`Role changed. It applies at once, on every device where ${person.name} is logged in.`)}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
    </Decision>
  )
}

function RemoveDialog({ person, onClose }: Closing & { readonly person: StaffMember }) {
  const { t } = useLingui()
  const tell = useTold()
  return (
    <Decision
      title={<Trans>Remove {person.name} from the team?</Trans>}
      confirm={t`Remove`}
      danger
      reason={t`For the staff log.`}
      send={(reason) => call('removeStaff', { params: { id: person.id }, body: { reason } })}
      onDone={(answer) => tell(answer, 'removed', t`Removed. ${person.name} is logged out everywhere.`)}
      onClose={onClose}
    >
      <p>
        <Trans>
          {person.name} is logged out everywhere at once, and cannot log in again. The staff log keeps the name. To take this back, invite
          the person again.
        </Trans>
      </p>
    </Decision>
  )
}

function ResetDialog({ person, onClose }: Closing & { readonly person: StaffMember }) {
  const { t } = useLingui()
  const tell = useTold()
  return (
    <Decision
      title={<Trans>Remove the app of {person.name}?</Trans>}
      confirm={t`Remove the app`}
      danger
      reason={t`For the staff log.`}
      send={(reason) => call('resetStaffTotp', { params: { id: person.id }, body: { reason } })}
      onDone={(answer) => tell(answer, 'totp_reset', t`Removed. ${person.name} can log in with the password alone.`)}
      onClose={onClose}
    >
      <p>
        <Trans>
          For a lost phone without recovery codes. Confirm by phone or in person that {person.name} wants this: until a new app is set up,
          the password alone opens the account. We email it to {person.name}.
        </Trans>
      </p>
    </Decision>
  )
}
