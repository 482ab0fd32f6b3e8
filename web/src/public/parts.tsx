/** Parts that several public pages share. */
import { youtubeId } from '@roz/core/youtube.ts'
import type { Story } from '@roz/contract/impact.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { type PublicPage, publicPath } from '../paths.ts'
import { isPendingCharity } from '../features/CharityName.tsx'
import { langOf, OtherLanguage } from '../features/OtherLanguage.tsx'
import { MoreWinners, useReward, Weakness } from '../features/WinnerLabel.tsx'
import { CharityBadge } from '../features/impact/CharityBadge.tsx'
import { FollowUps } from '../features/impact/FollowUps.tsx'
import { HelpAmount } from '../features/impact/HelpAmount.tsx'
import { Art } from '../ui/Art.tsx'
import { formatDay } from '../ui/format.ts'
import { EmptyState } from '../ui/Feedback.tsx'
import { TaxNote, useShares } from '../ui/Split.tsx'
import { InvalidVideo, VideoCover } from '../ui/Video.tsx'
import { usePage } from './context.ts'

/** One line: the split that is in force today, and the tax on a reward. */
export function SplitInForce() {
  const { modes } = usePage()
  const split = useShares(modes.split)
    .map(({ words }) => words)
    .join(', ')
  return (
    <p className="split-now">
      <span className="badge ok">
        <Trans>In force today</Trans>
      </span>
      <span>
        <Trans>{split}.</Trans> <TaxNote {...modes} />
      </span>
    </p>
  )
}

/** How today's split divides one rupee. */
export function SplitOfARupee() {
  const { need, reward, platform, winners } = usePage().modes.split
  if (winners > 1)
    return platform > 0 ? (
      <Trans>
        {need} paise help people in need, {reward} are shared by {winners} winners, {platform} keep the platform running.
      </Trans>
    ) : (
      <Trans>
        {need} paise help people in need, {reward} are shared by {winners} winners.
      </Trans>
    )
  if (winners === 1)
    return platform > 0 ? (
      <Trans>
        {need} paise help people in need, {reward} are the winner's reward, {platform} keep the platform running.
      </Trans>
    ) : (
      <Trans>
        {need} paise help people in need, {reward} are the winner's reward.
      </Trans>
    )
  return platform > 0 ? (
    <Trans>
      {need} paise help people in need, {platform} keep the platform running.
    </Trans>
  ) : (
    <Trans>All of it helps people in need.</Trans>
  )
}

const filmOf = ({ videoUrl }: Story): string | undefined => (videoUrl === null ? undefined : youtubeId(videoUrl))

/** A video that opens in the page's dialog. Without JavaScript it is a link to YouTube. */
export function PublicVideo({ story }: { readonly story: Story }) {
  const { language } = usePage()
  const id = filmOf(story)
  if (id === undefined) return story.videoUrl ? <InvalidVideo /> : null
  const { title } = story
  return (
    <a className="video" href={`https://www.youtube.com/watch?v=${id}`} data-video={id} data-title={title} data-story={story.id}>
      <VideoCover title={title} note={formatDay(story.date, language)} poster={story.imageUrl} />
    </a>
  )
}

/** A story without a video may still have a picture. */
const hasMedia = ({ videoUrl, imageUrl }: Story): boolean => Boolean(videoUrl) || Boolean(imageUrl)

function StoryMedia({ story }: { readonly story: Story }) {
  if (story.videoUrl) return <PublicVideo story={story} />
  return story.imageUrl ? <img className="story-image" src={story.imageUrl} alt="" loading="lazy" /> : null
}

/** A story's words beside its video or picture, or alone. */
export const BesideMedia = ({ story, children }: { readonly story: Story; readonly children: ReactNode }) =>
  hasMedia(story) ? (
    <div className="two">
      <div>
        <StoryMedia story={story} />
      </div>
      <div>{children}</div>
    </div>
  ) : (
    <div className="gap">{children}</div>
  )

/** A placeholder beside stories with pictures, where two columns fit. */
const NoPicture = () => (
  <div className="no-picture">
    <Art name="slip" />
  </div>
)

/** The text of a story, with a mark if it is in another language than the page. */
export function Told({ story: { description, languages } }: { readonly story: Story }) {
  const { language } = usePage()
  return (
    <p className="told" lang={langOf(languages.description, language)}>
      {description}
      <OtherLanguage text={languages.description} reader={language} />
    </p>
  )
}

/** `alone`: on the story's own page, whose heading already shows the title. */
export function StoryCard({ story, alone = false }: { readonly story: Story; readonly alone?: boolean }) {
  const { language, to } = usePage()
  return (
    <article className={alone ? 'story alone' : 'story'} id={story.id}>
      {alone || hasMedia(story) ? <StoryMedia story={story} /> : <NoPicture />}
      {alone ? null : (
        <h2>
          <a href={`${to('impactStories')}/${story.id}`} lang={langOf(story.languages.title, language)}>
            {story.title}
          </a>
        </h2>
      )}
      <p className="small muted">
        {formatDay(story.date, language)} · <StoryAmount story={story} />
        <Plural value={story.views} one="# view" other="# views" />
      </p>
      <Told story={story} />
      <FollowUps story={story} reader={language} level={alone ? 'h2' : 'h3'} />
      <p className="small muted">
        <CharityState story={story} />
      </p>
      <WinnerLine story={story} />
    </article>
  )
}

export function CharityState({ story: { charity, languages } }: { readonly story: Story }) {
  const { language } = usePage()
  return (
    <>
      <CharityBadge name={charity.name} />
      {isPendingCharity(charity.name) ? null : <span lang={langOf(languages.charityName, language)}>{charity.name}</span>}
    </>
  )
}

/** The amount of the story before other words of its line. */
export const StoryAmount = ({ story }: { readonly story: Story }) =>
  story.amount === 0 ? null : (
    <>
      <HelpAmount story={story} /> ·{' '}
    </>
  )

/** The winner of the story's day. A draw that the operator could have steered carries a label. */
export function WinnerLine({ story }: { readonly story: Story }) {
  const reward = useReward()
  const winner = story.winnerInfo
  if (winner === null) return null
  const { name, totalParticipants, others } = winner
  const amount = reward(winner)
  return (
    <p className="small muted">
      <Trans>
        Winner: {name}, {amount}, one of <Plural value={totalParticipants} one="# member" other="# members" />.
      </Trans>
      <MoreWinners others={others} />
      {winner.assurance === 'weak' ? (
        <>
          <br />
          <WeakLabel isDemo={winner.isDemo} several={others > 0} />
        </>
      ) : null}
    </p>
  )
}

const WeakLabel = (label: { readonly isDemo: boolean; readonly several: boolean }) => (
  <span className="badge wait whole">
    <Weakness {...label} />
  </span>
)

/** Shown if the operator could have steered the draw. */
type WeakDrawProps = { readonly assurance: 'weak' | 'sealed'; readonly isDemo: boolean; readonly others: number }
export const WeakDraw = ({ assurance, isDemo, others }: WeakDrawProps) =>
  assurance === 'weak' ? (
    <p className="weak-draw">
      <WeakLabel isDemo={isDemo} several={others > 0} />
    </p>
  ) : null

/** The link from a day to its proof. */
export function CheckLink({ day }: { readonly day: string }) {
  const { language } = usePage()
  const date = formatDay(day, language)
  return (
    <a className="tap" href={`${publicPath('verify', language)}/${day}`}>
      <Trans>Check the round of {date}</Trans>
    </a>
  )
}

/** Requests for help, as counts. */
export function DeskFigures() {
  const { data } = usePage()
  if (data === undefined) return <FiguresMissing />
  const { asked, open, refused, helped, medianDays } = data.home.desk
  return (
    <p className="gap" id="requests">
      <Plural value={asked} one="# request for help so far." other="# requests for help so far." />{' '}
      <Trans>
        Open: {open}. Helped: {helped}. Refused: {refused}.
      </Trans>
      {medianDays === null ? null : (
        <>
          {' '}
          <Plural
            value={medianDays}
            _0="In the last 30 days, half of the people who were helped got it on the day they asked."
            one="In the last 30 days, half of the people who were helped waited at most # day."
            other="In the last 30 days, half of the people who were helped waited at most # days."
          />
        </>
      )}
    </p>
  )
}

/** How many were helped, whether stories came by 6 PM and with a video, and whether the help arrived. Nothing is said before there is something to count. */
export function PromisesKept() {
  const { data } = usePage()
  if (data === undefined) return null
  const { people, stories, payments, arrivals } = data.home.helped
  return (
    <>
      {people === 0 ? null : (
        <p className="gap" id="people-helped">
          <Plural value={people} one="# person or family was helped." other="# people and families were helped." />
        </p>
      )}
      {stories.due === 0 ? null : (
        <p className="gap">
          <Trans>
            Stories out by 6 PM, in the last 30 days: {stories.inTime} of {stories.due}.
          </Trans>
        </p>
      )}
      {payments.count === 0 ? null : (
        <p className="gap">
          <Trans>
            Payments of help with a video, in the last 30 days: {payments.withVideo} of {payments.count}.
          </Trans>
        </p>
      )}
      {arrivals.due === 0 ? null : (
        <p className="gap" id="received">
          <Trans>
            Payments of help sent 7 to 37 days ago, and confirmed as received within 7 days by somebody other than the payer:{' '}
            {arrivals.inTime} of {arrivals.due}.
          </Trans>
        </p>
      )}
    </>
  )
}

const HELP_LATE_DAYS = 14

/** How long money waits until it helps, and openly a day that waits too long. */
export function HelpWaits() {
  const { data, language } = usePage()
  if (data === undefined) return null
  const { medianDays, oldest } = data.home.help
  return (
    <p className="gap">
      {medianDays === null ? (
        <Trans>No help has been sent yet.</Trans>
      ) : (
        <Plural
          value={medianDays}
          _0="Half of the help was sent on the day its rupees came in."
          one="Half of the help was sent within # day."
          other="Half of the help was sent within # days."
        />
      )}
      {oldest !== null && oldest.days > HELP_LATE_DAYS ? (
        <>
          {' '}
          <Trans>
            Help of {formatDay(oldest.day, language)} has not been sent for {oldest.days} days. That is too long.
          </Trans>
        </>
      ) : null}
    </p>
  )
}

/** The published stories, or the empty state. */
export function StoryList({ stories }: { readonly stories: readonly Story[] }) {
  const { t } = useLingui()
  if (stories.length === 0) return <EmptyState title={t`No impact stories yet`} art="cut" />
  return (
    <div className="story-grid two">
      {stories.map((story) => (
        <StoryCard key={story.id} story={story} />
      ))}
    </div>
  )
}

type OlderProps = {
  /** Where the older rows begin, or null if there are none. */
  readonly cursor: string | null
  /** Each row links to an address below this page. */
  readonly page: PublicPage
  /** The call that returns the older rows. */
  readonly from: string
  readonly children: ReactNode
}

/** Loads older rows: on a press, site.ts requests them and appends one line each to the list above. */
export function OlderRows({ cursor, page, from, children }: OlderProps) {
  const { to } = usePage()
  return cursor === null ? null : (
    <>
      <template data-old-row="">
        <li>
          <a className="old-day" href={to(page)}>
            <time>–</time>
            <span className="old-title" />
            <span className="amount" />
          </a>
        </li>
      </template>
      <p className="buttons gap">
        <button className="button secondary" type="button" data-older={cursor} data-from={from} data-below={to(page)} hidden>
          {children}
        </button>
      </p>
      <p className="small" role="alert" data-older-lost="" hidden>
        <Trans>These could not be loaded. Please try again.</Trans>
      </p>
    </>
  )
}

/** Says that the figures are missing, instead of showing zeros. */
export function FiguresMissing() {
  return (
    <p className="muted">
      <Trans>The figures cannot be shown right now. Please load the page again in a minute.</Trans>
    </p>
  )
}
