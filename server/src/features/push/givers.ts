/**
 * Sends one piece of news to the devices of the members whose rupee is in a story's help.
 *
 * - A device gets a piece once, by the rules of results.ts: pages of devices, one job per page.
 * - It is sent only while it is public, and only within eighteen hours. A member who muted the story gets none.
 */
import type { Language } from '@roz/core/language.ts'
import type { StoryNews } from '@roz/core/story-news.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import type { JobKind } from '../../jobs/queue.ts'
import { hasPart, isMuted } from '../../members/own-stories.ts'
import type { EncryptedDevice } from './devices.ts'
import { decryptedOrNone, PAGE, type ResultsDeps, sendToAll } from './results.ts'

const NEWS_SECONDS = 18 * 3600

/** News with its age; undefined if it is not public, or too old. */
export const ifNew = <N extends { readonly ageSeconds: number }>(news: N | undefined): N | undefined =>
  news !== undefined && news.ageSeconds < NEWS_SECONDS ? news : undefined

type Device = EncryptedDevice & { readonly id: bigint; readonly keyNumber: number; readonly language: Language }
type Pages = { readonly kind: JobKind; readonly key: string; readonly payload: Readonly<Record<string, string>> }

/** Cuts pages by id, so that a repeated cut gives the same pages. */
export async function cutPages(db: Db, { kind, key, payload }: Pages): Promise<void> {
  await db.query(sql`
    insert into job (kind, key, payload, due_at)
    select ${kind}::text, ${key}::text || ':' || page,
           ${JSON.stringify(payload)}::jsonb || jsonb_build_object('from', (page * ${PAGE}::int)::text, 'to', (page * ${PAGE}::int + ${PAGE}::int - 1)::text), roz_now()
      from (select distinct id / ${PAGE}::int as page from push_device) pages order by page
    on conflict (kind, key) do nothing`)
}

type Page = {
  readonly storyId: string
  readonly from: string
  readonly to: string
  readonly ageSeconds: number
  /** Whether the device `d` was told. */
  readonly isTold: Sql
  readonly textIn: (language: Language) => StoryNews
  /** Notes that the device, a row `d` of `device`, was told. */
  readonly note: (device: Sql) => Sql
  /** In the log, if a push service refuses it. */
  readonly name: string
}

export async function tellGivers({ db, keys, push, secrets, warn }: ResultsDeps, page: Page): Promise<void> {
  const devices = await db.query<Device>(sql`
    select d.id, d.member_id as "memberId", d.endpoint_mac as "endpointMac", d.sealed, d.key_number as "keyNumber", m.language
      from push_device d join member m on m.id = d.member_id, story s
     where s.id = ${page.storyId}::uuid and d.id between ${page.from}::bigint and ${page.to}::bigint
       and not ${page.isTold} and ${hasPart(sql`d.member_id`)} and not ${isMuted(sql`d.member_id`)}
     order by d.id`)
  await sendToAll(devices, async (device) => {
    const target = decryptedOrNone(secrets, device)
    // Untold until the fault is mended.
    if (target === undefined) return undefined
    const text = page.textIn(device.language)
    const key = await keys.get(db, device.keyNumber)
    const ttlSeconds = Math.ceil(NEWS_SECONDS - page.ageSeconds)
    const answer = await push.send({ target, key, text: JSON.stringify(text), ttlSeconds, topic: text.tag })
    if (answer.is === 'later') return answer.afterSeconds
    if (answer.is === 'refused') warn({ status: answer.status, device: String(device.id) }, `a push service refused ${page.name}`)
    await db.query(
      answer.is === 'gone'
        ? sql`delete from push_device where id = ${device.id}::bigint and endpoint_mac = ${device.endpointMac}::bytea`
        : page.note(sql`(select id from push_device where id = ${device.id}::bigint) d`),
    )
    return undefined
  })
}
