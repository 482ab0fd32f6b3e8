/**
 * The picture that a member chooses, read as this browser shows it: turned as the camera was held. The
 * server decodes and re-encodes whatever comes; what is done here is the member's choice, and spares a
 * slow line a photo of many megabytes.
 */
import { type Frame, type Size, ZOOM_MAX } from './crop.ts'

export const SIDE_MAX_PX = 512
/** The smallest frame still finds 512 px in a shorter side of so many. */
const SHORTER_MAX_PX = SIDE_MAX_PX * ZOOM_MAX
/** A phone's whole photo would fill its memory, and no browser draws a canvas that is very long. */
const PIXELS_MAX = 12_000_000
const LONGER_MAX_PX = 16_000

/** How much smaller a picture is read than it comes. */
export const readScale = ({ width, height }: Size): number =>
  Math.min(1, SHORTER_MAX_PX / Math.min(width, height), LONGER_MAX_PX / Math.max(width, height), Math.sqrt(PIXELS_MAX / (width * height)))

/** Undefined where this browser cannot read it: the server may, or says what is wrong with it. */
export async function readPicture(file: Blob): Promise<HTMLCanvasElement | undefined> {
  try {
    const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
    const scale = readScale(bitmap)
    const canvas = canvasOf(Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale)))
    draw(canvas, bitmap, { x: 0, y: 0, width: bitmap.width, height: bitmap.height })
    bitmap.close()
    return canvas
  } catch {
    return undefined
  }
}

/** The square as a file; null where the browser could not write it. */
export async function cutOut(picture: HTMLCanvasElement, { x, y, side }: Frame): Promise<Blob | null> {
  const px = Math.max(1, Math.min(SIDE_MAX_PX, Math.round(side)))
  const canvas = canvasOf(px, px)
  draw(canvas, picture, { x, y, width: side, height: side })
  // Browsers that write no WebP write PNG: either keeps what is transparent.
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
}

/** A part of a picture, as large as the canvas is. */
export function draw(
  canvas: HTMLCanvasElement,
  from: CanvasImageSource,
  part: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): void {
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('this browser draws no canvas')
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(from, part.x, part.y, part.width, part.height, 0, 0, canvas.width, canvas.height)
}

function canvasOf(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  return canvas
}
