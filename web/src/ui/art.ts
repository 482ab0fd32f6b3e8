/**
 * The coin and its parts as SVG symbols: the product's only drawing, with lines printed slightly off.
 * - It runs at build time only. Pages contain the finished sprite and reference it: `<use href="#coin">`.
 * - The drawing has no style attributes, because the content security policy forbids them.
 */
type Point = readonly [number, number]

let seed = 7
const random = (): number => {
  seed = (seed * 16_807) % 2_147_483_647
  return seed / 2_147_483_647
}
const short = (value: number): string =>
  String(Math.round(value * 10) / 10)
    .replace(/^0\./, '.')
    .replace(/^-0\./, '-.')

/** A smooth curve through points (Catmull-Rom as cubic Béziers). */
function curve(points: readonly Point[], closed: boolean): string {
  const count = points.length
  const at = (index: number): Point => points[closed ? (index + count) % count : Math.max(0, Math.min(count - 1, index))] as Point
  let path = `M${short(at(0)[0])} ${short(at(0)[1])}`
  for (let index = 0; index < (closed ? count : count - 1); index += 1) {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)]
    const numbers = [b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6, c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6, c[0], c[1]]
    path += `C${numbers.map(short).join(' ')}`.replace(/ -/g, '-')
  }
  return path + (closed ? 'z' : '')
}

function ring(x: number, y: number, radius: number, wobble: number, points: number, from: number): string {
  seed = from
  const turn = random() * 6
  const around = [...Array(points)].map((_, index): Point => {
    const angle = turn + (index / points) * 6.2832
    const reach = radius * (1 + (random() - 0.5) * 2 * wobble)
    return [x + reach * Math.cos(angle), y + reach * Math.sin(angle)]
  })
  return curve(around, true)
}

function line(points: readonly Point[], wobble: number, from: number): string {
  seed = from
  return curve(
    points.map(([x, y]): Point => [x + (random() - 0.5) * 2 * wobble, y + (random() - 0.5) * 2 * wobble]),
    false,
  )
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180
const onCircle = (x: number, y: number, radius: number, angle: number): string =>
  `${short(x + radius * Math.cos(radians(angle)))} ${short(y + radius * Math.sin(radians(angle)))}`
const sector = (x: number, y: number, radius: number, from: number, to: number): string =>
  `M${x} ${y}L${onCircle(x, y, radius, from)}A${radius} ${radius} 0 ${to - from > 180 ? 1 : 0} 1 ${onCircle(x, y, radius, to)}z`

const ONE = 'M55.6-3H66.1V0H21.1V-3H33.1V-75.1L21-70.5L20.1-73.3L50.2-87.3H55.6Z'
const LEAVES: readonly (readonly [number, number, number, number])[] = [
  [44, 92, 33, 97],
  [38, 87, 27, 89],
  [34, 80, 23, 79],
  [31.6, 71, 22, 67],
  [30.8, 62, 23.5, 55],
  [30.8, 52, 31, 41],
  [41, 89, 45, 79],
  [36, 83, 42, 73],
  [33, 75, 40.5, 66],
  [31.2, 66, 38, 57],
  [30.8, 57, 37, 48],
]

function sprig(mirrored: boolean): string {
  const across = (x: number): string => short(mirrored ? 120 - x : x)
  const leaf = ([x, y, tipX, tipY]: readonly [number, number, number, number]): string => {
    const [dx, dy] = [tipX - x, tipY - y]
    const length = Math.hypot(dx, dy)
    const [sideX, sideY] = [(-dy / length) * 3.6, (dx / length) * 3.6]
    const [midX, midY] = [x + dx * 0.45, y + dy * 0.45]
    return `M${across(x)} ${short(y)}Q${across(midX + sideX)} ${short(midY + sideY)} ${across(tipX)} ${short(tipY)}Q${across(midX - sideX)} ${short(midY - sideY)} ${across(x)} ${short(y)}`
  }
  const stem = `<path d="M${across(50)} 95Q${across(29)} 88 ${across(31)} 50" fill="none" stroke-width="1.7"/>`
  return `${stem}<path stroke="none" d="${LEAVES.map(leaf).join('')}"/>`
}

const coinLines =
  `<path d="${ring(60, 60, 54, 0.008, 9, 11)}" fill="none" stroke="var(--i-edge)" stroke-width="3"/>` +
  '<circle cx="60" cy="60" r="47.5" fill="none" stroke-width="2.6" stroke-dasharray="0 5.53" stroke-linecap="round"/>' +
  `<path d="${ring(60, 60, 41, 0.01, 8, 5)}" fill="none" stroke-width="1.5"/><g stroke-linecap="round">${sprig(false)}${sprig(true)}</g>` +
  `<path stroke="none" d="${ONE}" transform="translate(38.2 90.5) scale(.5)"/>` +
  '<path d="M53.6 24.5h13M53.6 29h13M56 24.5c8 .2 8 9.2 0 9.4h-2.2l9 7" fill="none" stroke-width="2.1" stroke-linecap="round" stroke-linejoin="round"/>'

const symbol = (id: string, viewBox: string, inner: string): string => `<symbol id="${id}" viewBox="${viewBox}">${inner}</symbol>`

const coin = symbol(
  'coin',
  '0 0 120 120',
  `<circle cx="62.5" cy="62" r="53" fill="var(--cf,var(--i-mari))"/><g id="ca" fill="var(--i-ink)" stroke="var(--i-ink)">${coinLines}</g>`,
)
const smallCoin = symbol(
  'c1',
  '0 0 40 40',
  `<circle cx="21" cy="20.8" r="17.4" fill="var(--cf,var(--i-mari))"/><path d="${ring(20, 20, 17.6, 0.012, 8, 11)}" fill="none" stroke="var(--i-edge)" stroke-width="2"/><path d="${ONE}" transform="translate(8.3 32.6) scale(.29)" fill="var(--i-ink)"/>`,
)

type Cut = { readonly key: string; readonly from: number; readonly to: number; readonly fill: string; readonly shift: Point }
const CUTS: readonly Cut[] = [
  { key: 'need', from: 50, to: 266, fill: 'leaf', shift: [-7, 2] },
  { key: 'gift', from: -94, to: 14, fill: 'mari', shift: [10, -9] },
  { key: 'run', from: 14, to: 50, fill: 'terra', shift: [19, 13] },
]

const cutCoin = symbol(
  'cut',
  '-10 -14 158 152',
  CUTS.map(({ key, from, to, fill, shift }) => {
    const edge = `${sector(60, 60, 54, from, to).replace(/A.*z/, '')}M60 60L${onCircle(60, 60, 54, to)}`
    return `<g transform="translate(${shift[0]} ${shift[1]})"><clipPath id="k-${key}"><path d="${sector(60, 60, 70, from, to)}"/></clipPath><g clip-path="url(#k-${key})"><circle cx="61.8" cy="61.5" r="53" fill="var(--i-${fill})"/><use href="#ca"/></g><path d="${edge}" fill="none" stroke="var(--i-edge)" stroke-width="2.2" stroke-linecap="round"/></g>`
  }).join(''),
)
const keys = CUTS.map(({ key, from, to, fill }) =>
  symbol(
    `key-${key}`,
    '0 0 28 28',
    `<circle cx="14" cy="14" r="12.5" fill="none" stroke="var(--line)" stroke-width="1.5"/><path d="${sector(14, 14, 12.5, from, to)}" fill="var(--i-${fill})" stroke="var(--ink)" stroke-width="1.5" stroke-linejoin="round"/>`,
  ),
).join('')

const placed = (x: number, y: number, scale: number, fill: string): string =>
  `<g transform="translate(${x} ${y}) scale(${scale})" class="cf-${fill}"><use href="#coin" width="120" height="120"/></g>`
function coinEdge(x: number, y: number, width: number, from: number): string {
  const outline: Point[] = [
    [x + 4, y],
    [x + width / 2, y],
    [x + width - 4, y],
    [x + width, y + 4.5],
    [x + width - 4, y + 9],
    [x + width / 2, y + 9],
    [x + 4, y + 9],
    [x, y + 4.5],
    [x + 4, y],
  ]
  const ticks = [x + 9, x + 17, x + 25, x + width - 9, x + width - 17].map((at) => `M${at} ${y + 3}v3.5`).join('')
  return `<rect x="${x + 2}" y="${y + 1.5}" width="${width}" height="9" rx="4" fill="var(--i-mari)"/><path d="${line(outline, 0.5, from)}" fill="none" stroke="var(--i-line)" stroke-width="2"/><path d="${ticks}" stroke="var(--i-line)" stroke-width="1.5"/>`
}
const stack = symbol(
  'stack',
  '26 0 84 96',
  `${coinEdge(30, 80, 52, 4)}${coinEdge(34, 70, 52, 8)}${coinEdge(29, 60, 52, 15)}<g transform="rotate(-14 58 30)">${placed(32, 2, 0.45, 'terra')}</g><path d="M88 18q5 6 6 13M96 10q7 9 8 19" fill="none" stroke="var(--i-line)" stroke-width="2" stroke-linecap="round"/>`,
)
const SLIP: Point[] = [
  [30, 6],
  [56, 6.5],
  [80, 6],
  [80.5, 45],
  [80, 84],
  [74, 79],
  [68, 84],
  [62, 79],
  [55, 84],
  [49, 79],
  [43, 84],
  [36, 79],
  [30, 84],
  [29.5, 45],
  [30, 6],
]
const slip = symbol(
  'slip',
  '26 0 84 96',
  `<path d="M32 8h50v78l-6-5-6 5-6-5-7 5-6-5-6 5-7-5-6 5z" fill="var(--i-paper)"/><path d="${line(SLIP, 0.5, 9)}" fill="none" stroke="var(--i-line)" stroke-width="2"/><path d="M39 20h26M39 30h32M39 40h20M39 50h14" stroke="var(--i-line)" stroke-width="2" stroke-linecap="round"/>${placed(52, 38, 0.45, 'leaf')}`,
)
const play = symbol(
  'play',
  '0 0 120 120',
  `<circle cx="62.5" cy="62" r="53" fill="var(--i-mari)"/><g fill="none" stroke="var(--i-ink)"><path d="${ring(60, 60, 54, 0.008, 9, 11)}" stroke="var(--thread)" stroke-width="3"/><circle cx="60" cy="60" r="47" stroke-width="2.6" stroke-dasharray="0 5.53" stroke-linecap="round"/></g><path d="M49 39q24 11 36 21-13 11-36 22-1-22 0-43z" fill="var(--i-ink)"/>`,
)
const seal = symbol(
  'seal',
  '0 0 88 88',
  `<g fill="none" stroke="currentColor"><path d="${ring(44, 44, 40, 0.012, 9, 102)}" stroke-width="2.6"/><circle cx="44" cy="44" r="34" stroke-width="2" stroke-dasharray="0 5.34" stroke-linecap="round"/><path d="M16 31.5q28 1 56 0M16 56.5q28-1 56 0" stroke-width="1.3"/></g>`,
)
const postmark = symbol(
  'postmark',
  '0 0 140 140',
  `<g fill="none" stroke="currentColor"><path d="${ring(70, 70, 65, 0.01, 10, 21)}" stroke-width="3.4"/><path d="${ring(70, 70, 47, 0.012, 9, 9)}" stroke-width="1.6"/></g>`,
)

const ALL = { coin, c1: smallCoin, cut: cutCoin, keys, stack, slip, play, seal, postmark } as const
export type ArtName = keyof typeof ALL

/** The sprite with the given symbols (all by default). It must be the first element in the body. */
export const sprite = (names: readonly ArtName[] = Object.keys(ALL) as ArtName[]): string =>
  `<svg width="0" height="0" class="sprite" aria-hidden="true">${names.map((name) => ALL[name]).join('')}</svg>`
