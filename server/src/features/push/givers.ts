/**
 * Sends one piece of news to the devices of the members whose rupee is in a story's help.
 *
 * - A device gets a piece once, by the rules of results.ts: pages of devices, one job per page.
 * - It is sent only while it is public, and only within eighteen hours. A member who muted the story gets none.
 */
import type { Language } from '@roz/core/language.ts'
import type { StoryNews } from '@roz/core/story-news.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { hasPart, isMuted } from '../../members/own-stories.ts'
import { type EncryptedDevice, forgetGone } from './devices.ts'
import { decryptedOrNone, type ResultsDeps, sendToAll } from './results.ts'

const NEWS_SECONDS = 18 * 3600

/** News with its age; undefined if it is not public, or too old. */
export const ifNew = <N extends { readonly ageSeconds: number }>(news: N | undefined): N | undefined =>
  news !== undefined && news.ageSeconds < NEWS_SECONDS ? news : undefined

type Device = EncryptedDevice & { readonly id: bigint; readonly keyNumber: number; readonly language: Language }

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
    if (answer.is === 'gone') await forgetGone(db, device)
    else await db.query(page.note(sql`(select id from push_device where id = ${device.id}::bigint) d`))
    return undefined
  })
}
