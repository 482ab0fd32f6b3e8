/** Tells somebody else: by the system's own sheet where there is one, else in WhatsApp. Nothing is sent without the sender's last press there. */
import { Trans } from '@lingui/react/macro'
import type { MouseEvent } from 'react'

type ShareProps = {
  /** What is told, without the address. */
  readonly text: string
  readonly url: string
}

export function Share({ text, url }: ShareProps) {
  const press = (event: MouseEvent): void => {
    if (!('share' in navigator)) return
    event.preventDefault()
    navigator.share({ text, url }).catch((error: unknown) => {
      // Putting the sheet away is no failure.
      if (!(error instanceof DOMException && error.name === 'AbortError')) console.info('Not shared:', error)
    })
  }
  return (
    <a
      className="tap"
      href={`https://wa.me/?text=${encodeURIComponent(`${text} ${url}`)}`}
      target="_blank"
      rel="noreferrer"
      onClick={press}
    >
      <Trans>Share</Trans>
    </a>
  )
}
