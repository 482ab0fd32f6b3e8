/** A growing site over HTTP: publishes its log, accepts cosignatures, and can be made to lie. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ascii, compare, concat, toHex } from '../src/bytes.ts'
import { canonicalBytes, type Json } from '../src/canonical.ts'
import { leafHash, rootOf } from '../src/merkle.ts'
import {
  checkpointText,
  cosignedAt,
  type NoteSignature,
  readCheckpoint,
  readVerifierKey,
  signNote,
  verifierKeyOf,
  writeNote,
} from '../src/note.ts'
import { sha256 } from '../src/sha256.ts'
import type { Books } from '../src/books.ts'
import { type AnyRecord, LOG, partsFor, partsRoot, RULES, utf, WITNESSES } from './site-maker.ts'

const witnessKeys = WITNESSES.map((witness) => readVerifierKey(verifierKeyOf(witness)))

export class LiveSite {
  readonly files = new Map<string, Uint8Array>()
  readonly taken: string[] = []
  records: Json[] = []
  readonly #cosignatures = new Map<string, NoteSignature[]>()
  #sealing: { readonly day: string; readonly texts: string[]; readonly drawAtMs: number } | undefined
  readonly #server: Server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/api\/public\//, '')
    const chunks: Uint8Array[] = []
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method === 'POST') return void response.writeHead(this.#take(concat(...chunks))).end()
      const bytes = this.files.get(path)
      if (bytes === undefined) response.writeHead(404).end()
      else response.writeHead(200).end(bytes)
    })
  })

  constructor() {
    this.files.set(`rules/${toHex(sha256(RULES))}`, RULES)
    this.files.set('log/key', ascii(`${verifierKeyOf(LOG)}\n`))
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/public/`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Appends records and signs the new log. */
  append(...records: readonly AnyRecord[]): void {
    this.records.push(...(records as unknown as Json[]))
    for (const record of records) {
      if (record.kind === 'close') this.#sealing = { day: record.day, texts: [], drawAtMs: record.sealedAt + 900_000 }
      if (record.kind === 'result') this.#sealing = undefined
    }
    this.publish()
  }

  publish(): void {
    const entries = this.records.map(canonicalBytes)
    const text = checkpointText(LOG.name, { size: entries.length, root: rootOf(entries.map(leafHash)) })
    this.files.set('log/entries/0', concat(...entries.flatMap((bytes) => [bytes, ascii('\n')])))
    if (!this.#cosignatures.has(text)) this.#cosignatures.set(text, [])
    this.#sealing?.texts.push(text)
    this.#show(text)
  }

  #show(text: string): void {
    this.files.set('log/checkpoint', utf(this.#note(text)))
    if (this.#sealing === undefined) return
    const { day, texts, drawAtMs } = this.#sealing
    const shown = texts.filter((one, index) => index === 0 || this.#inTime(one, drawAtMs))
    this.files.set(`log/sealed/${day}`, utf(shown.map((one) => this.#note(one)).join('')))
  }

  #inTime(text: string, drawAtMs: number): boolean {
    return (this.#cosignatures.get(text) ?? []).some((line) =>
      witnessKeys.some((key) => 1000 * (cosignedAt(line, text, key) ?? Number.POSITIVE_INFINITY) <= drawAtMs - 60_000),
    )
  }

  #note(text: string): string {
    const others = (this.#cosignatures.get(text) ?? []).toSorted((a, b) => compare(ascii(a.name), ascii(b.name)))
    return writeNote({ text, signatures: [signNote(text, LOG), ...others] })
  }

  #take(body: Uint8Array): number {
    const { note } = readCheckpoint(body)
    const [line] = note.signatures
    const known = this.#cosignatures.get(note.text)
    if (line === undefined || known === undefined) return 409
    if (!witnessKeys.some((key) => cosignedAt(line, note.text, key) !== undefined)) return 422
    this.#cosignatures.set(note.text, [...known.filter(({ name }) => name !== line.name), line])
    this.taken.push(line.name)
    this.#show(note.text)
    return 204
  }

  publishDraw(day: string, assurance: 'sealed' | 'weak', tickets: readonly Uint8Array[]): void {
    const own = this.records.flatMap((record, index) => {
      const { kind, day: of } = record as unknown as AnyRecord
      return of === day && ['open', 'close', 'result', 'void'].includes(kind) ? [{ index, record }] : []
    })
    this.files.set(`draws/${day}`, canonicalBytes({ v: 1, day, assurance, records: own }))
    this.files.set(`draws/${day}/tickets`, concat(...tickets))
  }

  publishBooks(books: Books, members: number): void {
    const parts = partsFor(members, books.liabilities.total, books.day)
    const root = partsRoot(parts)
    const liabilities = { ...books.liabilities, count: parts.length, root: toHex(root.subarray(0, 32)) }
    const bytes = canonicalBytes({ ...books, liabilities })
    this.files.set(`liabilities/${books.day}`, concat(...parts))
    this.files.set(`books/${books.day}`, bytes)
    this.append({ v: 1, kind: 'books', day: books.day, books: toHex(sha256(bytes)) })
  }
}
