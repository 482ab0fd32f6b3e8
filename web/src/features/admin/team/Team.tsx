/** The portal's team: invitations that are open, people and their roles, and former members. */
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { OWNERS } from '@roz/contract/roles.ts'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge, EmptyState } from '../../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { Listing } from '../../Listing.tsx'
import { ListHead } from '../CsvButton.tsx'
import { useNarrowing } from '../money/MoneyRows.tsx'
import { narrowed } from '../queries.ts'
import type { Shown } from '../states.ts'
import { useMay } from '../use-may.ts'
import { type Invitation, type StaffMember, type StaffState, staffQuery } from './queries.ts'
import { ROLE_WORDS } from './roles.ts'
import { type TeamAction, InviteDialog, TeamDialog } from './TeamDialogs.tsx'
import './team.css'

const STATES = {
  current: { tone: 'good', label: msg`In the team` },
  former: { tone: 'plain', label: msg`Left the team` },
} as const satisfies Record<StaffState, Shown>

export function Team() {
  const { t } = useLingui()
  const mayChange = useMay(OWNERS)
  const { narrowing, fields } = useNarrowing(STATES, t`Search the team`, t`Name or email`)
  const list = useInfiniteQuery({ ...staffQuery(narrowing), placeholderData: keepPreviousData })
  const [action, setAction] = useState<TeamAction>()
  const [invites, setInvites] = useState<Partial<Invitation> | undefined>()
  const invitations = list.data?.pages[0]?.invitations ?? []
  return (
    <>
      <ListHead title={t`Team`} csv={{ of: 'staffCsv', name: 'team', filters: narrowed(narrowing) }}>
        {mayChange ? <Button onClick={() => setInvites({})}>{t`Invite`}</Button> : null}
      </ListHead>
      {invitations.length === 0 ? null : (
        <>
          <h3>{t`Open invitations`}</h3>
          <ul className="rows team-rows">
            {invitations.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                onAgain={mayChange ? () => setInvites(invitation) : undefined}
                onCancel={mayChange ? () => setAction({ kind: 'cancel', invitation }) : undefined}
              />
            ))}
          </ul>
        </>
      )}
      {fields}
      <Listing
        list={list}
        itemsOf={(page) => page.staff}
        failed={t`The team could not be loaded.`}
        empty={<EmptyState title={t`Nobody found`} />}
      >
        {(staff) => (
          <ul className="rows team-rows">
            {staff.map((person) => (
              <PersonRow key={person.id} person={person} onAction={mayChange ? setAction : undefined} />
            ))}
          </ul>
        )}
      </Listing>
      {invites === undefined ? null : <InviteDialog known={invites} onClose={() => setInvites(undefined)} />}
      {action === undefined ? null : <TeamDialog action={action} onClose={() => setAction(undefined)} />}
    </>
  )
}

type InvitationRowProps = {
  readonly invitation: Invitation
  readonly onAgain: (() => void) | undefined
  readonly onCancel: (() => void) | undefined
}
function InvitationRow({ invitation, onAgain, onCancel }: InvitationRowProps) {
  const { t, i18n } = useLingui()
  const { name, email, role, invitedBy, expiresAt, expired } = invitation
  const until = formatInstant(expiresAt, currentLanguage())
  return (
    <li>
      <div className="team-head">
        <b>{name}</b> <Badge>{i18n._(ROLE_WORDS[role].name)}</Badge>{' '}
        <Badge tone={expired ? 'bad' : 'waiting'}>{expired ? t`Expired` : t`Invited`}</Badge>
      </div>
      <span className="small muted block user-mail">{email}</span>
      <span className="small muted block">
        <Unbroken text={t`Invited by ${invitedBy}; the link works until ${until}`} />
      </span>
      {onAgain === undefined || onCancel === undefined ? null : (
        <p className="team-buttons">
          <Button kind="secondary" onClick={onAgain} aria-label={t`Invite again: ${name}`}>{t`Invite again`}</Button>
          <Button kind="secondary" onClick={onCancel} aria-label={t`Cancel invitation: ${name}`}>{t`Cancel invitation`}</Button>
        </p>
      )}
    </li>
  )
}

function PersonRow({ person, onAction }: { readonly person: StaffMember; readonly onAction: ((action: TeamAction) => void) | undefined }) {
  const { t, i18n } = useLingui()
  const language = currentLanguage()
  const { name, email, role, totp, createdAt, lastSignInAt, removedAt } = person
  const words = ROLE_WORDS[role]
  const since = formatDay(createdAt, language)
  const seen = lastSignInAt === null ? t`never` : formatInstant(lastSignInAt, language)
  return (
    <li>
      <div className="team-head">
        <b>{name}</b> <Badge>{i18n._(words.name)}</Badge> {totp ? <Badge tone="good">{t`App set up`}</Badge> : null}
      </div>
      {email === null ? null : <span className="small muted block user-mail">{email}</span>}
      <span className="small muted block">{i18n._(words.may)}</span>
      {removedAt === null ? (
        <span className="small muted block">
          <Unbroken text={t`Since ${since}; last login: ${seen}`} />
        </span>
      ) : (
        <span className="small muted block">
          <Unbroken text={t`In the team from ${since} to ${formatDay(removedAt, language)}`} />
        </span>
      )}
      <AskedLines person={person} />
      {removedAt !== null || onAction === undefined ? null : (
        <p className="team-buttons">
          {(person.asked ?? []).length === 0 ? null : (
            <Button kind="secondary" onClick={() => onAction({ kind: 'stop', person })} aria-label={t`Stop the change: ${name}`}>
              <Trans>Stop the change</Trans>
            </Button>
          )}
          <Button kind="secondary" onClick={() => onAction({ kind: 'role', person })} aria-label={t`Change role: ${name}`}>
            <Trans>Change role</Trans>
          </Button>
          {totp ? (
            <Button kind="secondary" onClick={() => onAction({ kind: 'reset', person })} aria-label={t`Phone lost: ${name}`}>
              <Trans>Phone lost</Trans>
            </Button>
          ) : null}
          <Button kind="secondary" onClick={() => onAction({ kind: 'remove', person })} aria-label={t`Remove: ${name}`}>{t`Remove`}</Button>
        </p>
      )}
    </li>
  )
}

/** Another owner's waiting request about this owner. An older server sends none. */
function AskedLines({ person }: { readonly person: StaffMember }) {
  const { t, i18n } = useLingui()
  return (person.asked ?? []).map(({ what, role, by, at }) => {
    const since = formatInstant(at, currentLanguage())
    const roleName = role === null ? '' : i18n._(ROLE_WORDS[role].name)
    const words = {
      role: t`${by} asked on ${since} for the role ${roleName}. Another owner must do the same.`,
      removed: t`${by} asked on ${since} for the removal. Another owner must do the same.`,
      totp_reset: t`${by} asked on ${since} to remove the app. Another owner must do the same.`,
    }
    return (
      <span key={`${what} ${at}`} className="small warning-line block">
        {words[what]}
      </span>
    )
  })
}
