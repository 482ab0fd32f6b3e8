/**
 * Reads the chosen picture in the browser, rotated by its EXIF orientation, and writes the cropped square.
 * - This serves the member's choice of the crop, and spares a slow connection a photo of many megabytes.
 * - The server decodes and re-encodes every upload itself.
 */
import { type CropFrame, type PictureSize, ZOOM_MAX } from './crop.ts'

export const PHOTO_SIDE_MAX_PX = 512
/** At this shorter side the smallest frame still contains 512 px. */
const SHORTER_MAX_PX = PHOTO_SIDE_MAX_PX * ZOOM_MAX
/** A phone's full photo would exhaust its memory, and no browser draws a very long canvas. */
const PIXELS_MAX = 12_000_000
const LONGER_MAX_PX = 16_000

/** The factor by which a picture is reduced when it is read. */
export const readScale = ({ width, height }: PictureSize): number =>
  Math.min(1, SHORTER_MAX_PX / Math.min(width, height), LONGER_MAX_PX / Math.max(width, height), Math.sqrt(PIXELS_MAX / (width * height)))

/** Undefined if this browser cannot decode it: the server may decode it, or says what is wrong with it. */
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

/** The square as a file, or null if the browser could not encode it. */
export async function cutOut(picture: HTMLCanvasElement, { x, y, side }: CropFrame): Promise<Blob | null> {
  const px = Math.max(1, Math.min(PHOTO_SIDE_MAX_PX, Math.round(side)))
  const canvas = canvasOf(px, px)
  draw(canvas, picture, { x, y, width: side, height: side })
  // Browsers that cannot encode WebP encode PNG; both keep transparency.
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
}

/** Draws a part of a picture, scaled to the size of the canvas. */
export function draw(
  canvas: HTMLCanvasElement,
  from: CanvasImageSource,
  part: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): void {
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('this browser has no 2D canvas')
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(from, part.x, part.y, part.width, part.height, 0, 0, canvas.width, canvas.height)
}

function canvasOf(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  return canvas
}
