/**
 * Draws text as a QR code (ISO/IEC 18004): bytes, error correction M, versions 1 to 20 (at most 666 bytes).
 * - It runs in the browser, so the secret in the text reaches no other host.
 */

/** By version: error correction bytes of each block, and the number of blocks. */
const ECC = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26] as const
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16] as const

type Shape = { readonly version: number; readonly size: number; readonly ecc: number; readonly blocks: number; readonly codewords: number }

function shapeOf(version: number): Shape {
  const align = version === 1 ? 0 : Math.floor(version / 7) + 2
  let modules = (16 * version + 128) * version + 64
  if (align > 0) modules -= (25 * align - 10) * align - 55
  if (version >= 7) modules -= 36
  return {
    version,
    size: version * 4 + 17,
    ecc: ECC[version - 1] ?? 0,
    blocks: BLOCKS[version - 1] ?? 1,
    codewords: Math.floor(modules / 8),
  }
}

/** Multiplies in the field of 256 elements with the polynomial 0x11d. */
function times(x: number, y: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((y >>> bit) & 1) * x
  }
  return product
}

/** The Reed–Solomon remainder of a block. */
function remainderOf(data: readonly number[], degree: number): number[] {
  const divisor = Array<number>(degree).fill(0)
  divisor[degree - 1] = 1
  for (let i = 0, root = 1; i < degree; i++, root = times(root, 2)) {
    for (let j = 0; j < degree; j++) divisor[j] = times(divisor[j] ?? 0, root) ^ (divisor[j + 1] ?? 0)
  }
  const rest = Array<number>(degree).fill(0)
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0)
    rest.push(0)
    for (let j = 0; j < degree; j++) rest[j] = (rest[j] ?? 0) ^ times(divisor[j] ?? 0, factor)
  }
  return rest
}

/** The text as codewords: mode, length, bytes and padding. */
function dataOf(bytes: Uint8Array, capacity: number, version: number): number[] {
  const bits: number[] = []
  const add = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit--) bits.push((value >>> bit) & 1)
  }
  add(4, 4)
  add(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) add(byte, 8)
  add(0, Math.min(4, capacity * 8 - bits.length))
  add(0, (8 - (bits.length % 8)) % 8)
  const data: number[] = []
  for (let at = 0; at < bits.length; at += 8) data.push(bits.slice(at, at + 8).reduce((byte, bit) => (byte << 1) | bit, 0))
  for (let pad = 0xec; data.length < capacity; pad ^= 0xec ^ 0x11) data.push(pad)
  return data
}

/** Splits the codewords into blocks, adds their error correction, and interleaves them. */
function interleaved(data: readonly number[], { blocks, ecc, codewords }: Shape): number[] {
  const short = Math.floor(codewords / blocks) - ecc
  const shorts = blocks - (codewords % blocks)
  const parts = Array.from({ length: blocks }, (_, index) => {
    const from = index * short + Math.max(0, index - shorts)
    return data.slice(from, from + short + (index < shorts ? 0 : 1))
  })
  const checks = parts.map((part) => remainderOf(part, ecc))
  const columns = (rows: readonly (readonly number[])[], length: number): number[] =>
    Array.from({ length }, (_, column) => rows.flatMap((row) => row[column] ?? [])).flat()
  return [...columns(parts, short + 1), ...columns(checks, ecc)]
}

/** Undefined: no function pattern, so data may be there. */
type Grid = (boolean | undefined)[][]

function alignmentOf({ version, size }: Shape): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - (count - 2 - index) * step)]
}

const bit = (value: number, index: number): boolean => ((value >>> index) & 1) === 1

/** The divisor's remainder behind a value: the check bits of format and version. */
function checked(value: number, divisor: number, length: number): number {
  let rest = value
  for (let i = 0; i < length; i++) rest = (rest << 1) ^ ((rest >>> (length - 1)) * divisor)
  return (value << length) | rest
}

function functionPatterns(shape: Shape, mask: number): Grid {
  const { size, version } = shape
  const grid: Grid = Array.from({ length: size }, () => Array<boolean | undefined>(size).fill(undefined))
  const set = (x: number, y: number, dark: boolean): void => {
    const row = grid[y]
    if (row !== undefined && x >= 0 && x < size) row[x] = dark
  }
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0)
    set(i, 6, i % 2 === 0)
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const far = Math.max(Math.abs(dx), Math.abs(dy))
        set(cx + dx, cy + dy, far !== 2 && far !== 4)
      }
  const places = alignmentOf(shape)
  const last = places.length - 1
  for (const [i, cx] of places.entries())
    for (const [j, cy] of places.entries()) {
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) continue
      for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
    }
  // Error correction M is 0 in the format.
  const format = checked(mask, 0x537, 10) ^ 0x5412
  for (let i = 0; i < 15; i++) {
    const dark = bit(format, i)
    if (i < 6) set(8, i, dark)
    else if (i < 8) set(8, i + 1, dark)
    else if (i === 8) set(7, 8, dark)
    else set(14 - i, 8, dark)
    if (i < 8) set(size - 1 - i, 8, dark)
    else set(8, size - 15 + i, dark)
  }
  set(8, size - 8, true)
  if (version >= 7) {
    const word = checked(version, 0x1f25, 12)
    for (let i = 0; i < 18; i++) {
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)]
      set(a, b, bit(word, i))
      set(b, a, bit(word, i))
    }
  }
  return grid
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function withData(codewords: readonly number[], shape: Shape, mask: number): boolean[][] {
  const grid = functionPatterns(shape, mask)
  const isMasked = MASKS[mask] ?? (() => false)
  let at = 0
  for (let right = shape.size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const isUpward = ((right + 1) & 2) === 0
    for (let step = 0; step < shape.size; step++)
      for (const x of [right, right - 1]) {
        const y = isUpward ? shape.size - 1 - step : step
        const row = grid[y]
        if (row === undefined || row[x] !== undefined) continue
        row[x] = bit(codewords[at >>> 3] ?? 0, 7 - (at & 7)) !== isMasked(x, y)
        at++
      }
  }
  return grid.map((row) => row.map((dark) => dark === true))
}

/** How hard a drawing is to read: long runs, blocks of one colour, and an unequal share of dark modules. */
function penaltyOf(grid: readonly (readonly boolean[])[]): number {
  const lines = [...grid, ...grid.map((_, x) => grid.map((row) => row[x] === true))]
  let penalty = 0
  for (const line of lines) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('')
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2
    penalty += 40 * (text.match(/(?=00001011101|10111010000)/g)?.length ?? 0)
  }
  for (let y = 1; y < grid.length; y++)
    for (let x = 1; x < grid.length; x++) {
      const dark = grid[y]?.[x]
      if (grid[y - 1]?.[x] === dark && grid[y]?.[x - 1] === dark && grid[y - 1]?.[x - 1] === dark) penalty += 3
    }
  const share = grid.flat().filter(Boolean).length / grid.length ** 2
  return penalty + 10 * Math.floor(Math.abs(share - 0.5) * 20)
}

/** The rows of the code, true where it is dark. Throws for a text that is too long. */
export function qrOf(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text)
  const shape = ECC.map((_, index) => shapeOf(index + 1)).find(
    ({ version, codewords, ecc, blocks }) => bytes.length + (version < 10 ? 2 : 3) <= codewords - ecc * blocks,
  )
  if (shape === undefined) throw new Error('too long for a QR code')
  const codewords = interleaved(dataOf(bytes, shape.codewords - shape.ecc * shape.blocks, shape.version), shape)
  const drawn = MASKS.map((_, mask) => withData(codewords, shape, mask))
  return drawn.reduce((best, grid) => (penaltyOf(grid) < penaltyOf(best) ? grid : best))
}

/** The dark modules as one SVG path, inside a border of four light modules. */
export const qrPath = (rows: readonly (readonly boolean[])[]): string =>
  rows.map((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : '')).join('')).join('')
