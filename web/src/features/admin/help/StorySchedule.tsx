/** Schedules a draft: it becomes public by itself at a day and time in India, 6 PM unless the editor chooses another. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { PortalStory } from '@roz/contract/impact.ts'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { useState } from 'react'
import { ApiError, call, messageOf } from '../../../app/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { serverNowMs } from '../../clock.ts'
import { fromIndia, inIndia } from '../india-time.ts'
import { refreshStories } from '../queries.ts'
import { seenOf } from './story-fields.ts'
import { Publication } from './StoryActions.tsx'

/** The next 6 PM in India, as a date-time field writes it. */
function nextSixPm(): string {
  const today = dayAt(serverNowMs())
  const isOver = serverNowMs() >= Date.parse(fromIndia(`${today}T18:00`))
  return `${isOver ? addDays(today, 1) : today}T18:00`
}

export function StorySchedule({ story, onClose }: { readonly story: PortalStory; readonly onClose: () => void }) {
  const { t } = useLingui()
  const [at, setAt] = useState(() => (story.publishAt === null ? nextSixPm() : inIndia(story.publishAt)))
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState<'set' | 'end'>()

  const send = async (publishAt: string | null): Promise<void> => {
    setBusy(publishAt === null ? 'end' : 'set')
    try {
      await call('updateStory', { params: { id: story.id }, body: publishAt === null ? { publishAt } : { publishAt, seen: seenOf(story) } })
      onClose()
      toast.success(publishAt === null ? t`The story is not scheduled any more.` : t`Story scheduled!`)
    } catch (failure) {
      const ofField = failure instanceof ApiError ? failure.fields.publishAt : undefined
      setError(ofField)
      if (ofField === undefined) toast.error(messageOf(failure, t`Failed to update story`))
      // The list behind shows what it is now.
      if (failure instanceof ApiError && failure.code === 'changed_since_seen') onClose()
    } finally {
      setBusy(undefined)
    }
    await refreshStories()
  }

  return (
    <Modal
      open
      closeOnOverlay={false}
      onClose={() => (busy === undefined ? onClose() : undefined)}
      title={<Trans>Publish at a time</Trans>}
      footer={
        <>
          {story.publishAt === null ? null : (
            <Button kind="danger" busy={busy === 'end'} onClick={() => void send(null)}>{t`Don't publish by itself`}</Button>
          )}
          <Button busy={busy === 'set'} onClick={() => void send(fromIndia(at))}>{t`Schedule`}</Button>
        </>
      }
    >
      <p>{story.title}</p>
      <TextField
        label={t`Day and time (IST)`}
        type="datetime-local"
        value={at}
        hint={t`Videos are announced for 6 PM. You can still edit the story until then.`}
        error={error}
        onChange={(event) => setAt(event.target.value)}
      />
      <Publication story={story} />
    </Modal>
  )
}
