/**
 * Opens many short values of AES-256-GCM (NIST SP 800-38D) under one key at once. The platform's own
 * makes objects for each: a million keys of a day's list took five times as long, and left memory
 * outside of the heap behind. Invariants: it opens what the platform's own opens and nothing else (the
 * tests hold them side by side), and not a byte of a value is given out whose tag is not its own.
 */
import { createCipheriv, type KeyObject } from 'node:crypto'

const BLOCK = 16
const NONCE_BYTES = 12
/** Values whose key stream is made by one call. */
const PORTION = 512
const CONTEXT_MAX = 256

/** Where the parts of each value lie, from its begin; the body is the rest. */
export type GcmLayout = { readonly nonceAt: number; readonly tagAt: number; readonly bodyAt: number }
export type SealedValues = {
  readonly bytes: Buffer
  /** Bytes of each; they lie one after the other. */
  readonly each: number
  /** What the value is bound to. */
  readonly contextOf: (index: number) => string
}

const padded = (bytes: number): number => Math.ceil(bytes / BLOCK) * BLOCK

export function createManyOpener(key: KeyObject, layout: GcmLayout) {
  const encrypt = (blocks: Uint8Array): Buffer => createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(blocks)
  const products = productsOf(encrypt(Buffer.alloc(BLOCK)))

  /** Writes the bodies of some values, opened, one after the other; answers the first whose tag is wrong. */
  function openPortion({ bytes, each, contextOf }: SealedValues, from: number, to: number, into: Buffer): number | undefined {
    const { nonceAt, tagAt, bodyAt } = layout
    const length = each - bodyAt
    const streamBytes = BLOCK + padded(length)
    const counters = Buffer.alloc((to - from) * streamBytes)
    for (let index = from; index < to; index++) {
      const nonce = index * each + nonceAt
      for (let block = 0; block * BLOCK < streamBytes; block++) {
        const at = (index - from) * streamBytes + block * BLOCK
        bytes.copy(counters, at, nonce, nonce + NONCE_BYTES)
        // The first counter hides the tag, those after it the body.
        counters.writeUInt32BE(block + 1, at + NONCE_BYTES)
      }
    }
    const stream = encrypt(counters)
    const hashed = Buffer.alloc(CONTEXT_MAX + padded(length) + BLOCK)
    const tag = Buffer.alloc(BLOCK)
    for (let index = from; index < to; index++) {
      const [value, streamAt] = [index * each, (index - from) * streamBytes]
      const size = layOut(hashed, contextOf(index), bytes.subarray(value + bodyAt, value + each))
      multiplyInto(tag, products, hashed, size)
      let difference = 0
      for (let at = 0; at < BLOCK; at++) difference |= byteAt(tag, at) ^ byteAt(stream, streamAt + at) ^ byteAt(bytes, value + tagAt + at)
      if (difference !== 0) return index
      for (let at = 0; at < length; at++)
        into[index * length + at] = byteAt(bytes, value + bodyAt + at) ^ byteAt(stream, streamAt + BLOCK + at)
    }
    return undefined
  }

  /** The bodies go into `into`, one after the other. Answers the index of a value that does not open; what comes after it is left as it is. */
  return (values: SealedValues, into: Buffer): number | undefined => {
    const count = values.bytes.length / values.each
    for (let from = 0; from < count; from += PORTION) {
      const broken = openPortion(values, from, Math.min(count, from + PORTION), into)
      if (broken !== undefined) return broken
    }
    return undefined
  }
}

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] as number

/** What the tag is over: context and body, each filled up with zeros to whole blocks, and how many bits they have. */
function layOut(hashed: Buffer, context: string, body: Buffer): number {
  const contextBytes = Buffer.byteLength(context)
  if (contextBytes > CONTEXT_MAX) throw new Error(`too long for a context: ${context}`)
  const [bodyAt, size] = [padded(contextBytes), padded(contextBytes) + padded(body.length) + BLOCK]
  hashed.fill(0, 0, size)
  hashed.write(context)
  body.copy(hashed, bodyAt)
  hashed.writeUInt32BE(contextBytes * 8, size - 12)
  hashed.writeUInt32BE(body.length * 8, size - 4)
  return size
}

const WORD = 4
const ROW = 256 * BLOCK

/** The products of H with each value of each of the 16 bytes of a block: 64 kB, so that a block takes 16 lookups. */
function productsOf(h: Buffer): DataView {
  const products = new DataView(new ArrayBuffer(BLOCK * ROW))
  let [a, b, c, d] = [h.readInt32BE(0), h.readInt32BE(WORD), h.readInt32BE(2 * WORD), h.readInt32BE(3 * WORD)]
  for (let bit = 0; bit < BLOCK * 8; bit++) {
    const value = 0x80 >> (bit % 8)
    for (let byte = 0; byte < 256; byte++) {
      if ((byte & value) === 0) continue
      const at = Math.floor(bit / 8) * ROW + byte * BLOCK
      ;[a, b, c, d].forEach((word, index) => products.setInt32(at + index * WORD, products.getInt32(at + index * WORD) ^ word))
    }
    // Times x: bits run from the left to the right here, and what falls out comes back as the polynomial.
    const out = d & 1
    d = (d >>> 1) | (c << 31)
    c = (c >>> 1) | (b << 31)
    b = (b >>> 1) | (a << 31)
    a = (a >>> 1) ^ (out === 1 ? 0xe1 << 24 : 0)
  }
  return products
}

/** GHASH: each block is added to what there is, and that multiplied by H. */
function multiplyInto(tag: Buffer, products: DataView, hashed: Buffer, size: number): void {
  const blocks = new DataView(hashed.buffer, hashed.byteOffset, size)
  let [y0, y1, y2, y3] = [0, 0, 0, 0]
  for (let at = 0; at < size; at += BLOCK) {
    y0 ^= blocks.getInt32(at)
    y1 ^= blocks.getInt32(at + WORD)
    y2 ^= blocks.getInt32(at + 2 * WORD)
    y3 ^= blocks.getInt32(at + 3 * WORD)
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let byte = 0; byte < BLOCK; byte++) {
      const word = byte < 8 ? (byte < 4 ? y0 : y1) : byte < 12 ? y2 : y3
      const product = byte * ROW + ((word >>> (24 - (byte % 4) * 8)) & 0xff) * BLOCK
      a ^= products.getInt32(product)
      b ^= products.getInt32(product + WORD)
      c ^= products.getInt32(product + 2 * WORD)
      d ^= products.getInt32(product + 3 * WORD)
    }
    ;[y0, y1, y2, y3] = [a, b, c, d]
  }
  tag.writeInt32BE(y0, 0)
  tag.writeInt32BE(y1, WORD)
  tag.writeInt32BE(y2, 2 * WORD)
  tag.writeInt32BE(y3, 3 * WORD)
}
