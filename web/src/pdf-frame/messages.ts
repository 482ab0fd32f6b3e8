/**
 * The messages between the portal and the frame that draws PDFs, over one port.
 * - The portal hands in the bytes; the frame hands out pixels as numbers, so that no file of the frame's making is decoded beside a session.
 */

/** Where the server has the frame's page. */
export const PDF_FRAME_PATH = '/admin/pdf-frame'

export type PdfOrder = { readonly bytes: ArrayBuffer; readonly pagesMax: number; readonly sideMaxPx: number }
/** Why no page of a PDF can be used. */
export type PdfRefusal = 'encrypted' | 'broken' | 'empty' | 'many'
/** Four bytes for each pixel, row by row: red, green, blue and opacity. */
export type DrawnPage = { readonly width: number; readonly height: number; readonly pixels: ArrayBuffer }
export type PdfAnswer =
  | { readonly kind: 'page'; readonly page: DrawnPage }
  | { readonly kind: 'end' }
  | { readonly kind: 'refused'; readonly why: PdfRefusal }
