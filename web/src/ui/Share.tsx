/**
 * Shares a text: by the system's share sheet if the browser has one, with a picture if it accepts files, else by WhatsApp.
 * - Nothing is sent without the sender's final press there.
 */
import { Trans } from '@lingui/react/macro'
import { type MouseEvent, useRef } from 'react'

type ShareProps = {
  /** The text, without the address. */
  readonly text: string
  readonly url: string
  /** The path of the preview picture. */
  readonly picture: string
}

/** A press permits sharing only for a few seconds. After 3 s the text is shared without its picture. */
const PICTURE_MS = 3000

async function fetchPicture(address: string): Promise<File | undefined> {
  try {
    const answer = await fetch(address)
    const [name = 'picture.png'] = address.split('/').slice(-1)
    return answer.ok ? new File([await answer.blob()], name, { type: 'image/png' }) : undefined
  } catch {
    return undefined
  }
}

const soon = (picture: Promise<File | undefined>): Promise<File | undefined> =>
  Promise.race([picture, new Promise<undefined>((done) => setTimeout(() => done(undefined), PICTURE_MS))])

export function Share({ text, url, picture }: ShareProps) {
  const fetched = useRef<Promise<File | undefined>>(undefined)
  // Fetches the picture on pointerdown, so that the sheet opens with the press.
  const prepare = (): void => {
    if ('share' in navigator) fetched.current ??= fetchPicture(picture)
  }
  const share = async (): Promise<void> => {
    prepare()
    const file = await soon(fetched.current ?? Promise.resolve(undefined))
    fetched.current = undefined
    const files = file === undefined ? [] : [file]
    const withPicture = files.length > 0 && 'canShare' in navigator && navigator.canShare({ files })
    try {
      await navigator.share(withPicture ? { text, url, files } : { text, url })
    } catch (error) {
      // Closing the sheet is not a failure.
      if (!(error instanceof DOMException && error.name === 'AbortError')) console.info('Not shared:', error)
    }
  }
  const press = (event: MouseEvent): void => {
    if (!('share' in navigator)) return
    event.preventDefault()
    void share()
  }
  return (
    <a
      className="tap"
      href={`https://wa.me/?text=${encodeURIComponent(`${text} ${url}`)}`}
      target="_blank"
      rel="noreferrer"
      onPointerDown={prepare}
      onClick={press}
    >
      <Trans>Share</Trans>
    </a>
  )
}
