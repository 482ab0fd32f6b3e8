/**
 * Sends a push message about a published story to the devices of the members whose rupee is in its help.
 *
 * - A device gets one message per story, by the rules of results.ts: pages of devices, one job per page.
 * - A message is sent only while the story is public, and only within eighteen hours.
 */
import type { Language } from '@roz/core/language.ts'
import { storyNews } from '@roz/core/story-news.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { hasPart, TOLD } from '../../members/own-stories.ts'
import type { EncryptedDevice } from './devices.ts'
import { decryptedOrNone, PAGE, type ResultsDeps, sendToAll } from './results.ts'

const NEWS_SECONDS = 18 * 3600

type News = { readonly purpose: string; readonly ageSeconds: number }
type Device = EncryptedDevice & { readonly id: bigint; readonly keyNumber: number; readonly language: Language }

async function findNews(db: Db, storyId: string): Promise<News | undefined> {
  const news = await maybeOne<News>(
    db,
    sql`select o.purpose, extract(epoch from roz_now() - t.told_at)::float8 as "ageSeconds" from ${TOLD} where t.story_id = ${storyId}::uuid`,
  )
  return news !== undefined && news.ageSeconds < NEWS_SECONDS ? news : undefined
}

/** Cuts pages by id, so that a repeated cut gives the same pages. */
export async function cutStoryPages(db: Db, { storyId }: JobPayloads['push_story']): Promise<void> {
  if ((await findNews(db, storyId)) === undefined) return
  await db.query(sql`
    insert into job (kind, key, payload, due_at)
    select 'push_story_page', ${storyId}::text || ':' || page,
           jsonb_build_object('storyId', ${storyId}::text, 'from', (page * ${PAGE}::int)::text, 'to', (page * ${PAGE}::int + ${PAGE}::int - 1)::text), roz_now()
      from (select distinct id / ${PAGE}::int as page from push_device) pages order by page
    on conflict (kind, key) do nothing`)
}

export async function tellStoryPage(deps: ResultsDeps, { storyId, from, to }: JobPayloads['push_story_page']): Promise<void> {
  const { db, keys, push, secrets, warn } = deps
  const news = await findNews(db, storyId)
  if (news === undefined) return
  const devices = await db.query<Device>(sql`
    select d.id, d.member_id as "memberId", d.endpoint_mac as "endpointMac", d.sealed, d.key_number as "keyNumber", m.language
      from push_device d join member m on m.id = d.member_id, story s
     where s.id = ${storyId}::uuid and d.id between ${from}::bigint and ${to}::bigint
       and not exists (select from story_pushed p where p.story_id = s.id and p.device_id = d.id) and ${hasPart(sql`d.member_id`)}
     order by d.id`)
  await sendToAll(devices, async (device) => {
    const target = decryptedOrNone(secrets, device)
    // Untold until the fault is mended.
    if (target === undefined) return undefined
    const text = storyNews({ id: storyId, purpose: news.purpose }, device.language)
    const key = await keys.get(db, device.keyNumber)
    const ttlSeconds = Math.ceil(NEWS_SECONDS - news.ageSeconds)
    const answer = await push.send({ target, key, text: JSON.stringify(text), ttlSeconds, topic: text.tag })
    if (answer.is === 'later') return answer.afterSeconds
    if (answer.is === 'refused') warn({ status: answer.status, device: String(device.id) }, 'a push service refused a story')
    await db.query(
      answer.is === 'gone'
        ? sql`delete from push_device where id = ${device.id}::bigint and endpoint_mac = ${device.endpointMac}::bytea`
        : sql`insert into story_pushed (story_id, device_id) select ${storyId}::uuid, id from push_device where id = ${device.id}::bigint on conflict do nothing`,
    )
    return undefined
  })
}
