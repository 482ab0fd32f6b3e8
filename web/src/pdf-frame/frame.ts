/**
 * Draws the pages of a PDF to pixels, in a frame without an origin.
 * - A PDF is untrusted input in many formats. Its reader has no session, no storage and no network. The page's policy
 *   permits only this script and its worker, which are in the page.
 * - It answers only on the port that the portal hands in.
 * - The pages are drawn as they would be printed, without the annotations that no printer draws.
 */
import { getDocument, PasswordException, type PDFPageProxy, PDFWorker } from 'pdfjs-dist'
import dingbats from 'pdfjs-dist/standard_fonts/FoxitDingbats.pfb?url&inline'
import symbol from 'pdfjs-dist/standard_fonts/FoxitSymbol.pfb?url&inline'
import jbig2 from 'pdfjs-dist/wasm/jbig2.wasm?url&inline'
import openjpeg from 'pdfjs-dist/wasm/openjpeg.wasm?url&inline'
// oxlint-disable-next-line import/default -- Vite makes a class of the worker's file
import PdfWorker from 'pdfjs-dist/build/pdf.worker.min.mjs?worker&inline'
import type { DrawnPage, PdfAnswer, PdfOrder, PdfRefusal } from './messages.ts'

/** 288 dots per inch. A page of A4 reaches the longest side of a bill at 205. */
const SCALE_MAX = 4
/** A scan of a whole page at 600 dots per inch has 35 million. */
const IMAGE_PIXELS_MAX = 50_000_000

/** Files that the reader may load by name: image decoders, and the two symbol fonts. Letters come from the system. */
const FILES: Readonly<Record<string, string>> = {
  'FoxitDingbats.pfb': dingbats,
  'FoxitSymbol.pfb': symbol,
  'jbig2.wasm': jbig2,
  'openjpeg.wasm': openjpeg,
}
class OwnFiles {
  async fetch({ filename }: { readonly filename: string }): Promise<Uint8Array> {
    const file = FILES[filename]
    if (file === undefined) throw new Error(`the frame has no ${filename}`)
    return Uint8Array.from(atob(file.slice(file.indexOf(',') + 1)), (sign) => sign.charCodeAt(0))
  }
}

addEventListener('message', ({ data, ports: [port], source }: MessageEvent<PdfOrder>) => {
  if (source !== parent || port === undefined) return
  const answer = (said: PdfAnswer, given: Transferable[] = []): void => port.postMessage(said, given)
  drawAll(data, (page) => answer({ kind: 'page', page }, [page.pixels])).then(
    (why) => answer(why === undefined ? { kind: 'end' } : { kind: 'refused', why }),
    (error: unknown) => answer({ kind: 'refused', why: error instanceof PasswordException ? 'encrypted' : 'broken' }),
  )
})

async function drawAll({ bytes, pagesMax, sideMaxPx }: PdfOrder, give: (page: DrawnPage) => void): Promise<PdfRefusal | undefined> {
  const worker = PDFWorker.create({ port: await startWorker() })
  const document = await getDocument({
    data: bytes,
    worker,
    verbosity: 0,
    BinaryDataFactory: OwnFiles,
    useWorkerFetch: false,
    maxImageSize: IMAGE_PIXELS_MAX,
  }).promise
  if (document.numPages === 0) return 'empty'
  if (document.numPages > pagesMax) return 'many'
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    give(await draw(page, sideMaxPx))
    page.cleanup()
  }
  return undefined
}

/** A worker that cannot start fails here: the reader would wait for it without end. */
async function startWorker(): Promise<Worker> {
  const worker = new PdfWorker()
  await new Promise((ready, failed) => {
    worker.addEventListener('message', ready, { once: true })
    worker.addEventListener('error', failed, { once: true })
  })
  return worker
}

async function draw(page: PDFPageProxy, sideMaxPx: number): Promise<DrawnPage> {
  const { width: wide, height: high } = page.getViewport({ scale: 1 })
  const viewport = page.getViewport({ scale: Math.min(SCALE_MAX, sideMaxPx / Math.max(wide, high)) })
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(viewport.width))
  canvas.height = Math.max(1, Math.round(viewport.height))
  const pen = canvas.getContext('2d', { willReadFrequently: true })
  if (pen === null) throw new Error('this browser has no 2D canvas')
  // Frames that nobody sees get no animation frames: printing needs none.
  const drawing = page.render({ canvas, canvasContext: pen, viewport, intent: 'print' })
  // Yields to the browser, also if it runs the frame and the portal in one thread.
  drawing.onContinue = (goOn: () => void) => setTimeout(goOn)
  await drawing.promise
  const { width, height, data } = pen.getImageData(0, 0, canvas.width, canvas.height)
  canvas.width = canvas.height = 0
  return { width, height, pixels: data.buffer }
}
