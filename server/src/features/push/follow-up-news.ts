/** Sends a push message about a follow-up to the devices of its givers, while its story is public. */
import { purposeFor, type WrittenPurpose } from '@roz/core/purpose-words.ts'
import { followUpNews } from '@roz/core/story-news.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { TOLD_AT, TOLD_FOLLOW_UPS } from '../../members/told-follow-ups.ts'
import { ifNew, tellGivers } from './givers.ts'
import { cutPages } from './pages.ts'
import type { ResultsDeps } from './results.ts'

type News = WrittenPurpose & { readonly storyId: string; readonly ageSeconds: number }

const findNews = async (db: Db, id: string): Promise<News | undefined> =>
  ifNew(
    await db.maybeOne<News>(sql`
      select s.id as "storyId", o.purpose, o.written_in as language, o.translations, extract(epoch from roz_now() - ${TOLD_AT})::float8 as "ageSeconds"
            from ${TOLD_FOLLOW_UPS} where f.id = ${id}::uuid`),
  )

export async function cutFollowUpPages(db: Db, { followUpId }: JobPayloads['push_follow_up']): Promise<void> {
  if ((await findNews(db, followUpId)) === undefined) return
  await cutPages(db, { kind: 'push_follow_up_page', key: followUpId, payload: { followUpId } })
}

export async function tellFollowUpPage(deps: ResultsDeps, { followUpId, from, to }: JobPayloads['push_follow_up_page']): Promise<void> {
  const news = await findNews(deps.db, followUpId)
  if (news === undefined) return
  await tellGivers(deps, {
    storyId: news.storyId,
    from,
    to,
    ageSeconds: news.ageSeconds,
    isTold: sql`exists (select from follow_up_pushed p where p.follow_up_id = ${followUpId}::uuid and p.device_id = d.id)`,
    textIn: (language) => followUpNews({ id: followUpId, purpose: purposeFor(news, language).purpose }, language),
    // Joined with the follow-up: it may have gone with its consent meanwhile.
    note: (device) => sql`
      insert into follow_up_pushed (follow_up_id, device_id)
      select f.id, d.id from ${device} cross join (select id from follow_up where id = ${followUpId}::uuid for key share) f on conflict do nothing`,
    name: 'a follow-up',
  })
}
