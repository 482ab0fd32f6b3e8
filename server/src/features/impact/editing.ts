/**
 * The editor's calls of stories.
 *
 * - An editor changes words, links, picture, schedule and publication, never the day, the amount, the views or the winner.
 * - A change and its entry of the staff log are one transaction. For a story that is or was public, the entry has the old and the new words.
 * - For a draft, or after a revoked consent, the entry has no words: the staff log would keep them for ever.
 * - Only a draft has a schedule. A scheduled draft is published once, when its time comes or at the next start of the server.
 * - A call reads its answer in the transaction that wrote: after the commit somebody may delete the draft.
 * - A picture's file is deleted after the commit of the story that no longer names it. After a revoked consent a story gets none.
 */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { impactCalls } from '@roz/contract/impact.ts'
import type { Translations } from '@roz/core/story-words.ts'
import type { Storage } from '../../adapters/storage/port.ts'
import { UPLOADS_PATH } from '../../adapters/storage/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { reencodePicture, type Shape } from '../../pictures/picture.ts'
import { type Call, type Handlers, invalid } from '../../http/route.ts'
import { storeAndName } from '../../pictures/stored-upload.ts'
import { type Attempt, forget } from '../../jobs/parking.ts'
import { giveUpPicture } from '../../jobs/sure-removal.ts'
import { logStaff } from '../../staff/staff-log.ts'
import {
  getEdited,
  getStory,
  hasConsent,
  insertByHand,
  judgeOutlay,
  listDue,
  type LockedStory,
  lockStory,
  publishScheduled,
  type StoryContent,
  updateStory,
} from './queries.ts'
import { missingOf, portalStoryOf } from './story.ts'
import { tellOnce } from './telling.ts'

export type EditingDeps = { readonly db: Db; readonly storage: Storage; readonly pictureHosts: readonly string[] }

export const STORY_NOT_FOUND = { ok: false, code: 'story_not_found' } as const
export const isId = (text: string): boolean => CURSOR_PARTS.uuid(text)

type Edit = Call<typeof impactCalls.updateStory>['body']

/** Without the languages that the edit leaves out. */
const translationsIn = (given: NonNullable<Edit['translations']>): Translations =>
  Object.fromEntries(Object.entries(given).filter(([, words]) => words !== undefined && Object.keys(words).length > 0))

/** Applies an edit to the present content. An empty link removes the link; a published story has no schedule. */
function applyEdit(current: StoryContent, edit: Edit): StoryContent {
  const isActive = edit.isActive ?? current.isActive
  const publishAt = typeof edit.publishAt === 'string' ? new Date(edit.publishAt) : edit.publishAt
  return {
    title: edit.title ?? current.title,
    description: edit.description ?? current.description,
    charityName: edit.charity?.name ?? current.charityName,
    charityDescription: edit.charity?.description ?? current.charityDescription,
    writtenIn: edit.language ?? current.writtenIn,
    translations: edit.translations === undefined ? current.translations : translationsIn(edit.translations),
    videoUrl: edit.videoUrl === undefined ? current.videoUrl : edit.videoUrl || null,
    imageUrl: edit.imageUrl === undefined ? current.imageUrl : edit.imageUrl || null,
    isActive,
    publishAt: isActive ? null : publishAt === undefined ? current.publishAt : publishAt,
    outlayId: edit.outlayId === undefined ? current.outlayId : edit.outlayId,
  }
}

const isSameTime = (one: Date | null, other: Date | null): boolean => one?.getTime() === other?.getTime()

function editAction(before: StoryContent, after: StoryContent): string {
  if (before.isActive !== after.isActive) return after.isActive ? 'story.publish' : 'story.unpublish'
  if (!isSameTime(before.publishAt, after.publishAt)) return after.publishAt === null ? 'story.unschedule' : 'story.schedule'
  return 'story.update'
}

/** The fields of a story in the staff log. */
export const stateOf = ({ outlayId, isActive, publishAt }: StoryContent) => ({ outlayId, isActive, publishAt })

const WORDS = ['title', 'description', 'charityName', 'charityDescription', 'writtenIn', 'translations', 'videoUrl', 'imageUrl'] as const
/** The entry of the staff log about an edit. */
function changeOf(before: LockedStory, after: StoryContent) {
  const changed = WORDS.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  const kept = before.wasPublished && !before.isRevoked ? changed : []
  const wordsOf = (story: StoryContent) => Object.fromEntries(kept.map((field) => [field, story[field]]))
  return { before: { ...stateOf(before), ...wordsOf(before) }, after: { ...stateOf(after), ...wordsOf(after), changed } }
}

/** A picture comes from https and an allowed host, or is the story's own upload. */
function pictureProblem(imageUrl: string, current: StoryContent, hosts: readonly string[]): 'video_not_url' | 'picture_host' | undefined {
  if (imageUrl.startsWith(UPLOADS_PATH)) return imageUrl === current.imageUrl ? undefined : 'picture_host'
  const { protocol, host } = new URL(imageUrl)
  return protocol !== 'https:' ? 'video_not_url' : hosts.includes(host) ? undefined : 'picture_host'
}

/** A new time must be in the future; the time that the draft has already may be sent back. */
async function scheduleProblem(tx: Tx, current: StoryContent, edit: Edit): Promise<'publish_at_past' | 'publish_at_published' | undefined> {
  if (!edit.publishAt || isSameTime(new Date(edit.publishAt), current.publishAt)) return undefined
  if (edit.isActive ?? current.isActive) return 'publish_at_published'
  const [{ isPast } = { isPast: true }] = await tx.query<{ isPast: boolean }>(
    sql`select ${edit.publishAt}::timestamptz <= roz_now() as "isPast"`,
  )
  return isPast ? 'publish_at_past' : undefined
}

const isAsSeen = ({ outlayId, isActive, isTold }: LockedStory, seen: NonNullable<Edit['seen']>): boolean =>
  seen.outlayId === outlayId && seen.isActive === isActive && seen.isTold === isTold

type Judged = { readonly current: LockedStory; readonly after: StoryContent; readonly edit: Edit; readonly pictureHosts: readonly string[] }

/** Why an edit is refused; undefined: it is not. */
async function judgeEdit(tx: Tx, id: string, { current, after, edit, pictureHosts }: Judged) {
  if (edit.seen !== undefined && !isAsSeen(current, edit.seen)) return { ok: false, code: 'changed_since_seen' } as const
  const picture = edit.imageUrl ? pictureProblem(edit.imageUrl, current, pictureHosts) : undefined
  if (picture !== undefined) return invalid({ imageUrl: picture })
  const schedule = await scheduleProblem(tx, current, edit)
  if (schedule !== undefined) return invalid({ publishAt: schedule })
  const isRelinked = after.outlayId !== current.outlayId
  // The givers of the other help would never be told, and the notices of the first one's would vanish.
  if (isRelinked && current.isTold) return { ok: false, code: 'story_told' } as const
  // Also when it is published: the consent may be revoked since.
  if (after.outlayId !== null && (after.isActive || isRelinked)) {
    const refused = await judgeOutlay(tx, id, after.outlayId)
    if (refused !== undefined) return { ok: false, code: refused } as const
  }
  // A draft whose link was changed or removed may still have words about the person of the earlier link.
  if ((after.isActive || after.publishAt !== null) && !(await hasConsent(tx, id))) return { ok: false, code: 'consent_revoked' } as const
  return undefined
}

const WIDTH_MAX_PX = 1280
const asPoster: Shape = (picture) => picture.resize(WIDTH_MAX_PX, WIDTH_MAX_PX, { fit: 'inside', withoutEnlargement: true })

export function editingHandlers({ db, storage, pictureHosts }: EditingDeps): Handlers<'createStory' | 'updateStory' | 'uploadPoster'> {
  return {
    createStory: async ({ body, session, language }) => {
      const id = randomUUID()
      const content: StoryContent = {
        title: body.title,
        description: body.description,
        charityName: body.charity.name,
        charityDescription: body.charity.description,
        writtenIn: body.language ?? 'en',
        translations: translationsIn(body.translations ?? {}),
        videoUrl: body.videoUrl || null,
        imageUrl: null,
        isActive: false,
        publishAt: null,
        outlayId: body.outlayId ?? null,
      }
      return inTransaction(db, async (tx) => {
        const refused = content.outlayId === null ? undefined : await judgeOutlay(tx, id, content.outlayId)
        if (refused !== undefined) return { ok: false, code: refused } as const
        await insertByHand(tx, id, content)
        await logStaff(tx, { actorId: session.memberId, action: 'story.create', subject: `story:${id}`, after: stateOf(content) })
        return { ok: true, value: { story: portalStoryOf(language)(await getEdited(tx, id, missingOf)) } } as const
      })
    },

    updateStory: async ({ params: { id }, body, session, language }) => {
      if (!isId(id)) return STORY_NOT_FOUND
      const edited = await inTransaction(db, async (tx) => {
        const current = await lockStory(tx, id)
        if (current === undefined) return STORY_NOT_FOUND
        const after = applyEdit(current, body)
        const refusal = await judgeEdit(tx, id, { current, after, edit: body, pictureHosts })
        if (refusal !== undefined) return refusal
        await updateStory(tx, id, after)
        await tellOnce(tx, id)
        // The failures were of the schedule that ends here.
        if (!isSameTime(current.publishAt, after.publishAt)) await forget(tx, 'story', [id])
        await logStaff(tx, {
          actorId: session.memberId,
          action: editAction(current, after),
          subject: `story:${id}`,
          ...changeOf(current, after),
        })
        const unnamed = current.imageUrl === after.imageUrl ? undefined : await giveUpPicture(tx, current.imageUrl)
        return { ok: true, unnamed, row: await getEdited(tx, id, missingOf) } as const
      })
      if (!edited.ok) return edited
      if (edited.unnamed !== undefined) await storage.remove(edited.unnamed)
      return { ok: true, value: { story: portalStoryOf(language)(edited.row) } }
    },

    uploadPoster: async ({ params: { id }, upload, session, language }) => {
      if (!isId(id)) return STORY_NOT_FOUND
      const file = await upload(await take(db, memberLimits.avatars(session.memberId)))
      if (!file.ok) return file
      const picture = await reencodePicture(file, asPoster)
      if (!picture.ok) return picture
      const isNamed = async (name: string): Promise<boolean> =>
        (await db.maybeOne(sql`select from story where id = ${id}::uuid and image_url = ${UPLOADS_PATH + name}::text`)) !== undefined
      const stored = await storeAndName(storage, { folder: 'posters', bytes: picture.bytes, isNamed }, async (name) => {
        const imageUrl = UPLOADS_PATH + name
        const kept = await inTransaction(db, async (tx) => {
          const current = await lockStory(tx, id)
          if (current === undefined) return STORY_NOT_FOUND
          // A picture has a public address, also a draft's.
          if (current.isRevoked) return { ok: false, code: 'consent_revoked' } as const
          await updateStory(tx, id, { ...current, imageUrl })
          const told = { action: 'story.picture', subject: `story:${id}`, before: { imageUrl: current.imageUrl }, after: { imageUrl } }
          await logStaff(tx, { actorId: session.memberId, ...told })
          return { ok: true, unnamed: await giveUpPicture(tx, current.imageUrl), row: await getStory(tx, id) } as const
        })
        if (!kept.ok) await storage.remove(name)
        return kept
      })
      if (!stored.ok) return stored
      if (stored.unnamed !== undefined) await storage.remove(stored.unnamed)
      return { ok: true, value: { story: portalStoryOf(language)(stored.row) } }
    },
  }
}

/** Publishes the drafts whose time has come, in their order. One that fails blocks no other, and is parked (jobs/parking.ts). */
export async function publishDue(db: Db, attempt: Attempt): Promise<boolean> {
  let done = false
  for (const id of await listDue(db)) {
    const tried = await attempt('story', id, () => publish(db, id))
    done ||= tried.ok && tried.value
  }
  return done
}

/** False: another process has published it, or an editor has changed its schedule. */
const publish = (db: Db, id: string): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const published = await publishScheduled(tx, id)
    if (published === undefined) return false
    const { publishAt } = published
    await logStaff(tx, {
      actorId: undefined,
      action: 'story.publish',
      subject: `story:${id}`,
      before: { publishAt },
      after: { isActive: true },
    })
    await tellOnce(tx, id)
    return true
  })
