/** The form of a story, for a new draft and for an edit. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Story } from '@roz/contract/impact.ts'
import { useId } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { queryClient } from '../../app/query.ts'
import { Button } from '../../ui/Button.tsx'
import { TextAreaField, TextField } from '../../ui/Field.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { toast } from '../../ui/Toast.tsx'
import { tellFirst, useRules } from '../forms.ts'
import { refreshPortal } from './queries.ts'
import { showRefusedStory, storyRules, type StoryValues } from './story-fields.ts'
import { wordsOf } from './words.ts'

const valuesOf = (story: Story | undefined): StoryValues => ({
  title: story?.title ?? '',
  description: story?.description ?? '',
  charityName: story?.charity.name ?? '',
  charityDescription: story?.charity.description ?? '',
  videoUrl: story?.videoUrl ?? '',
})

export function StoryDialog({ story, onClose }: { readonly story?: Story; readonly onClose: () => void }) {
  const { t } = useLingui()
  const formId = useId()
  const form = useRules<StoryValues>(storyRules, valuesOf(story))
  const { errors, isSubmitting } = form.formState

  const save = form.handleSubmit(
    async (values) => {
      const body = {
        title: values.title,
        description: values.description,
        charity: { name: values.charityName, description: values.charityDescription },
        videoUrl: values.videoUrl === '' ? null : values.videoUrl,
      }
      try {
        if (story === undefined) await call('createStory', { body })
        else await call('updateStory', { params: { id: story.id }, body })
      } catch (error) {
        showRefusedStory(form, error)
        return toast.error(messageOf(error, t`Failed to update story`))
      }
      onClose()
      toast.success(story === undefined ? t`Impact story created!` : t`Impact story updated!`)
      await Promise.all([refreshPortal(), queryClient.invalidateQueries({ queryKey: ['stories'] })])
    },
    tellFirst(form, wordsOf),
  )

  return (
    <Modal
      open
      size="lg"
      closeOnOverlay={false}
      onClose={onClose}
      title={story === undefined ? <Trans>New story</Trans> : <Trans>Edit story</Trans>}
      footer={
        <>
          <Button kind="secondary" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" form={formId} busy={isSubmitting}>
            <Trans>Save story</Trans>
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={(event) => void save(event)}>
        <TextField label={t`Title`} error={wordsOf(errors.title?.message)} {...form.register('title')} />
        <TextAreaField label={t`Description`} error={wordsOf(errors.description?.message)} {...form.register('description')} />
        <TextField label={t`Charity name`} error={wordsOf(errors.charityName?.message)} {...form.register('charityName')} />
        <TextAreaField
          label={t`Charity description`}
          error={wordsOf(errors.charityDescription?.message)}
          {...form.register('charityDescription')}
        />
        <TextField
          label={t`Video URL`}
          type="url"
          inputMode="url"
          hint={t`A YouTube link. Leave empty until the video is up.`}
          error={wordsOf(errors.videoUrl?.message)}
          {...form.register('videoUrl')}
        />
      </form>
    </Modal>
  )
}
