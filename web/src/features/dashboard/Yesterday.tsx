/** The impact video and the winner of yesterday. If either is from an older day, its heading names that day. */
import { Trans, useLingui } from '@lingui/react/macro'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { splitOf } from '@roz/core/modes.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatCount } from '@roz/core/numbers.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { useMember } from '../../app/session.tsx'
import { Art } from '../../ui/Art.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState, LedgerItem, SkeletonBlock } from '../../ui/Feedback.tsx'
import { formatDay } from '../../ui/format.ts'
import { CheckIcon } from '../../ui/icons.tsx'
import { CardSection } from '../../ui/Layout.tsx'
import { Money } from '../../ui/Money.tsx'
import { Video } from '../../ui/Video.tsx'
import { useServerDay } from '../clock.ts'
import { langOf, OtherLanguage } from '../OtherLanguage.tsx'
import { type TimedRound, homeQuery } from '../queries.ts'
import { HelpAmount } from '../impact/HelpAmount.tsx'
import { latestRoundsQuery, useYesterdaysTicket } from '../ticket/use-ticket.ts'
import { AfterTax, ChanceOf, MoreWinners, WinnerLabel } from '../WinnerLabel.tsx'

type Winner = NonNullable<TimedRound['lastWinner']>

type NewestProps = {
  readonly round: TimedRound | undefined
  readonly failed: boolean
}

export function Yesterday({ round, failed }: NewestProps) {
  const { t } = useLingui()
  const yesterday = useYesterday()
  const dates = [round?.lastImpactStory?.date, round?.lastWinner?.date].filter((date) => date !== undefined)
  const isOlder = dates.some((date) => date !== yesterday)
  const note = isOlder || dates.length === 0 ? undefined : formatDay(yesterday, currentLanguage())
  return (
    <CardSection when={isOlder ? t`Most recent` : t`Yesterday`} note={note}>
      <div className="grid two">
        <Card>
          <NewestImpact round={round} failed={failed} />
        </Card>
        <Card>
          {round === undefined || round.lastWinner || splitOf(round.split).winners > 0 ? (
            <NewestWinner round={round} failed={failed} />
          ) : (
            <OwnRound />
          )}
        </Card>
      </div>
    </CardSection>
  )
}

const useYesterday = (): string => addDays(useServerDay(), -1)

function NewestImpact({ round, failed }: NewestProps) {
  const { t } = useLingui()
  const yesterday = useYesterday()
  const story = round?.lastImpactStory
  // The round's answer has only the title and the video.
  const home = useQuery(homeQuery)
  const inFull = home.data?.data.recentImpacts.find(({ date, title }) => date === story?.date && title === story.title)
  const date = story ? formatDay(story.date, currentLanguage()) : undefined
  const isOlder = story ? story.date !== yesterday : false
  return (
    <div>
      <h2 className="spaced">{isOlder ? <Trans>Impact of {date}</Trans> : <Trans>Yesterday's impact</Trans>}</h2>
      {round === undefined || (story && !story.videoUrl && home.isPending) ? (
        failed ? (
          <Unavailable />
        ) : (
          <SkeletonBlock kind="video" />
        )
      ) : story ? (
        <>
          {story.videoUrl ? (
            <Video url={story.videoUrl} title={story.title} />
          ) : (
            <>
              <p className="lead" lang={langOf(story.language, currentLanguage())}>
                {story.title}
                <OtherLanguage text={story.language} reader={currentLanguage()} />
              </p>
              {inFull === undefined ? null : (
                <>
                  <p className="story-text story-start" lang={langOf(inFull.languages.description, currentLanguage())}>
                    {inFull.description}
                  </p>
                  <p className="small muted">
                    <HelpAmount story={inFull} />
                  </p>
                </>
              )}
            </>
          )}
          <p className="small">
            <Link className="tap" to={paths.impact}>{t`Read the story`}</Link>
          </p>
        </>
      ) : (
        <EmptyState art="cut" title={t`No impact story available yet`}>{t`The day's video is announced for 6 PM.`}</EmptyState>
      )}
    </div>
  )
}

/** The round's card reports the failure and offers the retry. */
function Unavailable() {
  return (
    <p className="muted">
      <Trans>Could not be loaded.</Trans>
    </p>
  )
}

/** In place of a winner, where rounds have no draw. */
function OwnRound() {
  const { t } = useLingui()
  return (
    <div>
      <h2 className="spaced">{t`Your rupee of yesterday`}</h2>
      <OwnTicket />
      <p className="small">
        <Link className="tap" to={paths.history}>{t`See your rounds`}</Link>
      </p>
    </div>
  )
}

function NewestWinner({ round, failed }: NewestProps) {
  const { t } = useLingui()
  const yesterday = useYesterday()
  const winner = round?.lastWinner
  const date = winner ? formatDay(winner.date, currentLanguage()) : undefined
  const isOlder = winner ? winner.date !== yesterday : false
  return (
    <div>
      <h2 className="spaced">
        {winner && winner.others > 0 ? (
          isOlder ? (
            <Trans>Winners of {date}</Trans>
          ) : (
            <Trans>Yesterday's winners</Trans>
          )
        ) : isOlder ? (
          <Trans>Winner of {date}</Trans>
        ) : (
          <Trans>Yesterday's winner</Trans>
        )}
      </h2>
      {round === undefined ? (
        failed ? (
          <Unavailable />
        ) : (
          <SkeletonBlock kind="figure" />
        )
      ) : winner ? (
        <WinnerCard winner={winner} />
      ) : (
        <EmptyState art="stack" title={t`No winner yet`}>{t`The first draw is after midnight.`}</EmptyState>
      )}
      <OwnTicket drawnOn={winner?.date} />
    </div>
  )
}

function WinnerCard({ winner }: { readonly winner: Winner }) {
  const { t } = useLingui()
  const participants = useParticipantsOf(winner.date)
  return (
    <>
      <div className="winner">
        <Art name="coin" />
        <div>
          <h3>
            {winner.name}
            <MoreWinners others={winner.others} />
          </h3>
          <p className="figure mid">
            <Money amount={winner.amount} />
          </p>
          <AfterTax tax={winner.tax} />
        </div>
      </div>
      <ul className="ledger shares">
        <LedgerItem label={<Trans>Round of</Trans>}>{formatDay(winner.date, currentLanguage())}</LedgerItem>
        {participants === undefined ? null : (
          <LedgerItem label={<Trans>Chance</Trans>}>
            <ChanceOf entries={participants} others={winner.others} />
          </LedgerItem>
        )}
      </ul>
      <WinnerLabel {...winner} />
      <p className="small">
        <Link className="tap" to={paths.myTicket} search={{ day: winner.date }} hash="draw">{t`See the draw in pictures`}</Link>
      </p>
      <p className="small">
        <a className="tap" href={`${publicPath('verify', currentLanguage())}/${winner.date}`}>{t`Check the draw yourself`}</a>
      </p>
    </>
  )
}

/** The automatic check of the member's own ticket of yesterday. An alarm is shown above every screen, so it is not repeated here. */
function OwnTicket({ drawnOn }: { readonly drawnOn?: string | undefined }) {
  const { t } = useLingui()
  const member = useMember()
  const today = useServerDay()
  const ticket = useYesterdaysTicket()
  const finding = ticket.data
  // A member who registered today has no ticket of yesterday.
  if (dayAt(Date.parse(member.createdAt)) >= today) return null
  if (finding === undefined) {
    if (!ticket.isError) return <p className="own-ticket muted" role="status" aria-busy="true">{t`Checking yesterday's ticket…`}</p>
    return (
      <p className="own-ticket muted">
        <Trans>Yesterday's ticket could not be checked.</Trans>{' '}
        <Button kind="quiet" busy={ticket.isFetching} onClick={() => void ticket.refetch()}>{t`Try Again`}</Button>
      </p>
    )
  }
  if (finding.state === 'not-joined')
    return <p className="own-ticket muted">{t`You had no ticket yesterday: there is nothing to check.`}</p>
  if (finding.state === 'waiting')
    return <p className="own-ticket muted" role="status">{t`Your entry of yesterday is checked here soon after midnight.`}</p>
  if (finding.state !== 'included' || finding.position === undefined || finding.count === undefined) return null
  return (
    <p className="own-ticket">
      <CheckIcon />
      <Link className="tap" to={paths.myTicket} search={{ day: finding.day }}>
        {finding.day === drawnOn ? (
          <Trans>
            Your ₹1 was in the draw: line {formatCount(finding.position + 1)} of {formatCount(finding.count)}
          </Trans>
        ) : (
          <Trans>
            Your ₹1 was in the round: line {formatCount(finding.position + 1)} of {formatCount(finding.count)}
          </Trans>
        )}
      </Link>
    </p>
  )
}

/** The participants of the winner's round: from the day's published story, else from the member's history. */
function useParticipantsOf(day: string): number | undefined {
  const home = useQuery(homeQuery)
  const latest = useQuery(latestRoundsQuery)
  const story = home.data?.data.recentImpacts.find((impact) => impact.date === day)
  const round = latest.data?.results.find((result) => result.date === day)
  return story?.winnerInfo?.totalParticipants ?? round?.totalParticipants
}
