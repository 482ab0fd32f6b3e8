/**
 * The calls of stories over real HTTP, with an editor and somebody of another role.
 * - Pictures are in a folder that is removed at the end. The program parks drafts whose publication fails, and `alarms` lists them.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { createFileStorage } from '../adapters/storage/files.ts'
import { connect, sql } from '../db/sql.ts'
import { publishDue } from '../features/impact/editing.ts'
import { createImpact } from '../features/impact/impact.ts'
import { createAttempt } from '../jobs/parking.ts'
import { type Answered, makeStaff, serveCalls } from './calls.ts'
import { createTestDatabase } from './database.ts'
import { perFile } from './fixture.ts'

const STORY = { title: 'Shoes', description: 'For the new school year.', charity: { name: 'Meera', description: 'School shoes' } }
export const NOON = new Date('2026-11-21T12:00:00+05:30')
export const SIX_PM = '2026-11-21T18:00:00.000+05:30'

type StoriesWorld = Awaited<ReturnType<typeof openStoriesWorld>>
/** One for all tests of a file. */
export const useStoriesWorld = (): StoriesWorld => perFile(() => openStoriesWorld())

/** `connectionsMax`: of the calls' own pool; sessions have another. */
export async function openStoriesWorld({ connectionsMax = 10 } = {}) {
  const database = await createTestDatabase()
  const { db } = database
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-posters-'))
  const alarms: object[] = []
  const attempt = createAttempt({ db, log: { warn: () => undefined, error: (told) => void alarms.push(told) } })
  const own = connect({ url: database.appUrl, max: connectionsMax })
  const impact = createImpact({ db: own, storage: createFileStorage({ folder }), pictureHosts: [], attempt })
  const calls = await serveCalls(db, impact.handlers)
  const editor = await makeStaff(db, 'editor')
  const finance = await makeStaff(db, 'finance')
  const create = (more: object = {}): Promise<Answered> => calls.ask('POST /impact/stories', { as: editor, body: { ...STORY, ...more } })
  return {
    database,
    db,
    folder,
    calls,
    editor,
    finance,
    /** Parked drafts. */
    alarms,
    publish: (): Promise<boolean> => publishDue(db, attempt),
    create,
    newDraft: async (more: object = {}): Promise<string> => (await create(more)).body.story.id,
    edit: (id: string, body: unknown): Promise<Answered> => calls.ask(`PUT /impact/stories/${id}`, { as: editor, body }),
    remove: (id: string, as = editor): Promise<Answered> => calls.ask(`DELETE /impact/stories/${id}`, { as }),
    upload: (id: string, bytes: Buffer, as = editor): Promise<Answered> => {
      const form = new FormData()
      form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'poster.jpg')
      return calls.ask(`POST /impact/stories/${id}/poster`, { as, form })
    },
    /** The names of the kept pictures. */
    files: (): Promise<string[]> => readdir(path.join(folder, 'posters')),
    stored: async (id: string) =>
      (await calls.ask('GET /impact/stories-admin?limit=100', { as: editor })).body.stories.find(
        (story: { id: string }) => story.id === id,
      ),
    isPublic: async (id: string): Promise<boolean> =>
      (await calls.ask('GET /impact/stories?limit=100')).body.stories.some((story: { id: string }) => story.id === id),
    auditOf: (id: string) =>
      db.query<{ action: string; before: object | null; after: object | null }>(
        sql`select action, before, after from audit_log where subject = ${`story:${id}`}::text order by id`,
      ),
    close: async (): Promise<void> => {
      await calls.close()
      await own.close()
      await rm(folder, { recursive: true, force: true })
      await database.drop()
    },
  }
}

/** A photo with metadata. */
export const jpeg = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#0b5d4a' } })
    .withExif({ IFD0: { Copyright: 'a secret place' } })
    .jpeg()
    .toBuffer()
