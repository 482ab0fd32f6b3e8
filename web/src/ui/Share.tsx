/**
 * Tells somebody else: by the system's own sheet where there is one, with a picture where it takes
 * files, else in WhatsApp. Nothing is sent without the sender's last press there.
 */
import { Trans } from '@lingui/react/macro'
import { type MouseEvent, useRef } from 'react'

type ShareProps = {
  /** What is told, without the address. */
  readonly text: string
  readonly url: string
  /** Path of the picture of what is told. */
  readonly picture: string
}

/** A press counts as one only for a few seconds: words go without their picture rather than not at all. */
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
  // On its way as soon as the finger lies on the button: the sheet then opens with the press.
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
      // Putting the sheet away is no failure.
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
