/** Builds the files that make the app installable: icons rendered from the coin's one drawing, and the service worker's version. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { sprite } from '../src/ui/art.ts'

const INK = '--i-mari:#f6b73c;--i-ink:#2a1a10;--i-edge:#2a1a10'
/** The colour of the app's top bar, as the background where the system cuts icons to its own shape. */
const CLOTH = '#8a2a13'
/** Systems are sure to show only a circle of 4/5 of a maskable icon's width, so the coin (40 units) gets a margin of 4 units. */
const MASKABLE = { from: 4, side: 48 } as const

const coin = (): string => /<symbol id="c1"[^>]*>(.*?)<\/symbol>/.exec(sprite(['c1']))?.[1] ?? ''
export const favicon = (): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><style>:root{${INK}}</style>${coin()}</svg>`

/** Replaces the CSS variables by colours: the SVG renderer of the build does not support variables. */
function drawn(onCloth: boolean): Buffer {
  const plain = INK.split(';').reduce((svg, pair) => {
    const [name, colour] = pair.split(':')
    return svg.replaceAll(`var(--cf,var(${name}))`, colour ?? '').replaceAll(`var(${name})`, colour ?? '')
  }, coin())
  const { from, side } = onCloth ? MASKABLE : { from: 0, side: 40 }
  const ground = onCloth ? `<rect x="-${from}" y="-${from}" width="${side}" height="${side}" fill="${CLOTH}"/>` : ''
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-${from} -${from} ${side} ${side}">${ground}${plain}</svg>`)
}

const ICONS = [
  { name: 'icon-192.png', side: 192, onCloth: false },
  { name: 'icon-512.png', side: 512, onCloth: false },
  { name: 'maskable-192.png', side: 192, onCloth: true },
  { name: 'maskable-512.png', side: 512, onCloth: true },
  { name: 'apple-touch-icon.png', side: 180, onCloth: true },
] as const

export async function writeIcons(out: string): Promise<void> {
  const folder = path.join(out, 'icons')
  await mkdir(folder, { recursive: true })
  for (const { name, side, onCloth } of ICONS) {
    const picture = sharp(drawn(onCloth), { density: 72 * (side / 40) }).resize(side, side)
    await writeFile(path.join(folder, name), await picture.png({ compressionLevel: 9 }).toBuffer())
  }
}

/** Changes whenever a file changes that the service worker may have cached. */
export async function versionOf(out: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(path.join(out, 'assets'))).toSorted()) hash.update(`${name}\n`)
  for (const file of ['app.html', 'pages.mjs']) hash.update(await readFile(path.join(out, file)))
  return hash.digest('hex').slice(0, 16)
}
