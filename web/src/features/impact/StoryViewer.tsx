/** One story in full: video or picture, the amount, the charity, and the day's winner. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Story } from '@roz/contract/impact.ts'
import { useEffect, useState } from 'react'
import { call } from '../../app/api.ts'
import { brand, currentLanguage } from '../../app/language.ts'
import { pictureOf, publicPath } from '../../paths.ts'
import { Badge, LedgerItem } from '../../ui/Feedback.tsx'
import { formatMoney } from '../../ui/Money.tsx'
import { Share } from '../../ui/Share.tsx'
import { Video } from '../../ui/Video.tsx'
import { CharityName } from '../CharityName.tsx'
import { langOf, OtherLanguage } from '../OtherLanguage.tsx'
import { ChanceOf, MoreWinners, useReward, WinnerLabel } from '../WinnerLabel.tsx'
import { CharityBadge } from './CharityBadge.tsx'
import { FollowUps } from './FollowUps.tsx'
import { MuteStory } from './MuteStory.tsx'

/** Reports the view to the server, which counts one per visitor and day. If the call fails, only the count is lost. */
function useViews(story: Story, preview: boolean): number {
  const [views, setViews] = useState(story.views)
  useEffect(() => {
    const tell = async (): Promise<void> => {
      try {
        setViews((await call('viewStory', { params: { id: story.id } })).views)
      } catch (error) {
        console.warn('Failed to count a view:', error)
      }
    }
    if (!preview) void tell()
  }, [story.id, preview])
  return views
}

function ShareStory({ story }: { readonly story: Story }) {
  const { t } = useLingui()
  const language = currentLanguage()
  const brandName = brand()
  const { title } = story
  // A story written by hand has no amount.
  const paid = formatMoney(story.amount)
  const text = story.sent
    ? t`${title}. Sent to people in need by ${brandName}: ${paid}.`
    : story.amount > 0
      ? t`${title}. Set aside for people in need by ${brandName}: ${paid}.`
      : t`${title}. A story from ${brandName}.`
  const url = `${location.origin}${publicPath('impactStories', language)}/${story.id}`
  return <Share text={text} url={url} picture={pictureOf(story.id, language)} />
}

/** `preview`: an editor looks at it before it is published; the view is not counted. */
export function StoryViewer({ story, preview = false }: { readonly story: Story; readonly preview?: boolean }) {
  const { t } = useLingui()
  const views = useViews(story, preview)
  const reward = useReward()
  const { winnerInfo, charity, languages } = story
  const reader = currentLanguage()
  const hasPicture = Boolean(story.videoUrl) || Boolean(story.imageUrl)
  return (
    <article className={hasPicture ? 'grid two' : undefined}>
      {story.videoUrl ? (
        <div>
          <Video url={story.videoUrl} title={story.title} poster={story.imageUrl} />
        </div>
      ) : story.imageUrl ? (
        <img className="story-image" src={story.imageUrl} alt="" />
      ) : null}
      <div>
        <div className="head-row">
          <h2 lang={langOf(languages.title, reader)}>{story.title}</h2>
          {story.isActive ? <Badge tone="live">{t`Live`}</Badge> : null}
        </div>
        <p className="story-text" lang={langOf(languages.description, reader)}>
          {story.description}
          <OtherLanguage text={languages.description} reader={reader} />
        </p>
        <FollowUps story={story} reader={reader} />
        <ul className="ledger shares">
          {story.amount === 0 ? null : (
            <LedgerItem label={story.sent ? t`Sent to people in need` : t`Set aside for people in need`}>
              {formatMoney(story.amount)}
            </LedgerItem>
          )}
          <li>
            <span>
              <span lang={langOf(languages.charityName, reader)}>
                <CharityName name={charity.name} />
              </span>
              {charity.description === '' ? null : (
                <span className="small muted block" lang={langOf(languages.charityDescription, reader)}>
                  {charity.description}
                </span>
              )}
            </span>
            <span className="amount">
              <CharityBadge name={charity.name} />
            </span>
          </li>
          {winnerInfo === null ? null : (
            <li>
              <span>
                <Trans>Winner of the day: {winnerInfo.name}</Trans>
                <MoreWinners others={winnerInfo.others} />
                <span className="small muted block">
                  <ChanceOf entries={winnerInfo.totalParticipants} others={winnerInfo.others} />
                </span>
              </span>
              <span className="amount">{reward(winnerInfo)}</span>
            </li>
          )}
        </ul>
        {winnerInfo === null ? null : <WinnerLabel {...winnerInfo} />}
        <p className="small muted under-button story-foot">
          <Plural value={views} one="# view" other="# views" />
          {preview ? null : <ShareStory story={story} />}
        </p>
        {preview ? null : <MuteStory storyId={story.id} title={story.title} />}
      </div>
    </article>
  )
}
