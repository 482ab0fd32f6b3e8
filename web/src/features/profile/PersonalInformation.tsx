/** The profile's view mode. Only the switch can be changed: it saves at once and reverts on failure. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { useMember } from '../../app/session.tsx'
import { AutoParticipate } from './AutoParticipate.tsx'
import { useAtOnce } from './use-at-once.ts'

export function PersonalInformation({ user, onChange }: { readonly user: User; readonly onChange: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const { saving, save } = useAtOnce({ user, field: 'autoParticipate', about: 'Auto Participate', onSaved: onChange })
  // The banner above the screen corrects an unconfirmed address, and learns first that it was confirmed.
  const { email, emailVerified } = useMember()

  return (
    <>
      <dl className="facts-list">
        <Fact name={t`Full Name`} value={user.name} />
        <Fact name={t`Email Address`} value={email} note={emailVerified ? t`Cannot be changed` : undefined} />
        <Fact name={t`Phone Number`} value={user.phone ?? ''} />
      </dl>
      <AutoParticipate on={user.autoParticipate} busy={saving} onChange={(on) => void save(on)} />
    </>
  )
}

function Fact({ name, value, note }: { readonly name: string; readonly value: string; readonly note?: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value === '' ? (
          <span className="muted">
            <Trans>Not provided</Trans>
          </span>
        ) : (
          value
        )}
        {note === undefined ? null : <span className="small muted block">{note}</span>}
      </dd>
    </div>
  )
}
