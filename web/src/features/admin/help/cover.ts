/**
 * Covers personal data on a picture of a bill.
 * - The covered pixels are painted over before the picture leaves the browser: nothing under a cover can be recovered.
 * - A cover is in pixels of the picture, and stays inside it.
 */
type PageSize = { readonly width: number; readonly height: number }
export type Point = { readonly x: number; readonly y: number }
export type Cover = Point & PageSize

/** The server keeps no more; a phone's full photo would exhaust its memory. */
export const BILL_SIDE_MAX_PX = 2400
const LEAST_PX = 8

const within = (value: number, most: number): number => Math.min(Math.max(0, value), Math.max(0, most))

/** The cover between two corners, or undefined if it is hardly one: a press without a drag. */
export function coverBetween(from: Point, to: Point, size: PageSize): Cover | undefined {
  const [x1, x2] = [within(Math.min(from.x, to.x), size.width), within(Math.max(from.x, to.x), size.width)]
  const [y1, y2] = [within(Math.min(from.y, to.y), size.height), within(Math.max(from.y, to.y), size.height)]
  return x2 - x1 < LEAST_PX || y2 - y1 < LEAST_PX ? undefined : { x: x1, y: y1, width: x2 - x1, height: y2 - y1 }
}

/** A cover in the middle, for the keyboard. */
export const middleCover = ({ width, height }: PageSize): Cover => ({
  x: width * 0.3,
  y: height * 0.45,
  width: width * 0.4,
  height: height * 0.1,
})

export const movedCover = (cover: Cover, right: number, down: number, size: PageSize): Cover => ({
  ...cover,
  x: within(cover.x + right, size.width - cover.width),
  y: within(cover.y + down, size.height - cover.height),
})

export const resizedCover = (cover: Cover, wider: number, higher: number, size: PageSize): Cover => ({
  ...cover,
  width: Math.max(LEAST_PX, Math.min(cover.width + wider, size.width - cover.x)),
  height: Math.max(LEAST_PX, Math.min(cover.height + higher, size.height - cover.y)),
})

/** Undefined if this browser cannot read the picture. */
export async function readPage(file: Blob): Promise<HTMLCanvasElement | undefined> {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
    const scale = Math.min(1, BILL_SIDE_MAX_PX / Math.max(bitmap.width, bitmap.height))
    const page = document.createElement('canvas')
    page.width = Math.max(1, Math.round(bitmap.width * scale))
    page.height = Math.max(1, Math.round(bitmap.height * scale))
    const pen = penOf(page)
    pen.imageSmoothingQuality = 'high'
    pen.drawImage(bitmap, 0, 0, page.width, page.height)
    bitmap.close()
    return page
  } catch {
    return undefined
  }
}

/** A copy with the covers painted over its pixels. */
export function coveredCopy(page: HTMLCanvasElement, covers: readonly Cover[]): HTMLCanvasElement {
  const copy = document.createElement('canvas')
  copy.width = page.width
  copy.height = page.height
  const pen = penOf(copy)
  pen.drawImage(page, 0, 0)
  pen.fillStyle = '#000'
  for (const { x, y, width, height } of covers) pen.fillRect(Math.floor(x), Math.floor(y), Math.ceil(width) + 1, Math.ceil(height) + 1)
  return copy
}

export const fileOf = (page: HTMLCanvasElement): Promise<Blob | null> => new Promise((resolve) => page.toBlob(resolve, 'image/webp', 0.92))

export function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('this browser has no 2D canvas')
  return pen
}
