/**
 * The frame that is cut out of a picture, in the picture's own pixels.
 * - After any move or zoom, the frame lies inside its picture.
 */
export type PictureSize = { readonly width: number; readonly height: number }
export type CropFrame = { readonly x: number; readonly y: number; readonly side: number }

export const ZOOM_MAX = 4

/** At zoom 1 the frame covers the whole shorter side. */
const sideAt = ({ width, height }: PictureSize, zoom: number): number => Math.min(width, height) / zoom
const between = (value: number, max: number): number => Math.min(Math.max(value, 0), max)

/** Centred, at the largest size. */
export function firstFrame(picture: PictureSize): CropFrame {
  const side = sideAt(picture, 1)
  return { x: (picture.width - side) / 2, y: (picture.height - side) / 2, side }
}

export const moved = ({ side, x, y }: CropFrame, right: number, down: number, picture: PictureSize): CropFrame => ({
  x: between(x + right, picture.width - side),
  y: between(y + down, picture.height - side),
  side,
})

export const zoomOf = (frame: CropFrame, picture: PictureSize): number => sideAt(picture, 1) / frame.side

/** Resized around its centre. */
export function zoomed(frame: CropFrame, zoom: number, picture: PictureSize): CropFrame {
  const side = sideAt(picture, Math.min(Math.max(zoom, 1), ZOOM_MAX))
  const outward = (frame.side - side) / 2
  return moved({ ...frame, side }, outward, outward, picture)
}
