/**
 * Re-encodes uploaded pictures as WebP.
 *
 * - Only the pixels of the uploaded file survive: no metadata, no trailing data.
 * - Only the content decides what a file is, not its name or declared type. Each refusal says its true reason.
 * - A picture of more than 24 megapixels is refused before it is decoded, however small its file.
 * - At most two pictures are decoded at once, each for at most 10 s. That a machine needs longer is no fault of the file: 503.
 */
import type { Sharp } from 'sharp'
import { createGate } from '../protection/concurrency-limit.ts'
import { UnavailableError } from '../http/faults.ts'
import { loadSharp } from './sharp.ts'

type Reencoded =
  | ({ readonly ok: true; readonly bytes: Buffer } & PictureSize)
  | { readonly ok: false; readonly code: 'avatar_not_image' | 'picture_pixels' | 'picture_heic' }
type PictureSize = { readonly width: number; readonly height: number }
/** Crops, scales or covers parts of the upright picture. */
export type Shape = (picture: Sharp, size: PictureSize) => Sharp

/** About 100 MB decoded: two at once must fit into the process. */
const PIXELS_MAX = 24_000_000
// SVG and PDF can contain programs; browsers do not show RAW formats.
const FORMATS = new Set(['jpeg', 'png', 'webp', 'gif', 'avif', 'heif', 'tiff'])

const gate = createGate({ inFlightMax: 2, waitingMax: 32 })

type Upload = { readonly bytes: Buffer }
const DECODE_SECONDS = 10
/** The decoder reports its time limit only by this message. */
const OUT_OF_TIME = /^timeout: \d+% complete/

export const reencodePicture = (upload: Upload, shape: Shape, seconds = DECODE_SECONDS): Promise<Reencoded> =>
  gate(() => reencode(upload.bytes, shape, seconds))

async function reencode(bytes: Buffer, shape: Shape, seconds: number): Promise<Reencoded> {
  const refused = { ok: false, code: 'avatar_not_image' } as const
  if (isHeic(bytes)) return { ok: false, code: 'picture_heic' }
  if (!hasPictureHead(bytes)) return refused
  const sharp = await loadSharp()
  try {
    const options = { limitInputPixels: PIXELS_MAX, pages: 1, failOn: 'error', sequentialRead: true } as const
    const { format, width, height } = await sharp(bytes, { ...options, limitInputPixels: false }).metadata()
    if (format === undefined || !FORMATS.has(format)) return refused
    if (width * height > PIXELS_MAX) return { ok: false, code: 'picture_pixels' }
    const { data, info } = await shape(sharp(bytes, options).autoOrient(), { width, height })
      .toColourspace('srgb')
      .webp({ quality: 82 })
      .timeout({ seconds })
      .toBuffer({ resolveWithObject: true })
    return { ok: true, bytes: data, width: info.width, height: info.height }
  } catch (error) {
    if (OUT_OF_TIME.test(error instanceof Error ? error.message : '')) throw new UnavailableError('a picture took too long to decode')
    // The decoder throws for bytes that are not a complete picture, and does not distinguish other faults.
    return refused
  }
}

/** The brands that a file in the container of HEIF names (ISO/IEC 23008-12). */
const brandsOf = (bytes: Buffer): string[] =>
  bytes.toString('latin1', 4, 8) === 'ftyp' ? (bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 256)).match(/.{4}/gs) ?? []) : []
/** A phone's HEIC: our decoder reads AVIF in the same container, but no HEVC. */
const isHeic = (bytes: Buffer): boolean => {
  const brands = bytes.length < 12 ? [] : brandsOf(bytes)
  return brands.some((brand) => /^(?:hei[cxms]|hev[cxms])$/.test(brand)) && !brands.some((brand) => /^avi[fs]$/.test(brand))
}

/** Checks the first bytes for the formats above: no other file reaches a decoder. */
function hasPictureHead(bytes: Buffer): boolean {
  const ascii = (from: number, to: number): string => bytes.toString('latin1', from, to)
  if (bytes.length < 12) return false
  if (ascii(0, 3) === '\xff\xd8\xff' || ascii(0, 8) === '\x89PNG\r\n\x1a\n' || ascii(0, 4) === 'GIF8') return true
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return true
  if (ascii(4, 8) === 'ftyp' && /^(avif|avis|mif1|msf1)$/.test(ascii(8, 12))) return true
  return ascii(0, 4) === 'II*\0' || ascii(0, 4) === 'MM\0*'
}
