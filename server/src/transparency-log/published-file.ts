/** Published files as return values of handlers, for the log, the draws and the books. */
import type { PublicFile } from '@roz/contract/endpoint.ts'
import { canonicalJson } from '@roz/core/draw-records.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { etagOf } from '../http/etag.ts'

const TYPES = {
  json: 'application/json',
  lines: 'application/jsonl',
  bytes: 'application/octet-stream',
  text: 'text/plain; charset=utf-8',
} as const

type Answered = { readonly ok: true; readonly value: PublicFile } | { readonly ok: false; readonly code: 'not_found' }
export const FILE_NOT_FOUND = { ok: false, code: 'not_found' } as const

/** A file that is in memory as a whole. */
export function answerFile(content: string | Uint8Array, type: keyof typeof TYPES, isFinal: boolean): Answered {
  const body = Buffer.from(content)
  return { ok: true, value: { type: TYPES[type], isFinal, etag: etagOf(body).slice(1, -1), bytes: body.length, body } }
}

export const answerJson = (value: unknown, isFinal: boolean): Answered => answerFile(canonicalJson(value), 'json', isFinal)

/** A long file, streamed page by page. `etag` must change when its bytes do. */
export const answerPages = (etag: string, bytes: number, body: AsyncIterable<Uint8Array>): Answered => ({
  ok: true,
  value: { type: TYPES.bytes, isFinal: true, etag, bytes, body },
})

/** The file that `find` returns for the day in `text`; not_found where `text` is not a day. */
export const ofDay = async (text: string, find: (day: IstDay) => Promise<Answered>): Promise<Answered> => {
  const day = parseDay(text)
  return day === undefined ? FILE_NOT_FOUND : find(day)
}
