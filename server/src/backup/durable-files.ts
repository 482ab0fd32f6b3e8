/**
 * Writes, packs and reads files. A power cut leaves a whole file or none.
 * - A file is written under a temporary name, flushed and renamed; then its folder is flushed. After `pack` the caller flushes the folder.
 * - `unpack` writes in place, into a folder that counts only when it is complete.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createZstdCompress, createZstdDecompress, zstdCompress, zstdDecompress } from 'node:zlib'

const [zipped, unzipped] = [promisify(zstdCompress), promisify(zstdDecompress)]
const WRITING = { mode: 0o600, flush: true }

export type Content = { readonly size: number; readonly sha256: string }

export async function flush(place: string): Promise<void> {
  const handle = await open(place, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { mode: 0o600, flush: true })
  await rename(`${file}.part`, file)
  await flush(path.dirname(file))
}

export async function moveInto(from: string, to: string): Promise<void> {
  await rename(from, to)
  await flush(path.dirname(to))
}

/** Passes bytes on and counts and hashes them. */
function measuring() {
  const hash = createHash('sha256')
  let size = 0
  async function* pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  return { pass, content: (): Content => ({ size, sha256: hash.digest('hex') }) }
}

const contentOf = (bytes: Buffer): Content => ({ size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Smaller files are read and written whole, which is much faster than a stream for each. */
const WHOLE_MAX = 8_000_000

/** Compresses a file. Returns the size and hash of its uncompressed content. */
export async function pack(from: string, to: string): Promise<Content> {
  const { size } = await stat(from)
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
  try {
    const content = size <= WHOLE_MAX ? await packWhole(from, `${to}.part`) : await packStream(from, `${to}.part`)
    await rename(`${to}.part`, to)
    return content
  } catch (error) {
    await rm(`${to}.part`, { force: true })
    throw error
  }
}

async function packWhole(from: string, to: string): Promise<Content> {
  const bytes = await readFile(from)
  await writeFile(to, await zipped(bytes), WRITING)
  return contentOf(bytes)
}

async function packStream(from: string, to: string): Promise<Content> {
  const { pass, content } = measuring()
  await pipeline(createReadStream(from), pass, createZstdCompress(), createWriteStream(to, WRITING))
  return content()
}

export const readPackedWhole = async (file: string): Promise<Buffer> => unzipped(await readFile(file))

/** Reads a compressed file of about `size` bytes, and writes it to `to` if that is given. Throws where it is damaged. */
export async function unpack(file: string, size: number, to?: string): Promise<Content> {
  if (to !== undefined) await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
  if (size <= WHOLE_MAX) {
    const bytes = await readPackedWhole(file)
    if (to !== undefined) await writeFile(to, bytes, WRITING)
    return contentOf(bytes)
  }
  const { pass, content } = measuring()
  await pipeline(createReadStream(file), createZstdDecompress(), pass, to === undefined ? nowhere() : createWriteStream(to, WRITING))
  return content()
}

export async function hashOf(file: string): Promise<string> {
  const { pass, content } = measuring()
  await pipeline(createReadStream(file), pass, nowhere())
  return content().sha256
}

/** Runs `work` for a few items at a time. After a failure no further item starts; the first failure is thrown when the others end. */
export async function forEach<T>(items: Iterable<T>, work: (item: T) => Promise<void>, atOnce = 8): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const failures: unknown[] = []
  const run = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true && failures.length === 0; next = iterator.next())
      await work(next.value).catch((error: unknown) => failures.push(error))
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  if (failures.length > 0) throw failures[0]
}
