/**
 * The member's profile, with a view mode and an edit mode.
 * - In view mode the Auto Participate switch saves at once and reverts on failure.
 * - In edit mode the switch changes only the draft: Save Changes saves it, and Cancel discards it.
 * - A failure is logged and shown in a toast.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { currentLanguage } from '../../app/language.ts'
import { session } from '../../app/session.tsx'
import { withDraws } from '../../app/settings.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { ErrorState, Spinner } from '../../ui/Feedback.tsx'
import { catchFocus } from '../../ui/focus.ts'
import { formatDay } from '../../ui/format.ts'
import { Book, CardSection } from '../../ui/Layout.tsx'
import { toast } from '../../ui/Toast.tsx'
import { profileQuery } from '../queries.ts'
import { ChangePassword } from './ChangePassword.tsx'
import { CloseAccount } from './CloseAccount.tsx'
import { EveningReminder } from './EveningReminder.tsx'
import { MyData } from './MyData.tsx'
import { PassOnSwitch } from './PassOnSwitch.tsx'
import { PersonalInformation } from './PersonalInformation.tsx'
import { PublicNameForm } from './PublicNameForm.tsx'
import { SignedInDevices } from './SignedInDevices.tsx'

export function ProfilePage() {
  const { t } = useLingui()
  const profile = useQuery(profileQuery)
  return (
    <Book title={t`Profile`}>
      {profile.data === undefined ? (
        <CardSection when={t`Your profile`}>
          <h1>{t`Profile`}</h1>
          {profile.isError ? <ErrorState title={t`Failed to load profile data.`} onRetry={() => window.location.reload()} /> : <Spinner />}
        </CardSection>
      ) : (
        <Loaded user={profile.data.user} />
      )}
    </Book>
  )
}

type EditMode = Pick<typeof import('./AvatarPicker.tsx') & typeof import('./ProfileEditor.tsx'), 'AvatarPicker' | 'ProfileEditor'>
/** Loaded at the press: most visits only look. */
const loadEditMode = async (): Promise<EditMode> => {
  const [{ AvatarPicker }, { ProfileEditor }] = await Promise.all([import('./AvatarPicker.tsx'), import('./ProfileEditor.tsx')])
  return { AvatarPicker, ProfileEditor }
}

function Loaded({ user }: { readonly user: User }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const [edit, setEdit] = useState<EditMode>()
  const [opening, setOpening] = useState(false)
  const card = useRef<HTMLDivElement>(null)
  // The pressed button no longer exists, so the focus moves to the card's first button. The answer to a save may arrive
  // when the member is already in another form; the focus then stays there.
  const turn = (mode: EditMode | undefined): void => {
    flushSync(() => setEdit(mode))
    catchFocus(card.current?.querySelector('button'))
  }
  const open = async (): Promise<void> => {
    setOpening(true)
    try {
      turn(await loadEditMode())
    } catch (error) {
      console.warn('The edit mode could not be loaded:', error)
      toast.error(t`Network error. Please check your connection and try again.`)
    } finally {
      setOpening(false)
    }
  }
  // Only the changed fields: answers may arrive out of order, and an older answer must not overwrite newer fields.
  const take = (changed: Partial<User>): void => {
    // A request sent earlier would bring back the old record.
    void client.cancelQueries({ queryKey: profileQuery.queryKey })
    client.setQueryData(profileQuery.queryKey, (known) => known && { user: { ...known.user, ...changed } })
    const now = session.get()
    if ('user' in now) session.setUser({ ...now.user, ...changed })
  }
  return (
    <>
      <CardSection when={t`Your profile`}>
        <h1 className="spaced">{t`Profile`}</h1>
        <div className="profile">
          <div className="profile-card" ref={card}>
            {edit === undefined ? (
              <Avatar name={user.name || t`User`} src={user.avatar} size="lg" />
            ) : (
              <edit.AvatarPicker user={user} onChange={take} />
            )}
            <div>
              <p className="profile-name">{user.name || t`User`}</p>
              <p className="muted">{t`Community Member`}</p>
              <p className="muted">
                <Trans>Member since {formatDay(user.createdAt, currentLanguage())}</Trans>
              </p>
            </div>
            {edit === undefined ? <Button kind="secondary" busy={opening} onClick={() => void open()}>{t`Edit Profile`}</Button> : null}
          </div>
          <div>
            <h2 className="spaced">{t`Personal Information`}</h2>
            {edit === undefined ? (
              <PersonalInformation user={user} onChange={take} />
            ) : (
              <edit.ProfileEditor user={user} onSaved={take} onClose={() => turn(undefined)} />
            )}
          </div>
        </div>
      </CardSection>
      <CardSection when={t`In public`} note={t`your name`}>
        <PublicNameForm user={user} onSaved={take} />
      </CardSection>
      {withDraws() ? (
        <CardSection when={t`Your rewards`}>
          <PassOnSwitch user={user} onSaved={take} />
        </CardSection>
      ) : null}
      <CardSection when={t`Reminder`}>
        <EveningReminder user={user} onSaved={take} />
      </CardSection>
      <CardSection when={t`Safety`} note={t`your password`}>
        <ChangePassword />
      </CardSection>
      <CardSection when={t`Devices`} note={t`where you are logged in`}>
        <SignedInDevices />
      </CardSection>
      <CardSection when={t`Your data`} note={t`as a file`}>
        <MyData />
      </CardSection>
      <CardSection>
        <CloseAccount />
      </CardSection>
    </>
  )
}
