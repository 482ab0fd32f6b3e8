/**
 * Hashes many messages of equal length by SHA-256, four at a time, in a WebAssembly module generated here.
 *
 * - Each lane of a 128-bit vector has one message.
 * - The digests equal those of sha256.ts.
 */
import { sha256 } from './sha256.ts'

/** Only the parts used here: the type libraries of browsers and Node declare WebAssembly differently. */
export type WasmMemory = { readonly buffer: ArrayBuffer }
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory
  readonly instantiate: (
    code: Uint8Array<ArrayBuffer>,
    imports: { readonly m: { readonly m: WasmMemory } },
  ) => Promise<{ readonly instance: { readonly exports: { readonly h: (from: number, to: number, groups: number) => void } } }>
}

/** A message is prefix ‖ content. Contents are `stride` bytes apart, digests `outStride` bytes. */
export type LaneShape = {
  readonly prefix: Uint8Array
  readonly contentBytes: number
  readonly stride: number
  readonly outStride: number
  /** Offset in the shared memory where the four padded messages are assembled. */
  readonly scratchAt: number
}
/** Reads at `from` and writes at `to` in the shared memory. It may write up to three digests beyond `count`. */
export type LaneHasher = (from: number, to: number, count: number) => void

const ROUND_CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]
const INITIAL = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]

type Bytes = readonly number[]

/** Unsigned LEB128. */
function leb(value: number): Bytes {
  const rest = Math.floor(value / 128)
  return rest === 0 ? [value] : [(value % 128) + 128, ...leb(rest)]
}
const code = (...parts: readonly Bytes[]): Bytes => parts.flat()
const vector = (operation: number, ...immediates: readonly number[]): Bytes => [0xfd, ...leb(operation), ...immediates]
const get = (local: number): Bytes => [0x20, ...leb(local)]
const set = (local: number): Bytes => [0x21, ...leb(local)]
/** An i32 constant: signed LEB128 of a non-negative number. */
const constant = (value: number): Bytes => {
  const bytes = [...leb(value)]
  const last = bytes.length - 1
  if (((bytes[last] as number) & 0x40) === 0) return [0x41, ...bytes]
  bytes[last] = (bytes[last] as number) | 0x80
  return [0x41, ...bytes, 0]
}
const everyLane = (word: number): Bytes => {
  const little = [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24]
  return vector(12, ...little, ...little, ...little, ...little)
}
const OR = vector(80)
const XOR = vector(81)
/** v128.bitselect: takes bits of the first operand where the third is 1, else of the second. */
const SELECT = vector(82)
const SHIFT_LEFT = vector(171)
const SHIFT_RIGHT = vector(173)
const ADD = vector(174)
/** i8x16.shuffle: reverses the bytes of each word. It takes its operand twice. */
const BYTE_SWAP = vector(13, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
const LOOP = [0x03, 0x40]
const REPEAT_IF = [0x0d, 0]
const END = [0x0b]

const FROM = 0
const TO = 1
const GROUPS = 2
const BLOCK = 3
const STATE = 4
const WORK = 12
const WORDS = 20
const TEMPORARY = 36

const shifted = (local: number, bits: number): Bytes => code(get(local), constant(bits), SHIFT_RIGHT)
const rotated = (local: number, bits: number): Bytes => code(shifted(local, bits), get(local), constant(32 - bits), SHIFT_LEFT, OR)
const rotatedTwice = (local: number, first: number, second: number): Bytes => code(rotated(local, first), rotated(local, second), XOR)
const bigSigma = (local: number, first: number, second: number, third: number): Bytes =>
  code(rotatedTwice(local, first, second), rotated(local, third), XOR)
const smallSigma = (local: number, first: number, second: number, third: number): Bytes =>
  code(rotatedTwice(local, first, second), shifted(local, third), XOR)

/** Computes schedule word t, which overwrites word t − 16. */
function scheduled(t: number): Bytes {
  const word = (back: number): number => WORDS + ((t - back) % 16)
  return code(
    code(get(word(16)), smallSigma(word(15), 7, 18, 3), ADD),
    code(get(word(7)), ADD, smallSigma(word(2), 17, 19, 10), ADD, set(word(16))),
  )
}

/** One round of SHA-256. The eight working variables are renamed instead of moved. */
function round(t: number): Bytes {
  const variable = (index: number): number => WORK + ((index + 64 - t) % 8)
  const [a, b, c, d] = [variable(0), variable(1), variable(2), variable(3)]
  const [e, f, g, h] = [variable(4), variable(5), variable(6), variable(7)]
  const word = code(everyLane(ROUND_CONSTANTS[t] as number), get(WORDS + (t % 16)), ADD)
  const choice = code(get(f), get(g), get(e), SELECT)
  // Majority of a, b, c: c where a and b differ, else b.
  const majority = code(get(c), get(b), get(a), get(b), XOR, SELECT)
  return code(
    t < 16 ? [] : scheduled(t),
    code(get(h), bigSigma(e, 6, 11, 25), ADD, choice, ADD, word, ADD, set(TEMPORARY)),
    code(get(d), get(TEMPORARY), ADD, set(d)),
    code(get(TEMPORARY), bigSigma(a, 2, 13, 22), ADD, majority, ADD, set(h)),
  )
}

const times = (count: number, of: (index: number) => Bytes): Bytes => Array.from({ length: count }, (_, index) => of(index)).flat()

const MOVES = [
  { size: 16, load: vector(0), store: vector(11) },
  { size: 8, load: [0x29], store: [0x37] },
  { size: 4, load: [0x28], store: [0x36] },
  { size: 1, load: [0x2d], store: [0x3a] },
]

/** Generates loads and stores that copy `bytes` bytes. */
function copies(bytes: number, fromOffset: number, scratch: number): Bytes {
  const parts: Bytes[] = []
  let at = 0
  for (const { size, load, store } of MOVES) {
    for (; bytes - at >= size; at += size) {
      parts.push(constant(0), get(FROM), load, [0], leb(fromOffset + at), store, [0], leb(scratch + at))
    }
  }
  return code(...parts)
}

const blocksOf = ({ prefix, contentBytes }: LaneShape): number => Math.ceil((prefix.length + contentBytes + 9) / 64)

/** Compresses one block of each of the four messages, which are `messageBytes` apart. */
function compression(messageBytes: number): Bytes {
  const lane = (index: number, t: number): Bytes =>
    code(get(BLOCK), get(TEMPORARY), vector(86, 2, ...leb(index * messageBytes + 4 * t), index), set(TEMPORARY))
  const loaded = (t: number): Bytes =>
    code(
      code(get(BLOCK), vector(92, 2, ...leb(4 * t)), set(TEMPORARY)),
      code(lane(1, t), lane(2, t), lane(3, t)),
      code(get(TEMPORARY), get(TEMPORARY), BYTE_SWAP, set(WORDS + t)),
    )
  return code(
    times(16, loaded),
    times(8, (i) => code(get(STATE + i), set(WORK + i))),
    times(64, round),
    times(8, (i) => code(get(STATE + i), get(WORK + i), ADD, set(STATE + i))),
  )
}

function body(shape: LaneShape): Bytes {
  const { prefix, contentBytes, stride, outStride, scratchAt } = shape
  const messageBytes = 64 * blocksOf(shape)
  const advanced = (local: number, by: number): Bytes => code(get(local), constant(by), [0x6a], set(local))
  const stored = (i: number): Bytes =>
    code(
      code(get(STATE + i), get(STATE + i), BYTE_SWAP, set(TEMPORARY)),
      times(4, (lane) => code(get(TO), get(TEMPORARY), vector(90, 2, ...leb(lane * outStride + 4 * i), lane))),
    )
  return code(
    LOOP,
    times(4, (lane) => copies(contentBytes, lane * stride, scratchAt + lane * messageBytes + prefix.length)),
    times(8, (i) => code(everyLane(INITIAL[i] as number), set(STATE + i))),
    code(constant(scratchAt), set(BLOCK)),
    code(LOOP, compression(messageBytes), advanced(BLOCK, 64)),
    code(get(BLOCK), constant(scratchAt + messageBytes), [0x49], REPEAT_IF, END),
    times(8, stored),
    code(advanced(FROM, 4 * stride), advanced(TO, 4 * outStride)),
    code(get(GROUPS), constant(1), [0x6b], [0x22, GROUPS], REPEAT_IF, END),
  )
}

const section = (id: number, content: Bytes): Bytes => code([id], leb(content.length), content)

function moduleOf(shape: LaneShape): Uint8Array<ArrayBuffer> {
  // Locals: one i32 after the three parameters, then 33 vectors.
  const own = code([2, 1, 0x7f, 33, 0x7b], body(shape), END)
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
  const type = section(1, [1, 0x60, 3, 0x7f, 0x7f, 0x7f, 0])
  const importedMemory = section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1])
  const exportedFunction = section(7, [1, 1, 0x68, 0, 0])
  return Uint8Array.from(
    code(header, type, importedMemory, section(3, [1, 0]), exportedFunction, section(10, code([1], leb(own.length), own))),
  )
}

export type Memory = { readonly buffer: ArrayBufferLike }

export type Lanes = { readonly memory: Memory; readonly hasher: (shape: LaneShape) => Promise<LaneHasher> }

/** Uses vectors if the work is large and the platform supports them; otherwise computes the same digests one by one. */
export async function laneHasher(memoryBytes: number, isWorthwhile: boolean): Promise<Lanes> {
  const vectors = isWorthwhile ? await vectorLanes(memoryBytes).catch(() => undefined) : undefined
  if (vectors !== undefined) return vectors
  const memory = { buffer: new ArrayBuffer(memoryBytes) }
  return { memory, hasher: async (shape) => plainHasher(memory, shape) }
}

/** Throws in an old browser, or if the content security policy forbids WebAssembly. */
async function vectorLanes(memoryBytes: number): Promise<Lanes> {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(memoryBytes / 65_536) })
  await vectorHasher(memory, { prefix: new Uint8Array(0), contentBytes: 0, stride: 0, outStride: 0, scratchAt: 0 })
  return { memory, hasher: (shape) => vectorHasher(memory, shape) }
}

export function plainHasher({ buffer }: Memory, { prefix, contentBytes, stride, outStride }: LaneShape): LaneHasher {
  const bytes = new Uint8Array(buffer)
  return (from, to, count) => {
    for (let i = 0; i < count; i += 1) {
      const at = from + i * stride
      bytes.set(sha256(prefix, bytes.subarray(at, at + contentBytes)), to + i * outStride)
    }
  }
}

export async function vectorHasher(memory: WasmMemory, shape: LaneShape): Promise<LaneHasher> {
  const { instance } = await WebAssembly.instantiate(moduleOf(shape), { m: { m: memory } })
  const { h: hash } = instance.exports
  const messageBytes = 64 * blocksOf(shape)
  const length = shape.prefix.length + shape.contentBytes
  for (let lane = 0; lane < 4; lane += 1) {
    const message = new Uint8Array(memory.buffer, shape.scratchAt + lane * messageBytes, messageBytes).fill(0)
    message.set(shape.prefix)
    message[length] = 0x80
    new DataView(message.buffer, message.byteOffset).setUint32(messageBytes - 4, 8 * length)
  }
  return (from, to, count) => {
    if (count > 0) hash(from, to, Math.ceil(count / 4))
  }
}
