/** The member's notices, newest first. Unread ones are highlighted, and can be marked read one by one or all at once. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call, messageOf } from '../../app/api.ts'
import { withDraws } from '../../app/settings.ts'
import { currentLanguage } from '../../app/language.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, EmptyState } from '../../ui/Feedback.tsx'
import { formatInstant } from '../../ui/format.ts'
import { Book, CardSection } from '../../ui/Layout.tsx'
import { Unbroken } from '../../ui/Unbroken.tsx'
import { toast } from '../../ui/Toast.tsx'
import { paths, publicPath } from '../../paths.ts'
import { serverNowMs } from '../clock.ts'
import { MuteButton } from '../impact/MuteStory.tsx'
import { Listing } from '../Listing.tsx'
import { noticesQuery } from '../queries.ts'
import { TodaySection } from '../TodaySection.tsx'
import { Preferences } from './Preferences.tsx'
import { ResultsOnDevice } from './ResultsOnDevice.tsx'

const PASS_ON_MS = 30 * 86_400_000
type Notice = Output<Api['notifications']>['notifications'][number]

export function NotificationsPage() {
  const { t } = useLingui()
  const client = useQueryClient()
  const list = useInfiniteQuery(noticesQuery)
  const unread = list.data?.pages.at(-1)?.unread ?? 0
  const read = useMutation({
    mutationFn: (ids: string[] | undefined) => call('readNotifications', { body: ids === undefined ? {} : { ids } }),
    onError: (error) => toast.error(messageOf(error, t`Network error. Please check your connection and try again.`)),
    onSettled: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  })

  return (
    <Book title={t`Notifications`}>
      <TodaySection>
        <div className="head-row spaced">
          <div>
            <h1>{t`Notifications`}</h1>
            {(list.data?.pages[0]?.notifications.length ?? 0) === 0 ? null : (
              <p className="muted unread-count" role="status">
                <Plural value={unread} _0="Everything is read." one="# unread" other="# unread" />
              </p>
            )}
          </div>
          {unread > 0 ? (
            <Button kind="secondary" busy={read.isPending && read.variables === undefined} onClick={() => read.mutate(undefined)}>
              <Trans>Mark all as read</Trans>
            </Button>
          ) : null}
        </div>
        <Listing
          list={list}
          itemsOf={(page) => page.notifications}
          failed={t`Your notifications could not be loaded.`}
          empty={
            <EmptyState art="slip" title={t`No notifications yet`}>
              {withDraws()
                ? t`You'll see a note here when Auto Participate joins a round, you win, or your wallet runs low.`
                : t`You'll see a note here when Auto Participate joins a round, or your wallet runs low.`}
            </EmptyState>
          }
          lines={4}
        >
          {(notices) => (
            <ul className="notices">
              {notices.map((notice) => (
                <NoticeRow
                  key={notice.id}
                  notice={notice}
                  busy={read.isPending && (read.variables?.includes(notice.id) ?? false)}
                  onRead={() => read.mutate([notice.id])}
                />
              ))}
            </ul>
          )}
        </Listing>
      </TodaySection>
      {/* Appear together with the list: the list would otherwise push them down. */}
      {list.isPending ? null : (
        <>
          <CardSection when={t`By email`} note={t`what we write`}>
            <Preferences />
          </CardSection>
          <CardSection when={t`On this device`} note={t`the result`}>
            <ResultsOnDevice />
          </CardSection>
        </>
      )}
    </Book>
  )
}

function NoticeRow({ notice, busy, onRead }: { readonly notice: Notice; readonly busy: boolean; readonly onRead: () => void }) {
  const { t } = useLingui()
  const { title } = notice
  const isUnread = notice.readAt === null
  return (
    <li className={isUnread ? 'unread' : undefined}>
      <h2 className="notice-title">
        {title} {isUnread ? <Badge tone="live">{t`New`}</Badge> : null}
      </h2>
      <p>
        <Unbroken text={notice.body} />
      </p>
      {withDraws() && notice.kind === 'won' && serverNowMs() - Date.parse(notice.createdAt) < PASS_ON_MS ? (
        <p>
          <Link className="tap" to={paths.wallet} hash="pass-on">{t`Pass it on`}</Link>
        </p>
      ) : null}
      {notice.storyId === null ? null : (
        <p className="buttons">
          <a
            className="tap"
            href={`${publicPath('impactStories', currentLanguage())}/${notice.storyId}`}
            aria-label={t`Read the story: ${title}`}
          >
            <Trans>Read the story</Trans>
          </a>
          <MuteButton storyId={notice.storyId} muted={notice.isStoryMuted} about={title} />
        </p>
      )}
      <div className="head-row">
        <time className="small muted" dateTime={notice.createdAt}>
          {formatInstant(notice.createdAt, currentLanguage())}
        </time>
        {isUnread ? (
          <Button kind="quiet" aria-label={t`Mark as read: ${title}`} busy={busy} onClick={onRead}>{t`Mark as read`}</Button>
        ) : null}
      </div>
    </li>
  )
}
