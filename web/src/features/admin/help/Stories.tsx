/**
 * The portal's impact stories: drafts, scheduled and published ones. An editor writes, previews, schedules, publishes and unpublishes
 * them, and deletes a draft that was never published.
 */
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import type { PortalStory, StoryState } from '@roz/contract/impact.ts'
import { EDITORS } from '@roz/contract/roles.ts'
import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { CharityName, isPendingCharity } from '../../CharityName.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { langOf, OtherLanguage } from '../../OtherLanguage.tsx'
import { useNarrowing } from '../money/MoneyRows.tsx'
import { adminStoriesQuery, refreshStories } from '../queries.ts'
import type { Shown } from '../states.ts'
import { Delete, Preview, Publish, Unpublish } from './StoryActions.tsx'
import { StoryDialog } from './StoryDialog.tsx'
import { seenOf, storyFor } from './story-fields.ts'
import { StorySchedule } from './StorySchedule.tsx'
import { useMay } from '../use-may.ts'

const STATES = {
  unpublished: { tone: 'waiting', label: msg`Not published` },
  late: { tone: 'waiting', label: msg`Not published by 6 PM` },
  scheduled: { tone: 'good', label: msg`Scheduled` },
  published: { tone: 'live', label: msg`Published` },
  lacks_language: { tone: 'waiting', label: msg`A language is missing` },
} as const satisfies Record<StoryState, Shown>

/** The purpose of the tab's one open dialog. */
type Purpose = 'edit' | 'preview' | 'schedule' | 'publish' | 'unpublish' | 'delete'
type Open = { readonly for: 'new' } | { readonly for: Purpose; readonly story: PortalStory }

export function Stories() {
  const { t } = useLingui()
  const mayEdit = useMay(EDITORS)
  const { story: only } = useSearch({ strict: false })
  const { narrowing, fields } = useNarrowing(STATES, t`Search stories`, t`Words in any language`)
  const list = useInfiniteQuery(adminStoriesQuery(only, narrowing))
  const isWhole = narrowing.status === '' && narrowing.q === ''
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const settled = async (): Promise<void> => {
    close()
    await refreshStories()
  }
  const publish = useMutation({
    mutationFn: ({ story, isActive }: { readonly story: PortalStory; readonly isActive: boolean }) =>
      call('updateStory', { params: { id: story.id }, body: isActive ? { isActive, seen: seenOf(story) } : { isActive } }),
    onSuccess: (_, { isActive }) => toast.success(isActive ? t`Story published successfully!` : t`The story was taken back.`),
    onError: (error, { isActive }) => toast.error(messageOf(error, isActive ? t`Failed to publish story` : t`Failed to update story`)),
    onSettled: settled,
  })
  const remove = useMutation({
    mutationFn: (story: PortalStory) => call('deleteStory', { params: { id: story.id } }),
    onSuccess: () => toast.success(t`The draft is deleted.`),
    onError: (error) => toast.error(messageOf(error, t`Failed to update story`)),
    onSettled: settled,
  })

  return (
    <>
      <ListHead title={t`Impact Stories`}>
        {mayEdit ? <Button onClick={() => setOpen({ for: 'new' })}>{t`New story`}</Button> : null}
      </ListHead>
      {only === undefined ? (
        fields
      ) : (
        <p className="spaced">
          <Link to={paths.adminDashboard} search={{ tab: 'stories' }}>{t`All stories`}</Link>
        </p>
      )}
      <RowList
        list={list}
        itemsOf={(page) => page.stories}
        failed={t`The stories could not be loaded.`}
        empty={isWhole ? t`No impact stories yet` : t`No stories found`}
        hint={isWhole ? t`Each settled round creates a draft here.` : undefined}
      >
        {(story) => <StoryRow key={story.id} story={story} mayEdit={mayEdit} onOpen={(purpose) => setOpen({ for: purpose, story })} />}
      </RowList>
      {open?.for === 'new' ? <StoryDialog onClose={close} /> : null}
      {open?.for === 'edit' ? <StoryDialog story={open.story} onClose={close} /> : null}
      {open?.for === 'schedule' ? <StorySchedule story={storyFor(open.story)} onClose={close} /> : null}
      {open?.for === 'preview' ? <Preview story={storyFor(open.story)} onClose={close} /> : null}
      {open?.for === 'publish' ? (
        <Publish
          story={storyFor(open.story)}
          busy={publish.isPending}
          onClose={close}
          onConfirm={() => publish.mutate({ story: open.story, isActive: true })}
        />
      ) : null}
      {open?.for === 'delete' ? (
        <Delete story={storyFor(open.story)} busy={remove.isPending} onClose={close} onConfirm={() => remove.mutate(open.story)} />
      ) : null}
      {open?.for === 'unpublish' ? (
        <Unpublish
          story={storyFor(open.story)}
          busy={publish.isPending}
          onClose={close}
          onConfirm={() => publish.mutate({ story: open.story, isActive: false })}
        />
      ) : null}
    </>
  )
}

type StoryRowProps = {
  readonly story: PortalStory
  readonly mayEdit: boolean
  readonly onOpen: (purpose: Purpose) => void
}

/** Outlined buttons first, quiet ones after them. Only a story with a named person offers its publication as the next step. */
function StoryRow({ story: written, mayEdit, onOpen }: StoryRowProps) {
  const { t } = useLingui()
  const story = storyFor(written)
  const { title, isActive, publishAt, help, wasPublished } = story
  const purpose = help?.purpose ?? ''
  const helped = help?.publicName ?? ''
  const isReady = help !== null || !isPendingCharity(story.charity.name)
  return (
    <li>
      <div>
        <h3 lang={langOf(story.languages.title, currentLanguage())}>
          {title}
          <OtherLanguage text={story.languages.title} reader={currentLanguage()} />
        </h3>
        <p className="small muted">
          <Unbroken text={formatDay(story.date, currentLanguage())} />, {formatMoney(story.amount)},{' '}
          <CharityName name={story.charity.name} />
        </p>
        {help === null ? null : <p className="small muted">{t`About: ${purpose}, ${helped}`}</p>}
      </div>
      <StoryState story={story} />
      <div className="buttons">
        {mayEdit ? <Button kind="secondary" aria-label={t`Edit: ${title}`} onClick={() => onOpen('edit')}>{t`Edit`}</Button> : null}
        {mayEdit && !isActive ? (
          <>
            <Button kind={isReady ? 'primary' : 'secondary'} aria-label={t`Publish: ${title}`} onClick={() => onOpen('publish')}>
              <Trans>Publish</Trans>
            </Button>
            <Button kind="secondary" aria-label={t`Schedule: ${title}`} onClick={() => onOpen('schedule')}>
              {publishAt === null ? t`Schedule` : t`Change the time`}
            </Button>
          </>
        ) : null}
        <Button kind="quiet" aria-label={t`Preview: ${title}`} onClick={() => onOpen('preview')}>{t`Preview`}</Button>
        {mayEdit && isActive ? (
          <Button kind="quiet" aria-label={t`Unpublish: ${title}`} onClick={() => onOpen('unpublish')}>{t`Unpublish`}</Button>
        ) : null}
        {mayEdit && !wasPublished ? (
          <Button kind="quiet" aria-label={t`Delete: ${title}`} onClick={() => onOpen('delete')}>{t`Delete`}</Button>
        ) : null}
      </div>
    </li>
  )
}

function StoryState({ story: { isActive, publishAt } }: { readonly story: PortalStory }) {
  const { t } = useLingui()
  if (isActive) return <Badge tone="live">{t`Published`}</Badge>
  if (publishAt === null) return <Badge tone="waiting">{t`Draft`}</Badge>
  return (
    <div>
      <Badge tone="good">{t`Scheduled`}</Badge>
      <time className="small muted block" dateTime={publishAt}>
        {formatInstant(publishAt, currentLanguage())}
      </time>
    </div>
  )
}
