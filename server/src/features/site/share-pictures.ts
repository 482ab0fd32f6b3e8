/**
 * Pictures of shared links: /share/<name>-<hash>.png, for good under the hash of what it shows, drawn
 * when it is first asked for. Invariants: only what exists has one, so made-up days and stories cost one
 * look and are a 404; at most one is drawn at a time, a known one is never drawn again; an address of
 * before, or without a hash, leads to the picture of now.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { PublicPages, ShareCard, ShareSubject } from '@roz/contract/public-pages.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import { type Language, LANGUAGES } from '@roz/core/language.ts'
import type { FastifyInstance } from 'fastify'
import { createGate } from '../../http/concurrency-limit.ts'
import { drawCard } from './card-picture.ts'

/** What may be shared besides pages; undefined where there is no such thing, or it is not public yet. */
export type ShareSubjects = {
  readonly day: (day: string) => Promise<Extract<ShareSubject, { kind: 'day' }> | undefined>
  readonly story: (id: string, language: Language) => Promise<Extract<ShareSubject, { kind: 'story' }> | undefined>
}

/** Changed with the drawing, so that whoever kept an old picture fetches the new one. */
const EDITION = 1
/** Pictures kept in memory besides those on the disk. */
const KEPT_MAX = 40
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ADDRESS = /^([\w-]+)-(\w\w)(?:\.([0-9a-f]{20}))?\.png$/

export type SharePictures = {
  /** The path of the picture of a subject. */
  readonly pathOf: (subject: ShareSubject, language: Language) => string
  readonly register: (app: FastifyInstance) => void
}

type Deps = {
  readonly pages: PublicPages
  readonly brandName: string
  readonly subjects: ShareSubjects
  readonly folder: string
  readonly waitingMax?: number
}

const nameOf = (subject: ShareSubject): string =>
  subject.kind === 'page' ? subject.page : subject.kind === 'day' ? subject.day : subject.story.id

export function createSharePictures({ pages, brandName, subjects, folder, waitingMax = 16 }: Deps): SharePictures {
  const kept = new Map<string, Buffer>()
  const drawing = new Map<string, Promise<Buffer>>()
  const gate = createGate({ inFlightMax: 1, waitingMax })

  const cardOf = (subject: ShareSubject, language: Language): ShareCard => pages.card(subject, language, brandName)
  const fileOf = (subject: ShareSubject, language: Language, card: ShareCard): string => {
    const hash = createHash('sha256')
      .update(JSON.stringify([EDITION, card]))
      .digest('hex')
      .slice(0, 20)
    return `${nameOf(subject)}-${language}.${hash}.png`
  }

  async function find(name: string, language: Language): Promise<ShareSubject | undefined> {
    if (Object.hasOwn(pages.addresses, name)) return { kind: 'page', page: name }
    if (parseDay(name) !== undefined) return subjects.day(name)
    return UUID.test(name) ? subjects.story(name, language) : undefined
  }

  async function picture(file: string, card: ShareCard): Promise<Buffer> {
    const known = kept.get(file)
    if (known !== undefined) return known
    const running = drawing.get(file)
    if (running !== undefined) return running
    const made = readOrDraw(file, card)
    drawing.set(file, made)
    try {
      const bytes = await made
      if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? '')
      kept.set(file, bytes)
      return bytes
    } finally {
      drawing.delete(file)
    }
  }

  async function readOrDraw(file: string, card: ShareCard): Promise<Buffer> {
    const place = path.join(folder, file)
    const onDisk = await readFile(place).catch(() => undefined)
    if (onDisk !== undefined) return onDisk
    const bytes = await gate(() => drawCard(card))
    await mkdir(folder, { recursive: true })
    // Under its name only when it is whole: another process may look for it meanwhile.
    const unfinished = `${place}.${process.pid}`
    await writeFile(unfinished, bytes)
    await rename(unfinished, place)
    await forgetEarlier(file)
    return bytes
  }

  /** What an edited story or an older drawing has left behind. */
  async function forgetEarlier(file: string): Promise<void> {
    const subject = file.slice(0, file.indexOf('.') + 1)
    const earlier = (await readdir(folder)).filter((one) => one.startsWith(subject) && one.endsWith('.png') && one !== file)
    await Promise.all(earlier.map((one) => rm(path.join(folder, one), { force: true })))
  }

  function register(app: FastifyInstance): void {
    app.get<{ Params: { name: string } }>('/share/:name', async (request, reply) => {
      const [, name = '', tag, hash] = ADDRESS.exec(request.params.name) ?? []
      const language = LANGUAGES.find((one) => one === tag)
      const subject = language === undefined ? undefined : await find(name, language)
      if (language === undefined || subject === undefined)
        return reply.code(404).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('Not found')
      const card = cardOf(subject, language)
      const file = fileOf(subject, language, card)
      if (request.params.name !== file)
        return reply.header('cache-control', hash === undefined ? 'no-cache' : 'no-store').redirect(`/share/${file}`, 302)
      const bytes = await picture(file, card)
      return reply.header('cache-control', 'public, max-age=31536000, immutable').type('image/png').send(bytes)
    })
  }

  return { pathOf: (subject, language) => `/share/${fileOf(subject, language, cardOf(subject, language))}`, register }
}
