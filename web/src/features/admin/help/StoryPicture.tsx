/** The picture of a story in its form: the present one, a chosen file, or none. */
import { useLingui } from '@lingui/react/macro'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'

/** `kept`: the present picture, if there is one. */
export type Picture = 'kept' | 'removed' | File
type StoryPictureProps = {
  readonly present: string | null
  readonly picture: Picture
  readonly onChange: (picture: Picture) => void
}

export function StoryPicture({ present, picture, onChange }: StoryPictureProps) {
  const { t } = useLingui()
  const isShown = present !== null && picture === 'kept'
  return (
    <>
      <Field
        label={t`Picture`}
        hint={t`At most 5 MB. The picture is shown until the video plays. Without a picture the video has a plain cover.`}
      >
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            accept="image/jpeg,image/png,image/webp,image/gif,image/avif,image/tiff"
            onChange={(event) => onChange(event.target.files?.[0] ?? 'kept')}
          />
        )}
      </Field>
      {isShown ? (
        <>
          <img className="story-image" src={present} alt={t`The present picture`} />
          <p className="buttons">
            <Button kind="quiet" onClick={() => onChange('removed')}>{t`Remove the picture`}</Button>
          </p>
        </>
      ) : null}
      {picture === 'removed' ? <p className="hint" role="status">{t`The picture is removed when you save.`}</p> : null}
    </>
  )
}
