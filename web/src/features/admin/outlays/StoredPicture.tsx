/** A picture that only staff may read, drawn when it has arrived. */
import { useQuery } from '@tanstack/react-query'
import { NotLoaded } from '../../../ui/Feedback.tsx'
import { readPage } from '../help/cover.ts'
import { BillPicture } from './BillPages.tsx'

type StoredPictureProps = {
  readonly name: readonly [kind: string, id: string]
  /** The call of the picture. It answers a blob: an <img> could not send the token. */
  readonly read: (signal: AbortSignal) => Promise<unknown>
  readonly label: string
  readonly failed: string
}

export function StoredPicture({ name, read, label, failed }: StoredPictureProps) {
  const picture = useQuery({
    queryKey: name,
    queryFn: async ({ signal }) => {
      const page = await readPage((await read(signal)) as Blob)
      if (page === undefined) throw new Error('this is no picture')
      return page
    },
  })
  if (picture.data === undefined) return <NotLoaded query={picture} failed={failed} lines={4} />
  return <BillPicture picture={picture.data} label={label} />
}
