/** Information pages filled with what is live: stories, videos, the round of today. No figure here is typed in. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, EmptyState } from '../ui/Feedback.tsx'
import { formatDay } from '../ui/format.ts'
import { formatMoney } from '../ui/Money.tsx'
import { Section } from '../ui/Section.tsx'
import { LedgerRow } from '../ui/Split.tsx'
import { usePage } from './context.ts'
import { Heading } from './Frame.tsx'
import { FiguresMissing, PublicVideo, StoryList } from './parts.tsx'
import { Prose } from './Prose.tsx'
import { usePageTitle } from './titles.ts'

export function ImpactVideos() {
  const { t } = useLingui()
  const { data } = usePage()
  const withVideo = data?.stories.filter((story) => story.videoUrl !== null && story.videoUrl !== '') ?? []
  return (
    <>
      <Heading
        title={usePageTitle('impactVideos')}
        when={<Trans>6 PM</Trans>}
        note={<Trans>every day</Trans>}
        lead={<Trans>Daily impact videos are announced for 6 PM: who was helped, with what, and how much it cost.</Trans>}
      />
      <Section when={<Trans>Newest first</Trans>}>
        {data === undefined ? (
          <FiguresMissing />
        ) : withVideo.length === 0 ? (
          <EmptyState title={t`No impact story available yet`} art="cut">
            <Trans>The first impact video will stand here.</Trans>
          </EmptyState>
        ) : (
          <StoryList stories={withVideo} />
        )}
      </Section>
    </>
  )
}

export function VideoDocumentation() {
  const { t } = useLingui()
  const { data } = usePage()
  const withVideo = data?.stories.filter((story) => story.videoUrl !== null && story.videoUrl !== '') ?? []
  return (
    <>
      <Heading title={usePageTitle('videoDocumentation')} lead={<Trans>How we film what your rupees do, and every film so far.</Trans>} />
      <Section when={<Trans>How we film</Trans>}>
        <Prose name="video-documentation" />
      </Section>
      <Section when={<Trans>On film</Trans>}>
        {data === undefined ? (
          <FiguresMissing />
        ) : withVideo.length === 0 ? (
          <EmptyState title={t`No impact story available yet`} art="slip" />
        ) : (
          <div className="story-grid two">
            {withVideo.map((story) => (
              <PublicVideo key={story.id} story={story} />
            ))}
          </div>
        )}
      </Section>
    </>
  )
}

export function ImpactStories() {
  const { data } = usePage()
  return (
    <>
      <Heading title={usePageTitle('impactStories')} lead={<Trans>The people your rupees reached, newest first.</Trans>} />
      <Section when={<Trans>Newest first</Trans>}>{data === undefined ? <FiguresMissing /> : <StoryList stories={data.stories} />}</Section>
    </>
  )
}

export function MoneyTrail() {
  const { data } = usePage()
  return (
    <>
      <Heading
        title={usePageTitle('moneyTrail')}
        lead={<Trans>Every rupee in, and where it goes. From live data, not from a brochure.</Trans>}
      />
      <Section when={<Trans>Today</Trans>} note={data === undefined ? undefined : <RoundDay />}>
        <h2>
          <Trans>In today’s round</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <div className="ledger narrow gap">
            <LedgerRow part="need" label={<Trans>For people in need</Trans>}>
              {formatMoney(data.home.stats.today.charity)}
            </LedgerRow>
            <LedgerRow part="gift" label={<Trans>For members</Trans>}>
              {formatMoney(data.home.stats.today.giveaway)}
            </LedgerRow>
            <LedgerRow part="run" label={<Trans>For the platform</Trans>}>
              {formatMoney(data.home.stats.today.platform)}
            </LedgerRow>
            <LedgerRow sum label={<Trans>Put in today</Trans>}>
              {formatMoney(data.home.stats.today.pool)}
            </LedgerRow>
          </div>
        )}
      </Section>
      <Section when={<Trans>So far</Trans>}>
        <h2>
          <Trans>Set aside for people in need</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <div className="ledger narrow gap">
            <LedgerRow label={<Trans>Settled rounds</Trans>}>{data.home.stats.rounds.toLocaleString('en-IN')}</LedgerRow>
            <LedgerRow label={<Trans>Members who joined</Trans>}>{data.home.stats.totalPeople.toLocaleString('en-IN')}</LedgerRow>
            <LedgerRow sum label={<Trans>For people in need</Trans>}>
              {formatMoney(data.home.stats.totalCharity)}
            </LedgerRow>
          </div>
        )}
      </Section>
      <Section when={<Trans>The rule</Trans>}>
        <Prose name="money-trail" />
      </Section>
    </>
  )
}

function RoundDay() {
  const { data, language } = usePage()
  return data === undefined ? null : formatDay(data.round.id, language)
}

export function DailyReports() {
  const { t } = useLingui()
  const { data, language } = usePage()
  return (
    <>
      <Heading
        title={usePageTitle('dailyReports')}
        lead={<Trans>One page for each day: what came in, who was drawn, who was helped.</Trans>}
      />
      <Section when={<Trans>Today</Trans>} note={data === undefined ? undefined : <RoundDay />}>
        <h2>
          <Trans>Today’s round</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <div className="ledger narrow gap">
            <LedgerRow label={<Trans>Members in the round</Trans>}>{data.round.totalParticipants.toLocaleString('en-IN')}</LedgerRow>
            <LedgerRow sum label={<Trans>Put in today</Trans>}>
              {formatMoney(data.round.totalAmount)}
            </LedgerRow>
          </div>
        )}
      </Section>
      <Section when={<Trans>Before</Trans>}>
        <h2>
          <Trans>Published days</Trans>
        </h2>
        {data === undefined ? (
          <FiguresMissing />
        ) : data.stories.length === 0 ? (
          <div className="gap">
            <EmptyState title={t`No impact stories yet`}>
              <Trans>A day stands here once its story is published.</Trans>
            </EmptyState>
          </div>
        ) : (
          <ul className="ledger days gap">
            {data.stories.map((story) => (
              <li key={story.id}>
                <time dateTime={story.date}>{formatDay(story.date, language)}</time>
                <span>{story.title}</span>
                {story.winnerInfo?.assurance === 'weak' ? (
                  <Badge tone="waiting">
                    <Trans>Demo draw</Trans>
                  </Badge>
                ) : null}
                <span className="amount">{formatMoney(story.amount)}</span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}
