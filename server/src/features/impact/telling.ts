/**
 * Tells everybody whose rupee is in a story that it is published: once, however often it is taken back and published again.
 *
 * - In the app the notice is read from joins and allotments (notifications/queries.ts), never written for each member.
 * - A member gets at most one such mail a day. It names all stories told since the mail before, and begins between 9:00 and 21:00 IST.
 * - Each page of members and the cursor behind it are committed in one transaction. A member for whom it fails is tried again alone.
 */
import { dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Attempt, isResting } from '../../jobs/parking.ts'
import { enqueue } from '../../jobs/queue.ts'
import { entrantsAfter } from '../../ledger/entries.ts'
import { orderNoted, orderPage, type PagedMail } from '../../mail/mail-pages.ts'
import { mailMembers } from '../../mail/mails.ts'
import { daysOf, hasPart, isMuted, TOLD } from '../../members/own-stories.ts'
import { purposeIn } from '../../members/reader-purpose.ts'
import { pushFollowUps } from '../../members/told-follow-ups.ts'

const PAGE = 500
const HOUR_MS = 3_600_000
const [FROM_HOUR, TO_HOUR] = [9, 21]

/** Called after each change of a story: a story that is public and of a disbursement is told from then on. */
export async function tellOnce(tx: Tx, storyId: string): Promise<void> {
  const told = await tx.query(sql`
    insert into story_telling (story_id) select id from story where id = ${storyId}::uuid and is_active and outlay_id is not null
    on conflict do nothing returning story_id`)
  await pushFollowUps(tx, sql`(select outlay_id from story where id = ${storyId}::uuid)`)
  if (told.length === 0) return
  const asked = await tx.query(sql`select 1 from push_device limit 1`)
  if (asked.length > 0) await enqueue(tx, { kind: 'push_story', key: storyId, payload: { storyId } })
}

const isMailTime = (now: Date): boolean => {
  const hour = Math.floor(((now.getTime() + 5.5 * HOUR_MS) / HOUR_MS) % 24)
  return hour >= FROM_HOUR && hour < TO_HOUR
}

/** Orders one page of the mails. */
export function createStoryMail(db: Db, attempt: Attempt): (now: Date) => Promise<boolean> {
  const mail: PagedMail = { work: 'story_mail', order: orderMails }
  return async (now) => {
    const next = await db.one<{ day: IstDay | null; rests: boolean }>(sql`
      with next as (
        select coalesce((select min(day) from story_mail where done_at is null),
          case when ${isMailTime(now)}::boolean and exists (select from ${TOLD} where t.mail_day is null)
            and not exists (select from story_mail where day = ist_day(roz_now())) then ist_day(roz_now()) end) as day)
      select day, ${isResting('story_mail', sql`day::text`)} as rests from next`)
    if (next.day === null || next.rests) return orderNoted(db, attempt, mail)
    const tried = await attempt('story_mail', next.day, () => inTransaction(db, (tx) => tellPage(tx, now, mail)))
    return tried.ok && tried.value
  }
}

type Run = { readonly day: IstDay; readonly lastMember: bigint }

async function tellPage(tx: Tx, now: Date, mail: PagedMail): Promise<boolean> {
  const run = (await lockRun(tx)) ?? (isMailTime(now) ? await begin(tx, dayAt(now.getTime())) : undefined)
  if (run === undefined) return false
  const { day, lastMember } = run
  const page = await tx.query<{ memberId: bigint }>(sql`
    with given as (select distinct d.day from ${TOLD} cross join lateral ${daysOf(sql`s.outlay_id::text`)} d where t.mail_day = ${day}::date)
    select distinct j.member_id as "memberId" from given
     cross join lateral ${entrantsAfter(sql`given.day`, sql`${lastMember}::bigint`, sql`${PAGE}::int`)} j
    order by 1 limit ${PAGE}::int`)
  const last = page.at(-1)
  if (last === undefined) {
    await tx.query(sql`update story_mail set done_at = roz_now() where day = ${day}::date`)
    return true
  }
  await orderPage(
    tx,
    mail,
    day,
    page.map(({ memberId }) => memberId),
  )
  await tx.query(sql`update story_mail set last_member = ${last.memberId}::bigint where day = ${day}::date`)
  return true
}

const lockRun = (tx: Tx): Promise<Run | undefined> =>
  tx.maybeOne<Run>(
    sql`select day, last_member as "lastMember" from story_mail where done_at is null order by day limit 1 for update skip locked`,
  )

/** Starts today's mail with the stories told so far. The day is its key, so one worker starts it. */
async function begin(tx: Tx, day: IstDay): Promise<Run | undefined> {
  const fresh = await tx.query(sql`
    insert into story_mail (day) select ${day}::date where not exists (select from story_mail where done_at is null)
    on conflict do nothing returning day`)
  if (fresh.length === 0) return undefined
  await tx.query(sql`
    update story_telling set mail_day = ${day}::date where story_id in (select t.story_id from ${TOLD} where t.mail_day is null)`)
  return { day, lastMember: 0n }
}

/** Each member's mail names the newest of the stories with a rupee of theirs, and counts the others. */
const orderMails = (tx: Tx, day: IstDay, members: readonly bigint[]): Promise<void> =>
  mailMembers(
    tx,
    'help_told',
    sql`
    select member_id, member_id || ':' || ${day}::text as key,
      jsonb_build_object('outlay', own.outlay, 'purpose', own.purpose, 'helped', own.helped, 'more', (own.stories - 1)::text) as data
    from unnest(${members}::bigint[]) as asked (member_id) cross join lateral (
      select o.id as outlay, ${purposeIn(sql`(select language from member where id = asked.member_id)`)} as purpose, o.public_name as helped, count(*) over () as stories from ${TOLD}
       where t.mail_day = ${day}::date and ${hasPart(sql`asked.member_id`)}
         and not ${isMuted(sql`asked.member_id`)} order by t.told_at desc, s.id limit 1) own`,
  )
