/** Published files as values: what the handlers of the log, the draws and the books answer. */
import type { PublicFile } from '@roz/contract/endpoint.ts'
import { canonicalJson } from '@roz/core/draw-records.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { etagOf } from '../http/etag.ts'

export const TYPES = {
  json: 'application/json',
  lines: 'application/jsonl',
  bytes: 'application/octet-stream',
  text: 'text/plain; charset=utf-8',
} as const

type Answered = { readonly ok: true; readonly value: PublicFile } | { readonly ok: false; readonly code: 'not_found' }
export const NOT_FOUND = { ok: false, code: 'not_found' } as const

/** A short file. */
export function answerFile(content: string | Uint8Array, type: keyof typeof TYPES, isFinal: boolean): Answered {
  const body = Buffer.from(content)
  return { ok: true, value: { type: TYPES[type], isFinal, etag: etagOf(body).slice(1, -1), bytes: body.length, body } }
}

export const answerJson = (value: unknown, isFinal: boolean): Answered => answerFile(canonicalJson(value), 'json', isFinal)

/** A long one, page by page; `etag` changes with its bytes. */
export const answerPages = (etag: string, bytes: number, body: AsyncIterable<Uint8Array>): Answered => ({
  ok: true,
  value: { type: TYPES.bytes, isFinal: true, etag, bytes, body },
})

/** The file of a day, where the text is one. */
export const ofDay = async (text: string, find: (day: IstDay) => Promise<Answered>): Promise<Answered> => {
  const day = parseDay(text)
  return day === undefined ? NOT_FOUND : find(day)
}
