/** How a day's winner was drawn, in four pictures; the check of it all is the public page's. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { ApiError, call } from '../../api.ts'
import { currentLanguage } from '../../language.ts'
import { publicPath } from '../../paths.ts'
import { publicBase } from '../../verify-day.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { drawnDay, type DrawnDay, readDrawing } from '../../ui/draw-figures.ts'
import { DrawStory } from '../../ui/DrawStory.tsx'
import { ErrorState, Skeleton } from '../../ui/Feedback.tsx'
import { Section } from '../../ui/Layout.tsx'
import '../../ui/draw-story.css'

/** A draw that is not done yet is looked for again. */
const AGAIN_MS = 60_000

async function readJson(path: string): Promise<unknown> {
  const response = await fetch(publicBase() + path)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

/** `waiting`: the day's draw is not done · `none`: there has been none at all. */
async function readDay(day: string): Promise<DrawnDay | 'waiting' | 'none'> {
  const newest = (await call('publicDays', { query: { limit: '1' } })).days[0]?.day
  if (newest === undefined) return 'none'
  if (newest < day) return 'waiting'
  try {
    const [view, drawing] = await Promise.all([call('publicDay', { params: { day } }), readDrawing(readJson, day)])
    return drawing === undefined ? 'waiting' : drawnDay(view.day, drawing, currentLanguage())
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'waiting'
    throw error
  }
}

export function DrawSection({ day }: { readonly day: string }) {
  const { t } = useLingui()
  const drawn = useQuery({
    queryKey: ['draw', day, currentLanguage()],
    queryFn: () => readDay(day),
    staleTime: (query) => (typeof query.state.data === 'object' ? Number.POSITIVE_INFINITY : AGAIN_MS),
    refetchInterval: (query) => (typeof query.state.data === 'string' ? AGAIN_MS : false),
  })
  const title = (
    <h2>
      <Trans>How the winner was drawn</Trans>
    </h2>
  )
  return (
    <Section when={t`The draw`} note={t`in four steps`} id="draw">
      {drawn.data === undefined ? (
        <>
          {title}
          {drawn.isError ? (
            <ErrorState title={t`The draw could not be loaded.`} busy={drawn.isFetching} onRetry={() => void drawn.refetch()} />
          ) : (
            <Skeleton lines={4} label={t`Loading the draw`} />
          )}
        </>
      ) : typeof drawn.data === 'string' ? (
        <>
          {title}
          <p className="lead" role="status">
            {drawn.data === 'none' ? (
              <Trans>The first round is drawn after midnight.</Trans>
            ) : (
              <Trans>The draw of this day is not done yet. It follows soon after midnight, once the list is sealed.</Trans>
            )}
          </p>
        </>
      ) : (
        <>
          <DrawStory drawn={drawn.data} />
          <p className="buttons load-more">
            <a className={buttonClass('secondary')} href={`${publicPath('verify', currentLanguage())}/${day}`}>
              <Trans>Let this device do every sum again</Trans>
            </a>
          </p>
        </>
      )}
    </Section>
  )
}
