/** The decisions about a member's account. Each says what it does, asks for a reason and may be undone by its opposite. */
import { Trans, useLingui } from '@lingui/react/macro'
import { CARE } from '@roz/contract/roles.ts'
import { type ReactNode, useState } from 'react'
import { call } from '../../../app/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Decision } from '../Decision.tsx'
import type { MemberView } from './MemberParts.tsx'
import { useMay } from '../use-may.ts'

type User = MemberView['user']
type Action = 'suspendUser' | 'reinstateUser' | 'holdUser' | 'releaseUser' | 'endUserSessions'

export function MemberActions({ user }: { readonly user: User }) {
  const { t } = useLingui()
  const [action, setAction] = useState<Action>()
  if (!useMay(CARE)) return null
  return (
    <div className="buttons spaced">
      {user.suspendedAt === null ? (
        <Button kind="danger" onClick={() => setAction('suspendUser')}>{t`Suspend`}</Button>
      ) : (
        <Button onClick={() => setAction('reinstateUser')}>{t`Reinstate`}</Button>
      )}
      {user.hold === null ? (
        <Button kind="secondary" onClick={() => setAction('holdUser')}>{t`Hold withdrawals`}</Button>
      ) : (
        <Button kind="secondary" onClick={() => setAction('releaseUser')}>{t`Release`}</Button>
      )}
      <Button kind="secondary" onClick={() => setAction('endUserSessions')}>{t`Log out everywhere`}</Button>
      {action === undefined ? null : <Deciding user={user} action={action} onClose={() => setAction(undefined)} />}
    </div>
  )
}

type Words = {
  readonly title: ReactNode
  readonly confirm: string
  readonly done: string
  readonly text: ReactNode
  readonly danger?: true
}

function useWords({ name, hold }: User): Readonly<Record<Action, Words>> {
  const { t } = useLingui()
  return {
    suspendUser: {
      title: <Trans>Suspend {name}?</Trans>,
      confirm: t`Suspend`,
      done: t`Suspended. The member has been told by email.`,
      danger: true,
      text: (
        <Trans>
          {name} can still log in, read everything and download their data. Joining, adding money, withdrawing, refunds and closing the
          account are refused until you reinstate the account. What they get meanwhile is still added. The member gets an email without your
          reason.
        </Trans>
      ),
    },
    reinstateUser: {
      title: <Trans>Reinstate {name}?</Trans>,
      confirm: t`Reinstate`,
      done: t`Reinstated. The member has been told by email.`,
      text: <Trans>{name} can do what every member can, and gets an email that says so.</Trans>,
    },
    holdUser: {
      title: <Trans>Hold the withdrawals of {name}?</Trans>,
      confirm: t`Hold`,
      done: t`Withdrawals are on hold. The member has been told by email.`,
      text: (
        <Trans>
          Withdrawals and refunds of {name} wait until you release them. Everything else goes on. The member gets an email without your
          reason.
        </Trans>
      ),
    },
    releaseUser: {
      title: <Trans>Release {name}?</Trans>,
      confirm: t`Release`,
      done: t`Released. Withdrawals and refunds can be approved again.`,
      text:
        hold?.about === 'staff' ? (
          <Trans>Withdrawals and refunds of {name} can be approved again. The member gets an email that says so.</Trans>
        ) : (
          <Trans>
            {name} answered one of our emails with “This wasn't me”. Make sure that the account is in the right hands again before money
            leaves it.
          </Trans>
        ),
    },
    endUserSessions: {
      title: <Trans>Log {name} out everywhere?</Trans>,
      confirm: t`Log out everywhere`,
      done: t`Logged out everywhere.`,
      text: <Trans>All devices of {name} are logged out. They can log in again with their password or Google.</Trans>,
    },
  }
}

function Deciding({ user, action, onClose }: { readonly user: User; readonly action: Action; readonly onClose: () => void }) {
  const { t } = useLingui()
  const { title, confirm, done, text, danger } = useWords(user)[action]
  return (
    <Decision
      title={title}
      confirm={confirm}
      danger={danger === true}
      reason={t`Your finding, for the staff log.`}
      send={async (reason) => {
        const params = { id: user.id }
        if (action === 'releaseUser') await call(action, { params, body: { reason, seen: user.hold?.seen } })
        else await call(action, { params, body: { reason } })
      }}
      onDone={() => toast.success(done)}
      onClose={onClose}
    >
      <p>{text}</p>
    </Decision>
  )
}
