/**
 * Serves the pictures of shared links at /share/<name>-<hash>.png; the hash is of the picture's contents.
 *
 * - Only existing subjects have a picture: a made-up day or story costs one look-up and answers 404.
 * - At most one picture is drawn at a time, at its first request, and a stored one is not drawn again.
 * - An address with an old hash, or without one, redirects to the present picture.
 * - A story can be taken back: caches ask again each time whether its picture is still the present one. Each process deletes its
 *   copies within a minute, or at its next start.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { PublicPages, ShareCard, ShareSubject, SiteFacts } from '@roz/contract/public-pages.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import { type Language, LANGUAGES } from '@roz/core/language.ts'
import type { FastifyInstance } from 'fastify'
import { milestoneOfPicture, pictureOfMilestone } from '@roz/core/milestones.ts'
import { etagOf } from '../../http/etag.ts'
import { createGate } from '../../protection/concurrency-limit.ts'
import { sendBody } from './bodies.ts'
import { drawCard } from './card-picture.ts'

/** The subjects besides pages; undefined when one does not exist or is not public. */
export type ShareSubjects = {
  readonly day: (day: string) => Promise<Extract<ShareSubject, { kind: 'day' }> | undefined>
  readonly story: (id: string, language: Language) => Promise<Extract<ShareSubject, { kind: 'story' }> | undefined>
  /** Those of these stories that are public. */
  readonly publicStories: (ids: readonly string[]) => Promise<ReadonlySet<string>>
}

/** Increased with the drawing, so that clients with an old picture fetch the new one. */
const EDITION = 1
/** How many pictures are kept in memory besides those on disk. */
const KEPT_MAX = 40
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const LOOK_MS = 60_000
const FOR_EVER = 'public, max-age=31536000, immutable'
const ASK_AGAIN = 'public, no-cache'
const ADDRESS = /^([\w-]+)-(\w{2,3})(?:\.([0-9a-f]{20}))?\.png$/

type SharePictures = {
  /** The path of a subject's picture. */
  readonly pathOf: (subject: ShareSubject, language: Language) => string
  readonly register: (app: FastifyInstance) => void
  /** Deletes the pictures of stories that are no longer public, unfinished files included. */
  readonly forgetTakenBack: () => Promise<void>
}

type Deps = {
  readonly pages: PublicPages
  readonly site: Pick<SiteFacts, 'brandName' | 'modes'>
  readonly subjects: ShareSubjects
  readonly folder: string
  readonly waitingMax?: number
}

/** The story's id at the beginning of a file's name. */
const storyOf = (file: string): string => file.slice(0, 36)

function nameOf(subject: ShareSubject): string {
  switch (subject.kind) {
    case 'page':
      return subject.page
    case 'day':
      return subject.day
    case 'story':
      return subject.story.id
    case 'milestone':
      return pictureOfMilestone(subject.days)
  }
}

export function createSharePictures({ pages, site, subjects, folder, waitingMax = 16 }: Deps): SharePictures {
  const kept = new Map<string, Buffer>()
  const drawing = new Map<string, Promise<Buffer>>()
  const gate = createGate({ inFlightMax: 1, waitingMax })

  const cardOf = (subject: ShareSubject, language: Language): ShareCard => pages.card(subject, language, site)
  const fileOf = (subject: ShareSubject, language: Language, card: ShareCard): string => {
    const hash = createHash('sha256')
      .update(JSON.stringify([EDITION, card]))
      .digest('hex')
      .slice(0, 20)
    return `${nameOf(subject)}-${language}.${hash}.png`
  }

  async function find(name: string, language: Language): Promise<ShareSubject | undefined> {
    if (Object.hasOwn(pages.addresses, name)) return { kind: 'page', page: name }
    const days = milestoneOfPicture(name)
    if (days !== undefined) return { kind: 'milestone', days }
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
    // Write to a temporary name, then rename: another process may read or draw the same file.
    const unfinished = `${place}.${randomUUID()}`
    await writeFile(unfinished, bytes)
    await rename(unfinished, place)
    await forgetEarlier(file)
    return bytes
  }

  /** Deletes the pictures before an edit of the story or of the drawing. */
  async function forgetEarlier(file: string): Promise<void> {
    const subject = file.slice(0, file.indexOf('.') + 1)
    const earlier = (await readdir(folder)).filter((one) => one.startsWith(subject) && one.endsWith('.png') && one !== file)
    await Promise.all(earlier.map((one) => rm(path.join(folder, one), { force: true })))
  }

  async function forgetTakenBack(): Promise<void> {
    const files = [...(await readdir(folder).catch(() => [])), ...kept.keys()].filter((file) => UUID.test(storyOf(file)))
    if (files.length === 0) return
    const open = await subjects.publicStories([...new Set(files.map(storyOf))])
    for (const file of files.filter((one) => !open.has(storyOf(one)))) {
      kept.delete(file)
      await rm(path.join(folder, file), { force: true })
    }
  }

  function register(app: FastifyInstance): void {
    const look = (): Promise<void> =>
      forgetTakenBack().catch((error: unknown) => app.log.warn({ err: error }, 'pictures of stories that were taken back are still kept'))
    const timer = setInterval(() => void look(), LOOK_MS).unref()
    app.addHook('onReady', look)
    app.addHook('onClose', async () => clearInterval(timer))
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
      reply.header('cache-control', subject.kind === 'story' ? ASK_AGAIN : FOR_EVER).type('image/png')
      return sendBody(request, reply, { bytes, brotli: undefined, etag: etagOf(bytes) })
    })
  }

  return { pathOf: (subject, language) => `/share/${fileOf(subject, language, cardOf(subject, language))}`, register, forgetTakenBack }
}
