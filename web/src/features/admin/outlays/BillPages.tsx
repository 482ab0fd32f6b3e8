/**
 * The pages of a bill, or one picture: chosen files are covered one after the other, uploaded, and listed as they will be published.
 * - A PDF becomes one picture for each of its pages, before anything is covered.
 * - A file that this browser cannot show is refused: nobody could cover it.
 */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { BILL_PAGES_MAX } from '@roz/core/help-fields.ts'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { call, messageOf } from '../../../app/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { FieldError } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { CoverDialog } from '../help/CoverDialog.tsx'
import { type Cover, coveredCopy, fileOf, penOf, readPage } from '../help/cover.ts'
import { PDF_MEGABYTES_MAX, type PdfProblem, readPdf } from '../help/read-pdf.ts'

type BillPage = { readonly hash: string; readonly picture: HTMLCanvasElement }
/** The chosen pages, and the pages that wait to be covered. */
type BillPagesState = ReturnType<typeof useBillPages>

const [pagesMax, megabytes] = [BILL_PAGES_MAX, PDF_MEGABYTES_MAX]
const PDF_PROBLEMS = {
  encrypted: msg`This PDF is locked with a password. Please save a copy without the password, or choose a screenshot of each page.`,
  broken: msg`This PDF cannot be read. Please choose a photo or a screenshot of each page.`,
  empty: msg`This PDF has no pages.`,
  many: msg`This PDF has too many pages. One entry has at most ${pagesMax} pages.`,
  large: msg`This PDF has more than ${megabytes} MB. Please choose a photo or a screenshot of each page.`,
  slow: msg`This PDF takes too long. Please choose a photo or a screenshot of each page.`,
} as const satisfies Record<PdfProblem, MessageDescriptor>
const uploadBill = (upload: Blob): Promise<{ readonly hash: string }> => call('uploadReceipt', { upload })
const isPdf = (file: File): boolean => file.type === 'application/pdf' || /\.pdf$/i.test(file.name)

/** `most`: how many pages can be added. */
export function useBillPages(most = BILL_PAGES_MAX, send = uploadBill) {
  const { t } = useLingui()
  const [pages, setPages] = useState<readonly BillPage[]>([])
  const [waiting, setWaiting] = useState<readonly HTMLCanvasElement[]>([])
  /** The number of pages covered or skipped: the next page starts without covers. */
  const [done, setDone] = useState(0)
  const [busy, setBusy] = useState(false)
  const [reading, setReading] = useState(false)
  const next = (): void => {
    setWaiting((before) => before.slice(1))
    setDone((before) => before + 1)
  }

  const readPictures = async (file: File, room: number): Promise<readonly HTMLCanvasElement[]> => {
    if (isPdf(file)) {
      const read = await readPdf(file, room)
      if (read.ok) return read.pages
      toast.error(t(PDF_PROBLEMS[read.why]))
      return []
    }
    const page = await readPage(file)
    if (page !== undefined) return [page]
    toast.error(t`This browser cannot show this file. Please choose a photo or a screenshot.`)
    return []
  }
  const choose = async (files: readonly File[]): Promise<void> => {
    setReading(true)
    const read: HTMLCanvasElement[] = []
    for (const file of files) read.push(...(await readPictures(file, most - pages.length - waiting.length - read.length)))
    setWaiting((before) => [...before, ...read])
    setReading(false)
  }
  const use = async (page: HTMLCanvasElement, covers: readonly Cover[]): Promise<void> => {
    setBusy(true)
    try {
      const picture = coveredCopy(page, covers)
      const upload = await fileOf(picture)
      if (upload === null) throw new Error('the browser could not encode the page')
      const { hash } = await send(upload)
      setPages((before) => [...before.filter((other) => other.hash !== hash), { hash, picture }])
      next()
    } catch (error) {
      toast.error(messageOf(error, t`The page could not be uploaded.`))
    } finally {
      setBusy(false)
    }
  }
  return {
    pages,
    most,
    hashes: pages.map(({ hash }) => hash),
    waiting: waiting[0],
    /** The number of pages behind the waiting one. */
    more: Math.max(0, waiting.length - 1),
    busy,
    reading,
    choose,
    use,
    done,
    skip: next,
    remove: (hash: string) => setPages((before) => before.filter((page) => page.hash !== hash)),
  }
}

/** Beside the form's dialog, never inside it: a key pressed in it must not reach the form. */
export const CoverNext = ({ pages, of = 'bill' }: { readonly pages: BillPagesState; readonly of?: 'bill' | 'picture' }) => {
  const page = pages.waiting
  return page === undefined ? null : (
    <CoverDialog
      key={pages.done}
      page={page}
      of={of}
      more={pages.more}
      busy={pages.busy}
      onUse={(covers) => void pages.use(page, covers)}
      onClose={pages.skip}
    />
  )
}

type BillPagesProps = {
  readonly pages: BillPagesState
  readonly error: string | undefined
  /** The gateway's report and a signed paper stay with the team. A picture is one that a helped person gives. */
  readonly of?: 'bill' | 'report' | 'paper' | 'picture'
}

export function BillPages({ pages, error, of = 'bill' }: BillPagesProps) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const chosen = (event: ChangeEvent<HTMLInputElement>): void => {
    const files = [...(event.target.files ?? [])]
    event.target.value = ''
    void pages.choose(files)
  }
  return (
    <div className="field">
      <p>
        <strong>{of === 'paper' ? <Trans>Signed paper</Trans> : of === 'picture' ? <Trans>Picture</Trans> : <Trans>Bills</Trans>}</strong>
      </p>
      <p className="hint">
        {of === 'paper' ? (
          <Trans>One photo with the signature or thumbprint. You cover everything else. Only the team can see it.</Trans>
        ) : of === 'report' ? (
          <Trans>Photos, screenshots or PDFs of the gateway's report. Only the team can see them.</Trans>
        ) : of === 'picture' ? (
          <Trans>Optional. You see it before it is sent, and cover what must not be public. It is shown below the words.</Trans>
        ) : (
          <Trans>
            Photos, screenshots or PDFs. You cover personal data before anything is uploaded. Everybody can see them once the payment is
            recorded.
          </Trans>
        )}
      </p>
      {pages.pages.length === 0 ? null : (
        <ol className="pages">
          {pages.pages.map(({ hash, picture }, index) => {
            const number = index + 1
            const name = of === 'picture' ? t`Picture` : t`Page ${number}`
            return (
              <li key={hash}>
                <BillPicture picture={picture} label={name} />
                <span>{name}</span>
                <Button
                  kind="quiet"
                  aria-label={of === 'picture' ? t`Remove the picture` : t`Remove page ${number}`}
                  onClick={() => pages.remove(hash)}
                >
                  <Trans>Remove</Trans>
                </Button>
              </li>
            )
          })}
        </ol>
      )}
      {pages.reading ? <p className="hint" role="status">{t`The file is being read…`}</p> : null}
      {of === 'picture' && pages.pages.length > 0 ? null : (
        <Button kind="secondary" busy={pages.reading} disabled={pages.pages.length >= pages.most} onClick={() => input.current?.click()}>
          {of === 'picture' ? t`Choose a picture` : t`Add a page`}
        </Button>
      )}
      <input
        ref={input}
        type="file"
        accept={of === 'picture' ? 'image/jpeg,image/png,image/webp' : 'image/jpeg,image/png,image/webp,application/pdf'}
        multiple={of !== 'picture'}
        hidden
        aria-label={of === 'picture' ? t`Choose a picture` : t`Add a page`}
        onChange={chosen}
      />
      {error === undefined ? null : <FieldError>{error}</FieldError>}
    </div>
  )
}

/** A picture that was drawn already; the page may load none by address. */
export function BillPicture({ picture, label }: { readonly picture: HTMLCanvasElement; readonly label: string }) {
  const shown = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (shown.current !== null) penOf(shown.current).drawImage(picture, 0, 0)
  }, [picture])
  return <canvas ref={shown} width={picture.width} height={picture.height} role="img" aria-label={label} />
}
