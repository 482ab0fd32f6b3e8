/**
 * Impact stories: lists, views, the draft of a settled day and the publication of scheduled drafts.
 *
 * - Only active stories are public.
 * - A settled day gets one draft.
 */
import type { impactCalls } from '@roz/contract/impact.ts'
import type { Story } from '@roz/contract/impact.ts'
import type { Language } from '@roz/core/language.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { CURSOR_PARTS, type Cursor, cutPage, readPage } from '../../lists/cursor.ts'
import type { Handlers } from '../../http/route.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { deletionHandlers } from './deletion.ts'
import { draftStory } from './draft.ts'
import { type EditingDeps, editingHandlers, isId, publishDue } from './editing.ts'
import { memberImpact } from './figures.ts'
import { listMutes, muteHandlers } from './mutes.ts'
import { findPublished, findPublishedAmong, listAll, listPublished, type StoryRow } from './queries.ts'
import { portalStoryOf, storyOf } from './story.ts'
import { createStoryMail } from './telling.ts'
import { countView, eraseOldViews } from './views.ts'

const RECENT = 6
const keyOf = (row: StoryRow): Cursor => [row.sortedAt, row.id]

const CURSOR = [CURSOR_PARTS.micros, CURSOR_PARTS.uuid]

export function createImpact(deps: EditingDeps & { readonly attempt: Attempt }) {
  const { db, attempt } = deps
  const readPublished = async (language: Language, page: { readonly after: Cursor | undefined; readonly limit: number }) => {
    const { rows, nextCursor } = cutPage(await listPublished(db, page), page.limit, keyOf)
    return { stories: rows.map(storyOf(language)), nextCursor }
  }
  const newestStories = (language: Language, count: number) => readPublished(language, { after: undefined, limit: count })

  const handlers: Handlers<keyof typeof impactCalls> = {
    stories: async ({ query, language }) => {
      const page = readPage(query, CURSOR)
      return page.ok ? { ok: true, value: await readPublished(language, page) } : page
    },
    storiesAdmin: async ({ query, language }) => {
      const page = readPage(query, CURSOR)
      if (!page.ok) return page
      const { rows, nextCursor } = cutPage(
        await listAll(db, { ...page, only: query.id, status: query.status, q: query.q }),
        page.limit,
        keyOf,
      )
      return { ok: true, value: { stories: rows.map(portalStoryOf(language)), nextCursor } }
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
    ...muteHandlers(db),
    ...editingHandlers(deps),
    ...deletionHandlers(deps),
  }
  return {
    handlers,
    exports: { mutedStories: (memberId: bigint) => listMutes(db, memberId) },
    jobs: { draft_story: ({ day }: { readonly day: string }): Promise<void> => draftStory(db, day) },
    /** The daily mail about stories. */
    due: createStoryMail(db, attempt),
    sweeps: [() => publishDue(db, attempt), () => eraseOldViews(db)],
    /** The newest published stories, for the home page. */
    recentStories: async (language: Language): Promise<Story[]> => (await newestStories(language, RECENT)).stories,
    newestStories,
    publishedStory: async (id: string, language: Language): Promise<Story | undefined> => {
      const row = isId(id) ? await findPublished(db, id) : undefined
      return row && storyOf(language)(row)
    },
    publishedAmong: (ids: readonly string[]): Promise<ReadonlySet<string>> => findPublishedAmong(db, ids),
  }
}
