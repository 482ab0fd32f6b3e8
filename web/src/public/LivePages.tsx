/** Information pages with published stories and videos. */
import { Trans, useLingui } from '@lingui/react/macro'
import { langOf } from '../features/OtherLanguage.tsx'
import { EmptyState } from '../ui/Feedback.tsx'
import { formatDay } from '../ui/format.ts'
import { Section } from '../ui/Section.tsx'
import { usePage } from './context.ts'
import { Heading } from './Frame.tsx'
import { FiguresMissing, OlderRows, PublicVideo, StoryCard, StoryList } from './parts.tsx'
import { Prose } from './Prose.tsx'
import { usePageTitle } from './titles.ts'

export function ImpactVideos() {
  const { t } = useLingui()
  const { data, to } = usePage()
  const withVideo = data?.stories.filter((story) => story.videoUrl !== null && story.videoUrl !== '') ?? []
  return (
    <>
      <Heading
        title={usePageTitle('impactVideos')}
        lead={<Trans>Daily impact videos are announced for 6 PM: who was helped, with what, and how much it cost.</Trans>}
      />
      <Section when={<Trans>Newest first</Trans>}>
        {data === undefined ? (
          <FiguresMissing />
        ) : withVideo.length === 0 ? (
          <EmptyState title={t`No impact story available yet`} art="cut">{t`The first impact video will appear here.`}</EmptyState>
        ) : (
          <StoryList stories={withVideo} />
        )}
        {data === undefined || data.storiesNext === null ? null : (
          <p className="gap">
            <a className="tap" href={to('impactStories')}>{t`All impact stories`}</a>
          </p>
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
      <Heading title={usePageTitle('videoDocumentation')} lead={<Trans>How we show what your rupees do, and all videos so far.</Trans>} />
      <Section when={<Trans>How we make videos</Trans>}>
        <Prose name="video-documentation" />
      </Section>
      <Section when={<Trans>Videos</Trans>}>
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
  const { data, subject, language, to } = usePage()
  if (subject?.kind === 'story') {
    return (
      <>
        <Heading
          title={subject.story.title}
          lang={langOf(subject.story.languages.title, language)}
          when={formatDay(subject.story.date, language)}
        />
        <Section>
          <StoryCard story={subject.story} alone />
          <p className="gap">
            <a className="tap" href={to('impactStories')}>
              <Trans>All impact stories</Trans>
            </a>
          </p>
        </Section>
      </>
    )
  }
  return (
    <>
      <Heading title={usePageTitle('impactStories')} lead={<Trans>Stories of the help, newest first.</Trans>} />
      <Section when={<Trans>Newest first</Trans>}>
        {data === undefined ? (
          <FiguresMissing />
        ) : (
          <>
            <StoryList stories={data.stories} />
            <ol className="day-pages gap" hidden />
            <OlderRows cursor={data.storiesNext} page="impactStories" from="/api/impact/stories?limit=25">
              <Trans>Show older stories</Trans>
            </OlderRows>
          </>
        )}
      </Section>
    </>
  )
}
