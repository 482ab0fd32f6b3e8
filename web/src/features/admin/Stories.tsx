/** The portal's impact stories: drafts and published ones. An administrator writes, edits, publishes and unpublishes them. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Story } from '@roz/contract/impact.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { queryClient } from '../../app/query.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, EmptyState } from '../../ui/Feedback.tsx'
import { formatDay } from '../../ui/format.ts'
import { Modal } from '../../ui/Modal.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { toast } from '../../ui/Toast.tsx'
import { CharityName } from '../CharityName.tsx'
import { Listing } from '../Listing.tsx'
import { adminStoriesQuery, refreshPortal } from './queries.ts'
import { StoryDialog } from './StoryDialog.tsx'

/** The purpose of the tab's one open dialog. */
type Open = { readonly for: 'new' } | { readonly for: 'edit' | 'unpublish'; readonly story: Story }

export function Stories() {
  const { t } = useLingui()
  const list = useInfiniteQuery(adminStoriesQuery)
  const [open, setOpen] = useState<Open>()
  const publish = useMutation({
    mutationFn: ({ story, isActive }: { readonly story: Story; readonly isActive: boolean }) =>
      call('updateStory', { params: { id: story.id }, body: { isActive } }),
    onSuccess: (_, { isActive }) => toast.success(isActive ? t`Story published successfully!` : t`The story was taken back.`),
    onError: (error, { isActive }) => toast.error(messageOf(error, isActive ? t`Failed to publish story` : t`Failed to update story`)),
    onSettled: async () => {
      setOpen(undefined)
      await Promise.all([refreshPortal(), queryClient.invalidateQueries({ queryKey: ['stories'] })])
    },
  })

  return (
    <>
      <div className="head-row spaced">
        <h2>
          <Trans>Impact Stories</Trans>
        </h2>
        <Button onClick={() => setOpen({ for: 'new' })}>
          <Trans>New story</Trans>
        </Button>
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
                busy={publish.isPending && publish.variables.story.id === story.id}
                onEdit={() => setOpen({ for: 'edit', story })}
                onPublish={() => publish.mutate({ story, isActive: true })}
                onUnpublish={() => setOpen({ for: 'unpublish', story })}
              />
            ))}
          </ul>
        )}
      </Listing>
      {open?.for === 'new' ? <StoryDialog onClose={() => setOpen(undefined)} /> : null}
      {open?.for === 'edit' ? <StoryDialog story={open.story} onClose={() => setOpen(undefined)} /> : null}
      <Modal
        open={open?.for === 'unpublish'}
        size="sm"
        onClose={() => setOpen(undefined)}
        title={<Trans>Take this story back?</Trans>}
        footer={
          <>
            <Button kind="secondary" onClick={() => setOpen(undefined)}>
              <Trans>Cancel</Trans>
            </Button>
            <Button
              kind="danger"
              busy={publish.isPending}
              onClick={() => (open?.for === 'unpublish' ? publish.mutate({ story: open.story, isActive: false }) : undefined)}
            >
              <Trans>Unpublish</Trans>
            </Button>
          </>
        }
      >
        <p>{open?.for === 'unpublish' ? open.story.title : null}</p>
        <p className="muted under-button">
          <Trans>It disappears from the site and becomes a draft again.</Trans>
        </p>
      </Modal>
    </>
  )
}

type StoryRowProps = {
  readonly story: Story
  readonly busy: boolean
  readonly onEdit: () => void
  readonly onPublish: () => void
  readonly onUnpublish: () => void
}

function StoryRow({ story, busy, onEdit, onPublish, onUnpublish }: StoryRowProps) {
  const { t } = useLingui()
  const { title } = story
  return (
    <li>
      <div>
        <h3>{title}</h3>
        <p className="small muted">
          {formatDay(story.date, currentLanguage())}, {formatMoney(story.amount)}, <CharityName name={story.charity.name} />
        </p>
      </div>
      {story.isActive ? (
        <Badge tone="live">
          <Trans>Published</Trans>
        </Badge>
      ) : (
        <Badge tone="waiting">
          <Trans>Draft</Trans>
        </Badge>
      )}
      <div className="buttons">
        <Button kind="secondary" aria-label={t`Edit: ${title}`} onClick={onEdit}>
          <Trans>Edit</Trans>
        </Button>
        {story.isActive ? (
          <Button kind="quiet" busy={busy} aria-label={t`Unpublish: ${title}`} onClick={onUnpublish}>
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
