/** Explains in four pictures how a day's winner was drawn. The public page does the full check. */
import { SPEECH } from '@roz/core/language.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ApiError, call } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { withDraws } from '../../app/settings.ts'
import { publicPath } from '../../paths.ts'
import { readPublished } from '../../verify/published.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { type DayView, drawnDay, type DrawnDay, readDrawing } from '../../ui/draw-figures.ts'
import { DrawStory } from '../../ui/DrawStory.tsx'
import { NotLoaded } from '../../ui/Feedback.tsx'
import { CardSection } from '../../ui/Layout.tsx'
import '../../ui/draw-story.css'

/** A draw that is not done yet is polled every 60 s. */
const AGAIN_MS = 60_000

async function readView(day: string): Promise<DayView | undefined> {
  try {
    return (await call('publicDay', { params: { day } })).day
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** `waiting`: the draw is not done yet · `none`: no draw has ever been done · `no-round`: the day is before the first round. */
async function readDay(day: string): Promise<DrawnDay | 'waiting' | 'none' | 'no-round'> {
  const newest = (await call('publicDays', { query: { limit: '1' } })).days[0]?.day
  if (newest === undefined) return 'none'
  if (newest < day) return 'waiting'
  const [view, drawing] = await Promise.all([readView(day), readDrawing(readPublished, day)])
  if (view !== undefined && drawing !== undefined) return drawnDay(view, drawing, SPEECH[currentLanguage()])
  // A round can wait for its draw longer than the round after it. It has its records meanwhile, so it is not `no-round`.
  return view === undefined && drawing === undefined && newest > day ? 'no-round' : 'waiting'
}

const isOpen = (drawn: Awaited<ReturnType<typeof readDay>> | undefined): boolean => drawn === 'waiting' || drawn === 'none'

export const useDrawn = (day: string) =>
  useQuery({
    queryKey: ['draw', day, currentLanguage()],
    queryFn: () => readDay(day),
    staleTime: (query) => (isOpen(query.state.data) ? AGAIN_MS : Number.POSITIVE_INFINITY),
    refetchInterval: (query) => (isOpen(query.state.data) ? AGAIN_MS : false),
  })

export function DrawSection({ day, drawn }: { readonly day: string; readonly drawn: ReturnType<typeof useDrawn> }) {
  const { t } = useLingui()
  const { data } = drawn
  // A day's own data come first: it may have had a draw before they were switched off.
  const hasDraw = data === undefined || typeof data === 'string' ? withDraws() : data.conditions.picked
  const title = <h2>{hasDraw ? t`How the draw worked` : t`How the round was shared`}</h2>
  return (
    <CardSection when={hasDraw ? t`The draw` : t`The round`} note={t`step by step`} id="draw">
      {drawn.data === undefined ? (
        <>
          {title}
          <NotLoaded query={drawn} failed={t`This day could not be loaded.`} lines={4} />
        </>
      ) : typeof drawn.data === 'string' ? (
        <>
          {title}
          <p className="lead" role="status">
            {drawn.data === 'none' ? (
              <Trans>The first result comes after midnight.</Trans>
            ) : drawn.data === 'no-round' ? (
              <Trans>There was no round on this day.</Trans>
            ) : (
              <Trans>This day has no result yet. It follows soon after midnight, once the list is sealed.</Trans>
            )}
          </p>
        </>
      ) : (
        <>
          <DrawStory drawn={drawn.data} />
          <p className="buttons load-more">
            <a className={buttonClass('secondary')} href={`${publicPath('verify', currentLanguage())}/${day}`}>
              <Trans>Check every step on this device</Trans>
            </a>
          </p>
        </>
      )}
    </CardSection>
  )
}
