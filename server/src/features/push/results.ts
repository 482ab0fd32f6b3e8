/**
 * Sends the result of a round to the devices of the members who joined it.
 *
 * - A device gets a result once. Exception: the process dies after the push service's answer and before it is stored. The second
 *   message then replaces the first, because topic and tag are the same.
 * - Only the newest result is sent, and only for eighteen hours.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { formatPaise, type Paise, paise } from '@roz/core/money.ts'
import { debtData, passedOnData, taxData } from '@roz/core/notices.ts'
import { resultNews } from '@roz/core/result-news.ts'
import type { PushAnswer, PushSender, PushTarget } from '../../adapters/push/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { type JobPayloads, LaterError } from '../../jobs/queue.ts'
import { debtPaidFrom } from '../../ledger/debts.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { decryptDevice, type EncryptedDevice, forgetGone } from './devices.ts'
import type { PushKeys } from './keys.ts'
import { cutPages } from './pages.ts'

export type ResultsDeps = {
  readonly db: Db
  readonly keys: PushKeys
  readonly push: PushSender
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly warn: (details: object, message: string) => void
}

const AT_ONCE = 8
const NEWS_SECONDS = 18 * 3600
/** How long the push service keeps it for a device that is offline: about until the next result. */
const KEPT_SECONDS = 20 * 3600

type News = { readonly ageSeconds: number; readonly hasWinners: boolean }
type Device = EncryptedDevice & {
  readonly id: bigint
  readonly keyNumber: number
  readonly language: Language
  readonly won: bigint | null
  /** The tax withheld from the prize. */
  readonly tax: Paise
  /** The part of the prize that paid a debt. */
  readonly paid: Paise
  /** The part of it that went on to the help fund. */
  readonly passed: Paise
}

/** Undefined when a newer result exists, or this one is too old. */
async function findNews(db: Db, day: string): Promise<News | undefined> {
  const news = await db.maybeOne<News>(sql`select extract(epoch from roz_now() - settled_at)::float8 as "ageSeconds",
               exists (select from draw_winner w where w.day = r.day) as "hasWinners"
          from round r where day = ${day}::date and status = 'settled'
           and not exists (select from round newer where newer.day > r.day and newer.status = 'settled')`)
  return news !== undefined && news.ageSeconds < NEWS_SECONDS ? news : undefined
}

export async function cutIntoPages(db: Db, { day }: JobPayloads['push_round']): Promise<void> {
  if ((await findNews(db, day)) === undefined) return
  await cutPages(db, { kind: 'push_page', key: day, payload: { day } })
}

const listUntold = (db: Db, { day, from, to }: JobPayloads['push_page']): Promise<Device[]> =>
  db.query<Device>(sql`
    select d.id, d.member_id as "memberId", d.endpoint_mac as "endpointMac", d.sealed, d.key_number as "keyNumber", m.language, w.amount as won,
        coalesce(w.tax, 0)::bigint as tax,
        ${debtPaidFrom(sql`c`)} as paid, coalesce(g.amount, 0)::bigint as passed
      from push_device d join member m on m.id = d.member_id
      join round_join j on j.member_id = d.member_id and j.day = ${day}::date
      left join draw_winner w on w.member_id = d.member_id and w.day = ${day}::date
      left join transfer c on c.kind = 'prize' and c.ref = ${day}::text || ':' || w.rank
      left join prize_gift g on g.day = w.day and g.rank = w.rank
     where d.id between ${from}::bigint and ${to}::bigint and (d.told_day is null or d.told_day < ${day}::date)
     order by d.id`)

export async function tellPage(deps: ResultsDeps, page: JobPayloads['push_page']): Promise<void> {
  const news = await findNews(deps.db, page.day)
  if (news === undefined) return
  await sendToAll(await listUntold(deps.db, page), async (device) => {
    const answer = await tell(deps, page.day as IstDay, news, device)
    if (answer.is === 'later') return answer.afterSeconds
    await note(deps, page.day, device, answer)
    return undefined
  })
}

/** Sends to some devices at once. `send` returns the seconds that its push service asks to wait. */
export async function sendToAll<D>(devices: D[], send: (device: D) => Promise<number | undefined>): Promise<void> {
  const waits: number[] = []
  const tellNext = async (): Promise<void> => {
    for (let device = devices.shift(); device !== undefined; device = devices.shift()) {
      const wait = await send(device)
      if (wait !== undefined) waits.push(wait)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, tellNext))
  // The shortest wait: a service that asks for hours must not delay the others, and a paused service is not asked again.
  if (waits.length > 0) throw new LaterError(`${waits.length} devices are to be told later`, Math.min(...waits))
}

async function tell({ db, keys, push, secrets }: ResultsDeps, day: IstDay, news: News, device: Device): Promise<PushAnswer> {
  const won = device.won === null ? undefined : formatPaise(paise(device.won))
  const more = { ...taxData(device.tax), ...debtData(device.paid), ...passedOnData(device.passed) }
  const text = resultNews({ day, won, hasWinners: news.hasWinners, ...more }, device.language)
  const key = await keys.get(db, device.keyNumber)
  const target = decryptedOrNone(secrets, device)
  if (target === undefined) return { is: 'refused', status: 0 }
  return push.send({
    target,
    key,
    text: JSON.stringify(text),
    ttlSeconds: Math.ceil(KEPT_SECONDS - news.ageSeconds),
    topic: text.tag,
  })
}

/** Undefined when it cannot be decrypted: the device stays untold, and the others are told. */
export function decryptedOrNone(secrets: ResultsDeps['secrets'], device: EncryptedDevice): PushTarget | undefined {
  try {
    return decryptDevice(secrets, device)
  } catch {
    return undefined
  }
}

/** Compares the address too, because the row may belong to another browser by now. */
async function note({ db, warn }: ResultsDeps, day: string, { id, endpointMac }: Device, answer: PushAnswer): Promise<void> {
  if (answer.is === 'refused') warn({ status: answer.status, device: String(id) }, 'a push service refused a result')
  // Status 0 means that no service was asked: the device is told once the fault is mended.
  if (answer.is === 'refused' && answer.status === 0) return
  if (answer.is === 'gone') await forgetGone(db, { id, endpointMac })
  else await db.query(sql`update push_device set told_day = ${day}::date where id = ${id}::bigint and endpoint_mac = ${endpointMac}::bytea`)
}
