/** The picture in edit mode: a press opens a picker of images, and a wheel lies over it while it uploads. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { type ChangeEvent, useRef, useState } from 'react'
import { call, messageOf } from '../../api.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Spinner } from '../../ui/Feedback.tsx'
import { toast } from '../../ui/Toast.tsx'
import { isImage, shrunk } from './picture.ts'

export function AvatarPicker({ user, onChange }: { readonly user: User; readonly onChange: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const [uploading, setUploading] = useState(false)
  const input = useRef<HTMLInputElement>(null)

  const upload = async (file: File): Promise<void> => {
    if (!isImage(file)) return toast.error(t`Please choose an image file.`)
    setUploading(true)
    try {
      onChange({ avatar: (await call('uploadAvatar', { upload: await shrunk(file) })).avatarUrl })
    } catch (error) {
      console.warn('Failed to upload the avatar:', error)
      toast.error(messageOf(error, t`Your picture could not be uploaded.`))
    } finally {
      setUploading(false)
    }
  }
  const chosen = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.target.files?.[0]
    // The same file may be chosen again after a failure.
    event.target.value = ''
    if (file !== undefined) void upload(file)
  }

  return (
    <div className="avatar-picker">
      <button type="button" aria-busy={uploading || undefined} onClick={() => (uploading ? undefined : input.current?.click())}>
        <span aria-hidden="true">
          <Avatar name={user.name || 'User'} src={user.avatar} size="lg" />
        </span>
        <span className="small">
          <Trans>Change picture</Trans>
        </span>
      </button>
      {uploading ? (
        <div className="avatar-overlay">
          <Spinner />
        </div>
      ) : null}
      <input ref={input} type="file" accept="image/*" hidden aria-label={t`Change picture`} onChange={chosen} />
    </div>
  )
}
