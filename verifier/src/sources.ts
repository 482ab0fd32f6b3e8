/**
 * Reads the published files from a site, a static copy or memory.
 *
 * - undefined means that the file does not exist.
 * - A failed request throws UnavailableError and never counts as a missing file.
 * - So does a web page in place of a file, such as a network's login page: it says nothing about the site.
 */
import { concat, joined, MalformedError } from './bytes.ts'

export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
}

/** A piece is valid until the next one is requested: the buffer may be reused. */
export type Stream = { readonly bytes: number | undefined; readonly pieces: AsyncIterable<Uint8Array> }
export type Source = {
  readonly open: (path: string) => Promise<Stream | undefined>
  /** True for a live site: its files may be read between two states, so a failure is checked twice. */
  readonly isLive: boolean
  /** The same files without any cache, for the second check. */
  readonly again?: () => Source
}

type Cache = 'default' | 'reload'

/** Maximum size of any file except the two streamed lists; checkpoint notes have a lower limit. */
const MOST_BYTES = 64 * 2 ** 20
export const MOST_NOTE_BYTES = 2 ** 22

export async function readFile(source: Source, path: string, mostBytes = MOST_BYTES): Promise<Uint8Array | undefined> {
  const stream = await source.open(path)
  if (stream === undefined) return undefined
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of stream.pieces) {
    length += piece.length
    if (length > mostBytes) throw new MalformedError(`${path} is longer than any such file can be`)
    pieces.push(new Uint8Array(piece))
  }
  return joined(pieces)
}

/** Cuts a stream into whole entries. Only an entry that spans two pieces is copied, and it is yielded alone. */
export async function* wholeEntries(stream: Stream, entryBytes: number, path: string): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array(0)
  for await (const piece of stream.pieces) {
    const begin = rest.length === 0 ? 0 : Math.min(entryBytes - rest.length, piece.length)
    rest = concat(rest, piece.subarray(0, begin))
    if (rest.length === entryBytes) {
      yield rest
      rest = new Uint8Array(0)
    }
    const end = piece.length - ((piece.length - begin) % entryBytes)
    if (end > begin) yield piece.subarray(begin, end)
    if (end < piece.length) rest = new Uint8Array(piece.subarray(end))
  }
  if (rest.length > 0) throw new MalformedError(`${path} is not a whole number of entries`)
}

/**
 * Reads from a site or a static copy. `base` is the prefix of the paths of chapter 14 of the protocol.
 *
 * - `timeoutMs` limits the wait for the start of an answer and for each further piece.
 * - The whole answer may take `timeoutMs` plus 1 ms per byte received, so a slow drip ends too.
 */
export function urlSource(base: string, timeoutMs = 60_000, cache: Cache = 'default'): Source {
  const root = base.endsWith('/') ? base : `${base}/`
  return {
    isLive: true,
    again: () => urlSource(base, timeoutMs, 'reload'),
    async open(path) {
      let response = await ask(new URL(path, root), timeoutMs, cache)
      if (isJson(path) && (isNone(path, response) || isPage(response))) {
        await leave(response)
        response = await ask(new URL(`${path}.json`, root), timeoutMs, cache)
      }
      if (isNone(path, response)) {
        await leave(response)
        return undefined
      }
      if (isPage(response)) {
        await leave(response)
        throw new UnavailableError(`${path}: a web page came instead of the file; does this network ask for a login?`)
      }
      if (!response.ok || response.body === null) {
        await leave(response)
        throw new UnavailableError(`${path}: the site answered ${response.status}`)
      }
      const length = response.headers.get('content-length')
      const isPlain = response.headers.get('content-encoding') === null
      return {
        bytes: isPlain && length !== null ? Number(length) : undefined,
        pieces: bodyOf(response, response.body, { path, timeoutMs }),
      }
    },
  }
}

/**
 * Recognises a missing file. Static hosts answer a missing JSON file with a redirect to a path that ends in `/`:
 * to the folder of the same name, or to their home page.
 */
const isNone = (path: string, { status, redirected, url }: Response): boolean =>
  status === 404 || status === 410 || (isJson(path) && redirected && url.endsWith('/'))

/** No published file has this type. */
const isPage = ({ ok, headers }: Response): boolean => ok && /^text\/html\b/i.test(headers.get('content-type') ?? '')

/** Cancels the body: an unread answer would keep its connection open. */
const leave = async ({ body }: Response): Promise<void> => body?.cancel().catch(() => undefined)

async function ask(url: URL, timeoutMs: number, cache: Cache): Promise<Response> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), timeoutMs)
  try {
    return await fetch(url, { signal: patience.signal, cache })
  } catch (error) {
    throw new UnavailableError(`${url.href} cannot be reached (${String(error)})`)
  } finally {
    clearTimeout(timer)
  }
}

/** Keeps a reference to the answer: if it is garbage-collected, its body ends as if the file were empty. */
async function* bodyOf(
  answer: Response,
  body: ReadableStream<Uint8Array>,
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const sinceMs = performance.now()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await within(reader.read(), timeoutMs)
      if (done) return
      bytes += value.length
      if (performance.now() - sinceMs > timeoutMs + bytes) throw new Error(`only ${bytes} bytes came so far`)
      yield value
    }
  } catch (error) {
    throw new UnavailableError(`${path} broke off (${String(error)})`)
  } finally {
    // Not awaited: a stalled site might never finish the cancellation.
    void reader.cancel().catch(() => undefined)
    void answer
  }
}

async function within<T>(reading: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${timeoutMs / 1000} s`)), timeoutMs)
  })
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Paths that get the ending `.json` in a folder or on a static host (spec/protocol.md, chapter 14). */
export const isJson = (path: string): boolean => /^(draws|books)\/[^/]+$/.test(path)

/** Serves files from memory, under the paths of chapter 14. */
export function memorySource(files: ReadonlyMap<string, Uint8Array>): Source {
  return {
    isLive: false,
    async open(path) {
      const bytes = files.get(path)
      if (bytes === undefined) return undefined
      return { bytes: bytes.length, pieces: once(bytes) }
    },
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Caches files that no longer change. */
export function withMemory(source: Source, isFinal: (path: string) => boolean): Source {
  const kept = new Map<string, Uint8Array>()
  const { again } = source
  return {
    isLive: source.isLive,
    ...(again && { again }),
    async open(path) {
      if (!isFinal(path)) return source.open(path)
      const bytes = kept.get(path) ?? (await readFile(source, path))
      if (bytes === undefined) return undefined
      kept.set(path, bytes)
      return { bytes: bytes.length, pieces: once(bytes) }
    },
  }
}
