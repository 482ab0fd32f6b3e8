/**
 * The form of a story, for a new draft and for an edit. The picture is uploaded after the words are saved.
 * - A story that is not public can be linked to the help that it tells of, until the givers of that help were told. The help fills the
 *   words that nobody has written yet.
 * - The languages are side by side, the portal's own first.
 * - An edit sends only the changed fields: another editor may have changed the others meanwhile.
 */
import { useLingui } from '@lingui/react/macro'
import type { PortalStory } from '@roz/contract/impact.ts'
import { type Language, SPEECH } from '@roz/core/language.ts'
import type { StoryWord } from '@roz/core/story-words.ts'
import { useId, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextAreaField, TextField } from '../../../ui/Field.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { isPendingCharity } from '../../CharityName.tsx'
import { registered, useRules, whenValid } from '../../forms.ts'
import { HelpField, KeptHelp } from '../HelpField.tsx'
import { refreshStories, type ToldHelp } from '../queries.ts'
import { type Picture, StoryPicture } from './StoryPicture.tsx'
import { bodyOf, changesOf, fieldOf, seenOf, showRefusedStory, sides, storyRules, type StoryValues, valuesOf } from './story-fields.ts'
import { portalError } from '../portal-form-errors.ts'

const linkOf = ({ outlayId, help, amount }: PortalStory): ToldHelp | undefined =>
  outlayId === null || help === null ? undefined : { id: outlayId, purpose: help.purpose, publicName: help.publicName, amount }

type StoryDialogProps = {
  readonly story?: PortalStory
  /** The help that a new story tells of. */
  readonly help?: ToldHelp
  readonly onClose: () => void
}

export function StoryDialog({ story, help: given, onClose }: StoryDialogProps) {
  const { t } = useLingui()
  const formId = useId()
  const own = (word: StoryWord) => fieldOf(word, currentLanguage())
  const wordsFor = ({ purpose, publicName }: ToldHelp) => ({
    [own('title')]: t`${purpose} for ${publicName}`,
    [own('charityName')]: publicName,
    [own('charityDescription')]: purpose,
  })
  const form = useRules<StoryValues>(storyRules, { ...valuesOf(story), ...(given === undefined ? {} : wordsFor(given)) })
  const { isSubmitting } = form.formState
  const [picture, setPicture] = useState<Picture>('kept')
  const [help, setHelp] = useState(story === undefined ? given : linkOf(story))
  const link = (chosen: ToldHelp | undefined): void => {
    setHelp(chosen)
    if (chosen === undefined) return
    const words: Partial<StoryValues> = wordsFor(chosen)
    const fill = (word: StoryWord): void => form.setValue(own(word), words[own(word)] ?? '')
    if (story === undefined) fill('title')
    if (story !== undefined && !isPendingCharity(form.getValues(own('charityName')))) return
    fill('charityName')
    fill('charityDescription')
  }

  const save = whenValid(form, portalError, async (values) => {
    try {
      const saved =
        story === undefined
          ? await call('createStory', { body: { ...bodyOf(values), outlayId: help?.id ?? null } })
          : await call('updateStory', {
              params: { id: story.id },
              body: {
                ...changesOf(story, values),
                ...(picture === 'removed' ? { imageUrl: null } : {}),
                ...(help?.id === linkOf(story)?.id ? {} : { outlayId: help?.id ?? null, seen: seenOf(story) }),
              },
            })
      await savePicture(story?.id ?? saved.story.id)
    } catch (error) {
      showRefusedStory(form, error, story)
      return toast.error(messageOf(error, t`Failed to update story`))
    }
    // Before the dialog closes: an edit that is opened at once must show what was saved.
    await refreshStories()
    onClose()
    toast.success(story === undefined ? t`Impact story created!` : t`Impact story updated!`)
  })
  /** The words are saved by then: a refused picture is said, and can be chosen again in an edit. */
  const savePicture = async (id: string): Promise<void> => {
    if (!(picture instanceof File)) return
    try {
      await call('uploadPoster', { params: { id }, upload: picture })
    } catch (error) {
      toast.error(messageOf(error, t`Your picture could not be uploaded.`))
    }
  }

  return (
    <Modal
      open
      size="lg"
      closeOnOverlay={false}
      onClose={() => (isSubmitting ? undefined : onClose())}
      title={story === undefined ? t`New story` : t`Edit story`}
      footer={
        <>
          <Button kind="secondary" disabled={isSubmitting} onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" form={formId} busy={isSubmitting}>{t`Save story`}</Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void save(event)}>
        {help !== undefined && story?.isTold === true ? (
          <KeptHelp help={help} />
        ) : story?.isActive === true ? null : (
          <HelpField chosen={help} onChoose={link} />
        )}
        <div className="grid two">
          {sides().map((language) => (
            <Side key={language} language={language} form={form} />
          ))}
        </div>
        <TextField
          label={t`Video URL`}
          type="url"
          inputMode="url"
          hint={t`A YouTube link. Leave empty until the video is up.`}
          {...registered(form, 'videoUrl', portalError)}
        />
        <StoryPicture present={story?.imageUrl ?? null} picture={picture} onChange={setPicture} />
      </form>
    </Modal>
  )
}

type SideProps = { readonly language: Language; readonly form: UseFormReturn<StoryValues> }

/** The texts in one language. Only the portal's own language has labels without its name. */
function Side({ language, form }: SideProps) {
  const { t } = useLingui()
  const { errors } = form.formState
  const { name } = SPEECH[language]
  const isOwn = language === currentLanguage()
  const text = (word: StoryWord) => {
    const field = fieldOf(word, language)
    return { lang: language, error: portalError(errors[field]?.message), ...form.register(field) }
  }
  return (
    <div>
      <h3 className="spaced" lang={language}>
        {name}
      </h3>
      <TextField label={isOwn ? t`Title` : t`Title: ${name}`} {...text('title')} />
      <TextAreaField label={isOwn ? t`Description` : t`Description: ${name}`} {...text('description')} />
      <TextField label={isOwn ? t`Charity name` : t`Charity name: ${name}`} {...text('charityName')} />
      <TextAreaField label={isOwn ? t`Charity description` : t`Charity description: ${name}`} {...text('charityDescription')} />
      {isOwn ? null : <p className="small muted">{t`Empty: readers of this language see the other one, marked as such.`}</p>}
    </div>
  )
}
