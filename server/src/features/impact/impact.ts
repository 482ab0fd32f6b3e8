/**
 * Impact stories: lists, views, the editor's calls and the draft of a settled day.
 *
 * - Only active stories are public.
 * - The editor changes words, links and publication, never the day, the amount, the views or the winner.
 * - Every edit is in the audit log.
 * - A settled day gets one draft.
 */
import { randomUUID } from 'node:crypto'
import type { Story } from '@roz/contract/impact.ts'
import type { Language } from '@roz/core/language.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { audit } from '../../staff/audit-log.ts'
import type { Db } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { CURSOR_PARTS, type Cursor, cutPage, readPage } from '../../http/cursor.ts'
import { type Call, type Handlers, invalid } from '../../http/route.ts'
import type { impactCalls } from '@roz/contract/impact.ts'
import { draftStory } from './draft.ts'
import { memberImpact } from './figures.ts'
import {
  findPublished,
  getStory,
  insertByHand,
  listAll,
  listPublished,
  lockStory,
  type StoryContent,
  type StoryRow,
  updateStory,
} from './queries.ts'
import { storyOf } from './story.ts'
import { countView, eraseOldViews } from './views.ts'

export type ImpactDeps = { readonly db: Db; readonly pictureHosts: readonly string[] }

const RECENT = 6
const isId = (text: string): boolean => CURSOR_PARTS.uuid(text)
const keyOf = (row: StoryRow): Cursor => [row.sortedAt, row.id]

const CURSOR = [CURSOR_PARTS.micros, CURSOR_PARTS.uuid]

type Edit = Call<typeof impactCalls.updateStory>['body']

/** Applies an edit to the present content; an empty link removes the link. */
function applyEdit(stands: StoryContent, edit: Edit): StoryContent {
  return {
    title: edit.title ?? stands.title,
    description: edit.description ?? stands.description,
    charityName: edit.charity?.name ?? stands.charityName,
    charityDescription: edit.charity?.description ?? stands.charityDescription,
    videoUrl: edit.videoUrl === undefined ? stands.videoUrl : edit.videoUrl || null,
    imageUrl: edit.imageUrl === undefined ? stands.imageUrl : edit.imageUrl || null,
    isActive: edit.isActive ?? stands.isActive,
  }
}

const editAction = (stands: StoryContent, edited: StoryContent): string =>
  edited.isActive === stands.isActive ? 'story.update' : edited.isActive ? 'story.publish' : 'story.unpublish'

/** Browsers load a picture from the hosts of our policy alone (site/policy.ts). */
function pictureProblem({ protocol, host }: URL, hosts: readonly string[]): 'video_not_url' | 'picture_host' | undefined {
  if (protocol !== 'https:') return 'video_not_url'
  return hosts.includes(host) ? undefined : 'picture_host'
}

export function createImpact({ db, pictureHosts }: ImpactDeps) {
  const readPublished = async (language: Language, page: { readonly after: Cursor | undefined; readonly limit: number }) => {
    const { rows, nextCursor } = cutPage(await listPublished(db, page), page.limit, keyOf)
    return { stories: rows.map(storyOf(language)), nextCursor }
  }
  const newestStories = (language: Language, count: number) => readPublished(language, { after: undefined, limit: count })

  const handlers: Handlers<'stories' | 'viewStory' | 'impactStats' | 'storiesAdmin' | 'createStory' | 'updateStory'> = {
    stories: async ({ query, language }) => {
      const page = readPage(query, CURSOR)
      return page.ok ? { ok: true, value: await readPublished(language, page) } : page
    },
    storiesAdmin: async ({ query, language }) => {
      const page = readPage(query, CURSOR)
      if (!page.ok) return page
      const { rows, nextCursor } = cutPage(await listAll(db, page), page.limit, keyOf)
      return { ok: true, value: { stories: rows.map(storyOf(language)), nextCursor } }
    },
    viewStory: async ({ params, ip }) => {
      const views = isId(params.id) ? await countView(db, params.id, ip) : undefined
      return views === undefined ? { ok: false, code: 'story_not_found' } : { ok: true, value: { views } }
    },
    impactStats: async ({ session }) => {
      const figures = await memberImpact(db, session.memberId)
      return {
        ok: true,
        value: {
          totalDonated: rupeesFromPaise(figures.donated),
          charitiesSupported: figures.charities,
          daysActive: figures.rounds,
        },
      }
    },
    createStory: async ({ body, session, language }) => {
      const id = randomUUID()
      const content: StoryContent = {
        title: body.title,
        description: body.description,
        charityName: body.charity.name,
        charityDescription: body.charity.description,
        videoUrl: body.videoUrl || null,
        imageUrl: null,
        isActive: false,
      }
      await inTransaction(db, async (tx) => {
        await insertByHand(tx, id, content)
        await audit(tx, { actorId: session.memberId, action: 'story.create', subject: `story:${id}`, after: content })
      })
      return { ok: true, value: { story: storyOf(language)(await getStory(db, id)) } }
    },
    updateStory: async ({ params, body, session, language }) => {
      const problem = body.imageUrl ? pictureProblem(new URL(body.imageUrl), pictureHosts) : undefined
      if (problem !== undefined) return invalid({ imageUrl: problem })
      if (!isId(params.id)) return { ok: false, code: 'story_not_found' }
      const found = await inTransaction(db, async (tx) => {
        const stands = await lockStory(tx, params.id)
        if (stands === undefined) return false
        const edited = applyEdit(stands, body)
        await updateStory(tx, params.id, edited)
        await audit(tx, {
          actorId: session.memberId,
          action: editAction(stands, edited),
          subject: `story:${params.id}`,
          before: stands,
          after: edited,
        })
        return true
      })
      if (!found) return { ok: false, code: 'story_not_found' }
      return { ok: true, value: { story: storyOf(language)(await getStory(db, params.id)) } }
    },
  }
  return {
    handlers,
    jobs: { draft_story: ({ day }: { readonly day: string }): Promise<void> => draftStory(db, day) },
    due: (): Promise<boolean> => eraseOldViews(db),
    /** The newest published stories, for the home page. */
    recentStories: async (language: Language): Promise<Story[]> => (await newestStories(language, RECENT)).stories,
    newestStories,
    /** A published story by its id. */
    publishedStory: async (id: string, language: Language): Promise<Story | undefined> => {
      const row = isId(id) ? await findPublished(db, id) : undefined
      return row && storyOf(language)(row)
    },
  }
}
