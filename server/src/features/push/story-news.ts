/** Sends a push message about a published story to the devices of its givers. */
import { purposeFor, type WrittenPurpose } from '@roz/core/purpose-words.ts'
import { storyNews } from '@roz/core/story-news.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { TOLD } from '../../members/own-stories.ts'
import { ifNew, tellGivers } from './givers.ts'
import { cutPages } from './pages.ts'
import type { ResultsDeps } from './results.ts'

type News = WrittenPurpose & { readonly ageSeconds: number }

const findNews = async (db: Db, storyId: string): Promise<News | undefined> =>
  ifNew(
    await db.maybeOne<News>(
      sql`select o.purpose, o.written_in as language, o.translations, extract(epoch from roz_now() - t.told_at)::float8 as "ageSeconds" from ${TOLD} where t.story_id = ${storyId}::uuid`,
    ),
  )

export async function cutStoryPages(db: Db, { storyId }: JobPayloads['push_story']): Promise<void> {
  if ((await findNews(db, storyId)) === undefined) return
  await cutPages(db, { kind: 'push_story_page', key: storyId, payload: { storyId } })
}

export async function tellStoryPage(deps: ResultsDeps, { storyId, from, to }: JobPayloads['push_story_page']): Promise<void> {
  const news = await findNews(deps.db, storyId)
  if (news === undefined) return
  await tellGivers(deps, {
    storyId,
    from,
    to,
    ageSeconds: news.ageSeconds,
    isTold: sql`exists (select from story_pushed p where p.story_id = s.id and p.device_id = d.id)`,
    textIn: (language) => storyNews({ id: storyId, purpose: purposeFor(news, language).purpose }, language),
    note: (device) =>
      sql`insert into story_pushed (story_id, device_id) select ${storyId}::uuid, d.id from ${device} on conflict do nothing`,
    name: 'a story',
  })
}
