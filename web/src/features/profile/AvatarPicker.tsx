/** Changes the avatar in edit mode: choose an image file, crop it in a dialog, and upload it. A spinner covers the avatar meanwhile. */
import { useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { type ChangeEvent, useRef, useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { Spinner } from '../../ui/Feedback.tsx'
import { toast } from '../../ui/Toast.tsx'

type CropParts = typeof import('./CropDialog.tsx')
type Cropping = { readonly Dialog: CropParts['CropDialog']; readonly picture: HTMLCanvasElement; readonly file: File }

export function AvatarPicker({ user, onChange }: { readonly user: User; readonly onChange: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const [busy, setBusy] = useState(false)
  const [cropping, setCropping] = useState<Cropping>()
  const input = useRef<HTMLInputElement>(null)

  const fail = (error: unknown): void => {
    console.warn('Failed to upload the avatar:', error)
    toast.error(messageOf(error, t`Your picture could not be uploaded.`))
  }
  const upload = async (picture: Blob): Promise<void> => {
    setCropping(undefined)
    setBusy(true)
    try {
      onChange({ avatar: (await call('uploadAvatar', { upload: picture })).avatarUrl })
    } catch (error) {
      fail(error)
    } finally {
      setBusy(false)
    }
  }
  const crop = async (file: File): Promise<void> => {
    setBusy(true)
    try {
      const [{ CropDialog: Dialog }, { readPicture }] = await Promise.all([import('./CropDialog.tsx'), import('./picture.ts')])
      const picture = await readPicture(file)
      // A file that this browser cannot decode is sent unchanged: the server may decode it, or says what is wrong with it.
      if (picture === undefined) return await upload(file)
      setCropping({ Dialog, picture, file })
    } catch (error) {
      fail(error)
    } finally {
      setBusy(false)
    }
  }
  const chosen = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.target.files?.[0]
    // Allows the member to choose the same file again after a failure.
    event.target.value = ''
    if (file !== undefined) void crop(file)
  }

  return (
    <>
      <div className="avatar-picker">
        <button type="button" aria-busy={busy || undefined} onClick={() => (busy ? undefined : input.current?.click())}>
          <span aria-hidden="true">
            <Avatar name={user.name || t`User`} src={user.avatar} size="lg" />
          </span>
          <span className="small">{t`Change picture`}</span>
        </button>
        {busy ? (
          <div className="avatar-overlay">
            <Spinner />
          </div>
        ) : null}
        <input ref={input} type="file" accept="image/*" hidden aria-label={t`Change picture`} onChange={chosen} />
      </div>
      {cropping === undefined ? null : (
        <cropping.Dialog
          picture={cropping.picture}
          onUse={(cut) => void upload(cut ?? cropping.file)}
          onClose={() => setCropping(undefined)}
        />
      )}
    </>
  )
}
