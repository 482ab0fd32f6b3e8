/**
 * The evening reminder: one push a day at the member's time, to members who could still join today's round and have not.
 * - A member is considered once a day, in the statement that writes the job: two servers, or a clock that jumps back, find nobody again.
 *   The job's key is a member's: a device may be another member's by the next turn.
 * - A device is noted before it is sent to. A process that dies in between sends nothing; nothing is ever sent twice.
 * - A push service that says it did not take the message is asked again. One that did not answer is not.
 * - Whether the member may still be reminded is decided again for each device, in the statement that notes it.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { REMINDER_TIMES, reminderNews } from '@roz/core/reminder.ts'
import type { pushCalls } from '@roz/contract/push.ts'
import type { Answer, Call } from '../../http/route.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { mayJoinToday } from '../../ledger/join-statement.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { type EncryptedDevice, forgetGone } from './devices.ts'
import { decryptedOrNone, type ResultsDeps, sendToAll } from './results.ts'
import { namedBySilenceToken, silenceToken } from './silence-token.ts'

const MEMBERS_A_JOB = 100
/** A server that was down for longer sends no reminder that day. */
const LATE_HOURS = 2

/** Writes the jobs of members whose time has come; false when nobody's has. */
export async function remindDue(db: Db): Promise<boolean> {
  const looked = await db.maybeOne<{ members: number }>(sql`
    with local as (select ist_day(roz_now()) as day, (roz_now() at time zone 'Asia/Kolkata')::time as now),
    turn as (
      select e.member_id from evening_reminder e
       where e.at = any(array(
           select t from local, unnest(${[...REMINDER_TIMES]}::time[]) t where t <= local.now and local.now - t < make_interval(hours => ${LATE_HOURS}::int)))
         and e.looked_day < (select day from local)
       order by e.at, e.looked_day limit ${MEMBERS_A_JOB}::int for update skip locked),
    looked as (
      update evening_reminder e set looked_day = local.day from turn, local where e.member_id = turn.member_id returning e.member_id),
    jobs as (
      insert into job (kind, key, payload, due_at)
      select 'push_reminder', local.day || ':m' || min(member_id), jsonb_build_object('day', local.day, 'devices', jsonb_agg(d.id::text order by d.id)), roz_now()
        from looked join push_device d using (member_id) cross join local group by local.day
      on conflict (kind, key) do nothing)
    select count(*)::int as members from looked having count(*) > 0`)
  return looked !== undefined
}

type Device = EncryptedDevice & {
  readonly id: bigint
  readonly keyNumber: number
  readonly language: Language
  readonly publicId: string
  /** Seconds until the round closes. */
  readonly secondsLeft: number
}

/** The member could join today's round by a press, does not join by itself, and has not said "Not today". */
const isWanted = (day: string) => sql`
  exists (select from evening_reminder e join wallet w using (member_id)
           where e.member_id = d.member_id and e.at is not null and e.silent_day is distinct from ${day}::date and not w.auto_join and ${mayJoinToday(day)})`

/** A job that is run again finds only the devices that are not noted yet. */
export async function tellReminder(
  deps: ResultsDeps & { readonly secrets: Secrets },
  { day, devices }: JobPayloads['push_reminder'],
): Promise<void> {
  const { db, keys, push, secrets, warn } = deps
  const secondsLeft = sql`extract(epoch from start_of_ist_day(${day}::date + 1) - roz_now())::float8`
  const untold = await db.query<Device>(sql`
    select d.id, d.member_id as "memberId", d.endpoint_mac as "endpointMac", d.sealed, d.key_number as "keyNumber", m.language,
           m.public_id as "publicId", ${secondsLeft} as "secondsLeft"
      from push_device d join member m on m.id = d.member_id
     where d.id = any(${devices.map(BigInt)}::bigint[]) and (d.reminded_day is null or d.reminded_day < ${day}::date) and ${isWanted(day)}
     order by d.id`)
  await sendToAll(untold, async (device) => {
    const target = decryptedOrNone(secrets, device)
    if (target === undefined || !(await note(db, day, device))) return undefined
    const news = reminderNews(day as IstDay, silenceToken(secrets, { day: day as IstDay, publicId: device.publicId }), device.language)
    const key = await keys.get(db, device.keyNumber)
    const ttlSeconds = Math.max(1, Math.min(LATE_HOURS * 3600, Math.floor(device.secondsLeft)))
    const answer = await push.send({ target, key, text: JSON.stringify(news), ttlSeconds, topic: news.tag })
    if (answer.is === 'refused') warn({ status: answer.status, device: String(device.id) }, 'a push service refused a reminder')
    if (answer.is === 'gone') await forgetGone(db, device)
    if (answer.is !== 'later' || answer.mayHaveTaken) return undefined
    await db.query(sql`update push_device set reminded_day = null where id = ${device.id}::bigint and reminded_day = ${day}::date`)
    return answer.afterSeconds
  })
}

/** Notes the device before the send. False: another run has noted it, or the member has joined or said "Not today" meanwhile. */
const note = async (db: Db, day: string, { id, endpointMac }: Device): Promise<boolean> =>
  (
    await db.query(sql`
      update push_device d set reminded_day = ${day}::date
       where d.id = ${id}::bigint and d.endpoint_mac = ${endpointMac}::bytea and (d.reminded_day is null or d.reminded_day < ${day}::date) and ${isWanted(day)}
      returning d.id`)
  ).length > 0

/** "Not today": no device of the member gets this day's reminder any more. A repeat answers the same. */
export async function silence(
  db: Db,
  secrets: Secrets,
  { body }: Call<typeof pushCalls.silenceReminder>,
): Promise<Answer<typeof pushCalls.silenceReminder>> {
  const named = namedBySilenceToken(secrets, body.token)
  if (named === undefined) return { ok: false, code: 'not_found' }
  await db.query(sql`
    update evening_reminder e set silent_day = ${named.day}::date, looked_day = greatest(e.looked_day, ${named.day}::date)
      from member m where m.id = e.member_id and m.public_id = ${named.publicId}::uuid and (e.silent_day is null or e.silent_day < ${named.day}::date)`)
  return { ok: true, value: undefined }
}
