/** A YouTube video behind a cover. Nothing loads from YouTube before the member presses play. */
import { youtubeId } from '@roz/core/youtube.ts'
import { Trans } from '@lingui/react/macro'
import { useState } from 'react'

type VideoProps = {
  readonly url: string | null
  readonly title: string
  /** A date above the title. */
  readonly note?: string
  readonly poster?: string | null
}

export function Video({ url, title, note, poster }: VideoProps) {
  const [playing, setPlaying] = useState('')
  const id = url === null ? undefined : youtubeId(url)
  if (id === undefined) return url ? <InvalidVideo /> : null
  if (playing === id) {
    return (
      <iframe
        className="player"
        src={`https://www.youtube-nocookie.com/embed/${id}?autoplay=1&rel=0`}
        title={title}
        allow="accelerometer; autoplay; encrypted-media; picture-in-picture; fullscreen"
        referrerPolicy="strict-origin-when-cross-origin"
      />
    )
  }
  return (
    <button className="video" type="button" onClick={() => setPlaying(id)}>
      <VideoCover title={title} note={note} poster={poster} />
    </button>
  )
}

/** Replaces a video whose link is not a YouTube link. */
export const InvalidVideo = () => (
  <p>
    <Trans>Invalid YouTube URL</Trans>
  </p>
)

/** The cover, shared with the public pages. */
export function VideoCover({
  title,
  note,
  poster,
}: {
  readonly title: string
  readonly note?: string | undefined
  readonly poster?: string | null | undefined
}) {
  return (
    <>
      {poster ? (
        <img className="poster" src={poster} alt="" loading="lazy" />
      ) : (
        <svg className="watermark" aria-hidden="true">
          <use href="#coin" />
        </svg>
      )}
      <span className="video-note">{note}</span>
      <span className="video-title display">
        <span className="hidden">
          <Trans>Play video:</Trans>
        </span>{' '}
        {title}
      </span>
      <svg className="video-play" aria-hidden="true">
        <use href="#play" />
      </svg>
    </>
  )
}
