/**
 * The portal's impact stories: drafts, scheduled and published ones. An editor writes, previews, schedules, publishes and unpublishes
 * them.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import type { PortalStory } from '@roz/contract/impact.ts'
import { EDITORS } from '@roz/contract/roles.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, EmptyState } from '../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../ui/format.ts'
import { Modal } from '../../ui/Modal.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { CharityName } from '../CharityName.tsx'
import { StoryViewer } from '../impact/StoryViewer.tsx'
import { Listing } from '../Listing.tsx'
import { adminStoriesQuery, refreshStories } from './queries.ts'
import { StoryDialog } from './StoryDialog.tsx'
import { StorySchedule } from './StorySchedule.tsx'
import { useMay } from './use-may.ts'

/** The purpose of the tab's one open dialog. */
type Purpose = 'edit' | 'preview' | 'schedule' | 'unpublish'
type Open = { readonly for: 'new' } | { readonly for: Purpose; readonly story: PortalStory }

export function Stories() {
  const { t } = useLingui()
  const mayEdit = useMay(EDITORS)
  const list = useInfiniteQuery(adminStoriesQuery)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const publish = useMutation({
    mutationFn: ({ story, isActive }: { readonly story: PortalStory; readonly isActive: boolean }) =>
      call('updateStory', { params: { id: story.id }, body: { isActive } }),
    onSuccess: (_, { isActive }) => toast.success(isActive ? t`Story published successfully!` : t`The story was taken back.`),
    onError: (error, { isActive }) => toast.error(messageOf(error, isActive ? t`Failed to publish story` : t`Failed to update story`)),
    onSettled: async () => {
      close()
      await refreshStories()
    },
  })

  return (
    <>
      <div className="head-row spaced">
        <h2>
          <Trans>Impact Stories</Trans>
        </h2>
        {mayEdit ? (
          <Button onClick={() => setOpen({ for: 'new' })}>
            <Trans>New story</Trans>
          </Button>
        ) : null}
      </div>
      <Listing
        list={list}
        itemsOf={(page) => page.stories}
        failed={t`The stories could not be loaded.`}
        empty={
          <EmptyState art="slip" title={t`No impact stories yet`}>
            <Trans>Each settled round creates a draft here.</Trans>
          </EmptyState>
        }
      >
        {(stories) => (
          <ul className="story-rows">
            {stories.map((story) => (
              <StoryRow
                key={story.id}
                story={story}
                mayEdit={mayEdit}
                busy={publish.isPending && publish.variables.story.id === story.id}
                onOpen={(purpose) => setOpen({ for: purpose, story })}
                onPublish={() => publish.mutate({ story, isActive: true })}
              />
            ))}
          </ul>
        )}
      </Listing>
      {open?.for === 'new' ? <StoryDialog onClose={close} /> : null}
      {open?.for === 'edit' ? <StoryDialog story={open.story} onClose={close} /> : null}
      {open?.for === 'schedule' ? <StorySchedule story={open.story} onClose={close} /> : null}
      {open?.for === 'preview' ? <Preview story={open.story} onClose={close} /> : null}
      {open?.for === 'unpublish' ? (
        <Unpublish
          story={open.story}
          busy={publish.isPending}
          onClose={close}
          onConfirm={() => publish.mutate({ story: open.story, isActive: false })}
        />
      ) : null}
    </>
  )
}

/** The story as the members' screen shows it. */
function Preview({ story, onClose }: { readonly story: PortalStory; readonly onClose: () => void }) {
  return (
    <Modal open size="xl" onClose={onClose} title={<Trans>As members see it</Trans>}>
      <StoryViewer story={{ ...story, isActive: true }} preview />
    </Modal>
  )
}

type UnpublishProps = {
  readonly story: PortalStory
  readonly busy: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
}

function Unpublish({ story, busy, onClose, onConfirm }: UnpublishProps) {
  return (
    <Modal
      open
      size="sm"
      onClose={onClose}
      title={<Trans>Take this story back?</Trans>}
      footer={
        <>
          <Button kind="secondary" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button kind="danger" busy={busy} onClick={onConfirm}>
            <Trans>Unpublish</Trans>
          </Button>
        </>
      }
    >
      <p>{story.title}</p>
      <p className="muted under-button">
        <Trans>It disappears from the site and becomes a draft again.</Trans>
      </p>
    </Modal>
  )
}

type StoryRowProps = {
  readonly story: PortalStory
  readonly mayEdit: boolean
  readonly busy: boolean
  readonly onOpen: (purpose: Purpose) => void
  readonly onPublish: () => void
}

function StoryRow({ story, mayEdit, busy, onOpen, onPublish }: StoryRowProps) {
  const { t } = useLingui()
  const { title, isActive, publishAt } = story
  return (
    <li>
      <div>
        <h3>{title}</h3>
        <p className="small muted">
          {formatDay(story.date, currentLanguage())}, {formatMoney(story.amount)}, <CharityName name={story.charity.name} />
        </p>
      </div>
      <StoryState story={story} />
      <div className="buttons">
        <Button kind="quiet" aria-label={t`Preview: ${title}`} onClick={() => onOpen('preview')}>
          <Trans>Preview</Trans>
        </Button>
        {mayEdit ? (
          <Button kind="secondary" aria-label={t`Edit: ${title}`} onClick={() => onOpen('edit')}>
            <Trans>Edit</Trans>
          </Button>
        ) : null}
        {mayEdit && !isActive ? (
          <Button kind="secondary" aria-label={t`Schedule: ${title}`} onClick={() => onOpen('schedule')}>
            {publishAt === null ? <Trans>Schedule</Trans> : <Trans>Change the time</Trans>}
          </Button>
        ) : null}
        {!mayEdit ? null : isActive ? (
          <Button kind="quiet" busy={busy} aria-label={t`Unpublish: ${title}`} onClick={() => onOpen('unpublish')}>
            <Trans>Unpublish</Trans>
          </Button>
        ) : (
          <Button busy={busy} aria-label={t`Publish: ${title}`} onClick={onPublish}>
            <Trans>Publish</Trans>
          </Button>
        )}
      </div>
    </li>
  )
}

function StoryState({ story: { isActive, publishAt } }: { readonly story: PortalStory }) {
  if (isActive)
    return (
      <Badge tone="live">
        <Trans>Published</Trans>
      </Badge>
    )
  if (publishAt === null)
    return (
      <Badge tone="waiting">
        <Trans>Draft</Trans>
      </Badge>
    )
  return (
    <div>
      <Badge tone="good">
        <Trans>Scheduled</Trans>
      </Badge>
      <time className="small muted block" dateTime={publishAt}>
        {formatInstant(publishAt, currentLanguage())}
      </time>
    </div>
  )
}
