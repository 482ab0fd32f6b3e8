/**
 * Has the pages of a PDF drawn to pixels by a frame without an origin, and gives up on a PDF that takes too long.
 * - The portal never parses a PDF. It accepts only pixel values, and checks their number against the page's size.
 * - The frame lives as long as one PDF.
 */
import { type DrawnPage, PDF_FRAME_PATH, type PdfAnswer, type PdfOrder, type PdfRefusal } from '../../../pdf-frame/messages.ts'
import { penOf, BILL_SIDE_MAX_PX } from './cover.ts'

export const PDF_MEGABYTES_MAX = 20
const PDF_SECONDS_MAX = 60

export type PdfProblem = PdfRefusal | 'large' | 'slow'
type ReadPdf = { readonly ok: true; readonly pages: readonly HTMLCanvasElement[] } | { readonly ok: false; readonly why: PdfProblem }

export async function readPdf(file: Blob, pagesMax: number): Promise<ReadPdf> {
  if (file.size === 0) return { ok: false, why: 'empty' }
  if (file.size > PDF_MEGABYTES_MAX * 1024 * 1024) return { ok: false, why: 'large' }
  const order: PdfOrder = { bytes: await file.arrayBuffer(), pagesMax, sideMaxPx: BILL_SIDE_MAX_PX }
  const frame = document.createElement('iframe')
  frame.className = 'pdf-frame'
  frame.title = 'PDF'
  frame.tabIndex = -1
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.src = PDF_FRAME_PATH
  let timer: number | undefined
  const tooLong = new Promise<ReadPdf>((resolve) => {
    timer = window.setTimeout(() => resolve({ ok: false, why: 'slow' }), PDF_SECONDS_MAX * 1000)
  })
  try {
    return await Promise.race([drawnIn(frame, order), tooLong])
  } finally {
    window.clearTimeout(timer)
    frame.remove()
  }
}

/** The port goes only to this frame, so nobody else can answer. */
const drawnIn = (frame: HTMLIFrameElement, order: PdfOrder): Promise<ReadPdf> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    const pages: HTMLCanvasElement[] = []
    const refuse = (why: PdfRefusal): void => resolve({ ok: false, why })
    port1.addEventListener('message', ({ data }: MessageEvent<PdfAnswer>) => {
      if (data.kind === 'refused') return refuse(data.why)
      if (data.kind === 'end') return resolve({ ok: true, pages })
      const page = canvasOf(data.page)
      if (page === undefined || pages.length >= order.pagesMax) return refuse('broken')
      pages.push(page)
    })
    port1.start()
    // The frame has no origin that could be named.
    frame.addEventListener('load', () => frame.contentWindow?.postMessage(order, '*', [order.bytes, port2]), { once: true })
    document.body.append(frame)
  })

const isSide = (px: number): boolean => Number.isInteger(px) && px >= 1 && px <= BILL_SIDE_MAX_PX

function canvasOf({ width, height, pixels }: DrawnPage): HTMLCanvasElement | undefined {
  if (!isSide(width) || !isSide(height) || pixels.byteLength !== width * height * 4) return undefined
  const page = document.createElement('canvas')
  page.width = width
  page.height = height
  penOf(page).putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0)
  return page
}
