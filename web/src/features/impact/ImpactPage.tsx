/** The impact screen: the member's figures, one story in full, and the list of all stories. */
import { useLingui } from '@lingui/react/macro'
import type { Story } from '@roz/contract/impact.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { formatCount } from '@roz/core/numbers.ts'
import { currentLanguage } from '../../app/language.ts'
import { EmptyState, ErrorState, Skeleton, SkeletonBlock, StatTile, StatTiles } from '../../ui/Feedback.tsx'
import { formatDay } from '../../ui/format.ts'
import { Book, CardSection } from '../../ui/Layout.tsx'
import { Money } from '../../ui/Money.tsx'
import { CharityName } from '../CharityName.tsx'
import { langOf, OtherLanguage } from '../OtherLanguage.tsx'
import { Listing } from '../Listing.tsx'
import { PeopleHelped } from '../PeopleHelped.tsx'
import { impactStatsQuery, storiesQuery } from '../queries.ts'
import { Age } from './Age.tsx'
import { CharityBadge } from './CharityBadge.tsx'
import { HelpAmount } from './HelpAmount.tsx'
import { StoryViewer } from './StoryViewer.tsx'
import { TodaySection } from '../TodaySection.tsx'

export function ImpactPage() {
  const { t } = useLingui()
  const list = useInfiniteQuery(storiesQuery)
  const [chosenId, setChosenId] = useState<string>()
  const viewer = useRef<HTMLDivElement>(null)
  const stories = list.data?.pages.flatMap((page) => page.stories)
  const chosen = stories?.find((story) => story.id === chosenId) ?? stories?.[0]

  const choose = (story: Story): void => {
    setChosenId(story.id)
    viewer.current?.scrollIntoView({ block: 'start' })
    viewer.current?.focus({ preventScroll: true })
  }

  return (
    <Book title={t`Impact`}>
      <TodaySection>
        <h1>{t`Impact`}</h1>
        <Figures />
      </TodaySection>
      {stories === undefined && list.isError ? (
        <CardSection when={t`Stories`}>
          <ErrorState title={t`The stories could not be loaded.`} busy={list.isFetching} onRetry={() => void list.refetch()} />
        </CardSection>
      ) : (
        <>
          <CardSection
            when={chosen === undefined ? t`Story` : formatDay(chosen.date, currentLanguage())}
            note={chosen && <Age day={chosen.date} />}
          >
            <div ref={viewer} tabIndex={-1} className="story-viewer">
              {chosen !== undefined ? (
                <StoryViewer key={chosen.id} story={chosen} />
              ) : stories === undefined ? (
                <>
                  <SkeletonBlock kind="video" />
                  <Skeleton lines={4} />
                </>
              ) : (
                <EmptyState art="cut" title={t`No impact story available yet`}>{t`The day's video is announced for 6 PM.`}</EmptyState>
              )}
            </div>
          </CardSection>
          {/* Appears together with the story: the story would otherwise push it down. */}
          {stories === undefined ? null : (
            <CardSection when={t`So far`} note={t`newest first`}>
              <h2 className="spaced">{t`All impact stories`}</h2>
              <Listing
                list={list}
                itemsOf={(page) => page.stories}
                failed={t`The stories could not be loaded.`}
                empty={<EmptyState art="slip" title={t`No impact stories yet`} />}
              >
                {(all) => (
                  <ul className="story-list">
                    {all.map((story) => (
                      <StoryRow key={story.id} story={story} current={story.id === chosen?.id} onChoose={() => choose(story)} />
                    ))}
                  </ul>
                )}
              </Listing>
            </CardSection>
          )}
        </>
      )}
    </Book>
  )
}

function Figures() {
  const { t } = useLingui()
  const stats = useQuery(impactStatsQuery)
  if (stats.isError && stats.data === undefined)
    return <ErrorState title={t`These figures could not be loaded.`} busy={stats.isFetching} onRetry={() => void stats.refetch()} />
  const { data } = stats
  return (
    <div className="trio">
      <StatTiles columns={3}>
        <StatTile label={t`Total contributed`}>{data && <Money amount={data.totalDonated} />}</StatTile>
        <StatTile label={t`Charities supported`}>{data && formatCount(data.charitiesSupported)}</StatTile>
        <StatTile label={t`Days active`}>{data && formatCount(data.daysActive)}</StatTile>
      </StatTiles>
      <PeopleHelped />
    </div>
  )
}

function StoryRow({ story, current, onChoose }: { readonly story: Story; readonly current: boolean; readonly onChoose: () => void }) {
  return (
    <li>
      <button type="button" aria-current={current ? 'true' : undefined} onClick={onChoose}>
        <span className="story-title" lang={langOf(story.languages.title, currentLanguage())}>
          {story.title}
          <OtherLanguage text={story.languages.title} reader={currentLanguage()} />
        </span>
        <span className="amount">
          <HelpAmount story={story} />
        </span>
        <span className="small muted">
          <CharityName name={story.charity.name} />, <Age day={story.date} />
        </span>
        <span className="end">
          <CharityBadge name={story.charity.name} />
        </span>
      </button>
    </li>
  )
}
