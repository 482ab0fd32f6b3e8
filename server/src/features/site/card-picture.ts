/**
 * Draws the picture of a shared link, 1200×630.
 *
 * - Words are set in our own two typefaces, and other scripts in the typefaces of their language's folder, so that the picture is the same on
 *   every machine and Devanagari is shaped.
 * - Any words stay inside the sheet, and the file stays below 100 kB.
 */
import { globSync } from 'node:fs'
import path from 'node:path'
import type { ShareCard } from '@roz/contract/public-pages.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { loadSharp } from '../../pictures/sharp.ts'
import { escaped } from './escaped.ts'

export const PICTURE = { width: 1200, height: 630 } as const

const OWN = [
  { file: path.join(import.meta.dirname, 'fonts/rozha-latin.ttf'), face: 'Rozha One' },
  { file: path.join(import.meta.dirname, 'fonts/mukta-latin-500.ttf'), face: 'Mukta Medium' },
] as const
type Face = (typeof OWN)[number]['face']

/** The typefaces of the other scripts: `locales/<language>/fonts/<name of the face>.ttf`. */
const LOCALES = path.resolve(import.meta.dirname, '../../../../locales')
const ADDED = LANGUAGES.flatMap((language) =>
  globSync('fonts/*.ttf', { cwd: path.join(LOCALES, language) }).map((file) => path.join(LOCALES, language, file)),
)
  .toSorted()
  .map((file) => ({ file, face: path.basename(file, '.ttf') }))
/** Letters that a face lacks are drawn in the next one. */
const familyOf = (face: Face): string => [...new Set([face, ...ADDED.map((added) => added.face)])].join(', ')

/** The colours of the light theme (web/src/ui/tokens.css). */
const COLOURS = {
  desk: '#f4e8d5',
  sheet: '#fffaf1',
  ink: '#231a15',
  muted: '#65554a',
  rule: '#e4d2b8',
  line: '#8a7565',
  margin: '#d98a66',
  cloth: '#8a2a13',
  thread: '#ffe6c7',
  onCloth: '#fff4e4',
  onClothQuiet: '#f6d3b4',
  leaf: '#14663f',
} as const
const LEFT = 136
const TEXT_WIDTH = 640
const CLOTH_HEIGHT = 112
const ART = { x: 824, y: 213, width: 316, height: 316 } as const
const WHEN_PITCH = 44
const LEAD_PITCH = 52
const ROW_PITCH = 60
/** Number of colours: enough for a flat drawing. */
const PALETTE = 96

let fonts: Promise<void> | undefined

/** Registers the typefaces with the text renderer; an equally named face of the machine would serve too. */
async function loadFonts(): Promise<void> {
  for (const { file, face } of [...ADDED, ...OWN]) await measured('x', `${face} 12`, file)
}

async function measured(words: string, font: string, fontfile: string): Promise<number> {
  const sharp = await loadSharp()
  const { info } = await sharp({ text: { text: escaped(words), font, fontfile, dpi: 72 } })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return info.width
}
const widthOf = (words: string, face: Face, sizePx: number): Promise<number> =>
  measured(words, `${familyOf(face)} ${sizePx}`, OWN.find((own) => own.face === face)?.file ?? '')

/** Removes characters that no font draws or XML does not allow. */
const printable = (words: string): string =>
  words
    .replaceAll(/[\p{Cc}\p{Cs}\p{Co}\p{Cn}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

type Setting = { readonly face: Face; readonly sizePx: number; readonly widthPx: number; readonly linesMax: number }

/** Breaks words into lines that fit. Too many words are cut short on the last line with `cut`, and give undefined without it. */
async function lines(words: string, { face, sizePx, widthPx, linesMax }: Setting, cut: boolean): Promise<string[] | undefined> {
  const rest = printable(words).split(' ')
  const set: string[] = []
  while (rest.length > 0) {
    if (set.length === linesMax) {
      if (!cut) return undefined
      set[linesMax - 1] = await shortened(`${set[linesMax - 1] ?? ''} ${rest.join(' ').slice(0, 60)}`, face, sizePx, widthPx)
      return set
    }
    let line = rest.shift() ?? ''
    if ((await widthOf(line, face, sizePx)) > widthPx) {
      if (!cut) return undefined
      line = await shortened(line, face, sizePx, widthPx)
    }
    while (rest[0] !== undefined && (await widthOf(`${line} ${rest[0]}`, face, sizePx)) <= widthPx) line += ` ${rest.shift() ?? ''}`
    set.push(line)
  }
  return set
}

async function shortened(words: string, face: Face, sizePx: number, widthPx: number): Promise<string> {
  const letters = [...new Intl.Segmenter('und').segment(words.slice(0, 200))].map(({ segment }) => segment)
  // No line has more letters than 60, and each measurement costs a millisecond.
  let count = Math.min(letters.length, 60)
  while (count > 1 && (await widthOf(`${letters.slice(0, count).join('').trimEnd()}…`, face, sizePx)) > widthPx) count -= 1
  return `${letters.slice(0, count).join('').trimEnd()}…`
}

type Fitting = { readonly face: Face; readonly sizesPx: readonly number[]; readonly linesMax: number; readonly heightPx: number }
type Fitted = { readonly set: readonly string[]; readonly sizePx: number }

/** Sets words at the largest size that fits, in lines of similar length; cuts them short at the smallest size. */
async function fitted(words: string, { face, sizesPx, linesMax, heightPx }: Fitting): Promise<Fitted> {
  for (const sizePx of sizesPx) {
    const setting = { face, sizePx, widthPx: TEXT_WIDTH, linesMax }
    const set = await lines(words, setting, false)
    if (set !== undefined && set.length * sizePx <= heightPx) return { set: await balanced(words, setting, set), sizePx }
  }
  const sizePx = sizesPx.at(-1) ?? 0
  return { set: (await lines(words, { face, sizePx, widthPx: TEXT_WIDTH, linesMax }, true)) ?? [], sizePx }
}

/** Narrows the lines as long as that adds no line, so that no single word is left on the last one. */
async function balanced(words: string, setting: Setting, set: readonly string[]): Promise<readonly string[]> {
  let best = set
  for (let widthPx = setting.widthPx - 40; widthPx > setting.widthPx / 2 && set.length > 1; widthPx -= 40) {
    const narrower = await lines(words, { ...setting, widthPx, linesMax: set.length }, false)
    if (narrower === undefined) break
    best = narrower
  }
  return best
}

type Print = {
  readonly x: number
  readonly y: number
  readonly sizePx: number
  readonly face: Face
  readonly colour: string
  readonly end?: boolean
}
const text = (words: string, { x, y, sizePx, face, colour, end = false }: Print): string =>
  `<text x="${x}" y="${y}" font-family="${familyOf(face)}" font-size="${sizePx}" fill="${colour}"${end ? ' text-anchor="end"' : ''}>${escaped(printable(words))}</text>`

/** The cloth at the top with its running stitch, the coin, the brand and the tagline. */
function cloth(card: ShareCard, coin: string): string {
  const stitch = `<path d="M0 ${CLOTH_HEIGHT - 13}H1200" stroke="${COLOURS.thread}" stroke-width="3" stroke-dasharray="15 11" stroke-linecap="round" opacity=".85"/>`
  // On its own page the tagline is the title already.
  const tagline = card.tagline === card.title ? '' : card.tagline
  return (
    `<rect width="1200" height="${CLOTH_HEIGHT}" fill="${COLOURS.cloth}"/>${stitch}${coin}` +
    text(card.brand, { x: LEFT + 2, y: 70, sizePx: 58, face: 'Rozha One', colour: COLOURS.onCloth }) +
    text(tagline, { x: 1140, y: 64, sizePx: 30, face: 'Mukta Medium', colour: COLOURS.onClothQuiet, end: true })
  )
}

/** The ruled sheet with the double red margin at full height. */
function sheet(): string {
  const ruled = Array.from({ length: 9 }, (_, line) => `M0 ${CLOTH_HEIGHT + 54 * (line + 1)}H1200`).join('')
  return (
    `<rect width="1200" height="630" fill="${COLOURS.sheet}"/><path d="${ruled}" stroke="${COLOURS.rule}" stroke-width="1.5" opacity=".55"/>` +
    `<path d="M98 ${CLOTH_HEIGHT}V630M106 ${CLOTH_HEIGHT}V630" stroke="${COLOURS.margin}" stroke-width="2.5"/>`
  )
}

/** The figures: a rule under each line, a double one under the last. */
function ledger(figures: ShareCard['figures'], from: number): string {
  return figures
    .map(({ label, value }, index) => {
      const y = from + index * ROW_PITCH
      const isLast = index === figures.length - 1
      const rule = isLast ? `M${LEFT} ${y + 17}h${TEXT_WIDTH}M${LEFT} ${y + 23}h${TEXT_WIDTH}` : `M${LEFT} ${y + 18}h${TEXT_WIDTH}`
      return (
        text(label, { x: LEFT, y, sizePx: 34, face: 'Mukta Medium', colour: COLOURS.ink }) +
        text(value, { x: LEFT + TEXT_WIDTH, y, sizePx: 44, face: 'Rozha One', colour: isLast ? COLOURS.leaf : COLOURS.ink, end: true }) +
        `<path d="${rule}" stroke="${COLOURS.line}" stroke-width="2"/>`
      )
    })
    .join('')
}

/** Words and figures, one below the other, centred on the sheet. */
async function words(card: ShareCard): Promise<string> {
  const count = card.figures.length
  const few = count > 1
  const title = await fitted(card.title, {
    face: 'Rozha One',
    sizesPx: [96, 84, 72, 60, 52],
    linesMax: few ? 2 : 3,
    heightPx: few ? 150 : 200,
  })
  const lead =
    few || card.lead === ''
      ? { set: [], sizePx: 0 }
      : await fitted(card.lead, { face: 'Mukta Medium', sizesPx: [40, 36, 32], linesMax: count > 0 ? 1 : 3, heightPx: 120 })
  const pitch = Math.round(title.sizePx * 1.16)
  const height =
    (card.when === '' ? 0 : WHEN_PITCH) + pitch * title.set.length + LEAD_PITCH * lead.set.length + (count > 0 ? 24 + ROW_PITCH * count : 0)
  let y = CLOTH_HEIGHT + Math.round((PICTURE.height - CLOTH_HEIGHT - height) / 2)
  const printed: string[] = []
  if (card.when !== '') {
    printed.push(text(card.when, { x: LEFT, y: y + 26, sizePx: 30, face: 'Mukta Medium', colour: COLOURS.muted }))
    y += WHEN_PITCH
  }
  for (const line of title.set) {
    printed.push(
      text(line, { x: LEFT - 2, y: y + Math.round(title.sizePx * 0.84), sizePx: title.sizePx, face: 'Rozha One', colour: COLOURS.ink }),
    )
    y += pitch
  }
  for (const line of lead.set) {
    printed.push(text(line, { x: LEFT, y: y + 44, sizePx: lead.sizePx, face: 'Mukta Medium', colour: COLOURS.muted }))
    y += LEAD_PITCH
  }
  return printed.join('') + ledger(card.figures, y + 24 + 38)
}

/** Places the drawing in a box of its own; ids of the coin and the drawing must not collide. */
const placed = (art: string, { x, y, width, height }: typeof ART): string =>
  art.replace('<svg ', `<svg x="${x}" y="${y}" width="${width}" height="${height}" `)

export async function drawCard(card: ShareCard): Promise<Buffer> {
  fonts ??= loadFonts()
  await fonts
  const coin = `<circle cx="68" cy="50" r="27" fill="#f6b73c"/><circle cx="66.5" cy="48.8" r="27" fill="none" stroke="${COLOURS.thread}" stroke-width="3"/><path d="M55.6-3H66.1V0H21.1V-3H33.1V-75.1L21-70.5L20.1-73.3L50.2-87.3H55.6Z" transform="translate(48.6 68.4) scale(.44)" fill="#2a1a10"/>`
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE.width}" height="${PICTURE.height}" viewBox="0 0 ${PICTURE.width} ${PICTURE.height}">` +
    `${sheet()}${cloth(card, coin)}${placed(card.art, ART)}${await words(card)}</svg>`
  const sharp = await loadSharp()
  return sharp(Buffer.from(svg))
    .png({ palette: true, colours: PALETTE, compressionLevel: 9, effort: 8 })
    .timeout({ seconds: 10 })
    .toBuffer()
}
