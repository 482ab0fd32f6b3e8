/**
 * The weekly mail of Auto Participate, on Monday from 9:00 IST, about the seven days before.
 *
 * - A member gets at most one a week, even if a run is repeated.
 * - It also counts the payments with the member's rupees that were confirmed as received in that week, by the newest record of each.
 * - Only the newest whole week is mailed, so that no backlog of mails follows a long pause.
 * - Members without joins by Auto Participate in that week, or who switched such mails off, get none.
 * - Each page of members and the cursor behind it are committed in one transaction. A member for whom it fails is tried again alone.
 */
import { addDays, dayAt, daysBetween, type IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Attempt, isResting } from '../../jobs/parking.ts'
import { hasEntry } from '../../ledger/entries.ts'
import { orderNoted, orderPage, type PagedMail } from '../../mail/mail-pages.ts'
import { mailMembers } from '../../mail/mails.ts'
import { daysOf, isMuted } from '../../members/own-stories.ts'

const NINE_O_CLOCK_MS = 9 * 3_600_000
const A_MONDAY = '1970-01-05' as IstDay
const PAGE = 500

/** The Monday of the newest week whose mail is due. */
export function weekToTell(nowMs: number): IstDay {
  const today = dayAt(nowMs - NINE_O_CLOCK_MS)
  return addDays(today, -7 - (daysBetween(A_MONDAY, today) % 7))
}

export function createWeeklyMail(db: Db, attempt: Attempt): (now: Date) => Promise<boolean> {
  let doneWeek: IstDay | undefined
  return async (now) => {
    const week = weekToTell(now.getTime())
    // A member of an earlier week is passed over for good.
    const mail: PagedMail = {
      work: 'weekly_mail',
      order: async (tx, of, members) => (of === week ? orderMails(tx, week, members) : undefined),
    }
    if (week === doneWeek || (await rests(db, week))) return orderNoted(db, attempt, mail)
    const tried = await attempt('weekly_mail', week, () => inTransaction(db, (tx) => tellPage(tx, week, mail)))
    if (tried.ok && tried.value === 'done') doneWeek = week
    return (tried.ok && tried.value === 'more') || orderNoted(db, attempt, mail)
  }
}

const rests = async (db: Db, week: IstDay): Promise<boolean> =>
  (await db.one<{ rests: boolean }>(sql`select ${isResting('weekly_mail', sql`${week}::text`)} as rests`)).rests

/** Queues the mails of one page of members; `busy` while another process has the row. */
async function tellPage(tx: Tx, week: IstDay, mail: PagedMail): Promise<'more' | 'done' | 'busy'> {
  await tx.query(sql`insert into weekly_mail (week) values (${week}::date) on conflict (week) do nothing`)
  const run = await tx.maybeOne<{ lastMember: bigint; isDone: boolean }>(
    sql`select last_member as "lastMember", done_at is not null as "isDone" from weekly_mail where week = ${week}::date for update skip locked`,
  )
  if (run === undefined) return 'busy'
  if (run.isDone) return 'done'
  const page = await tx.query<{ memberId: bigint }>(sql`
    select member_id as "memberId" from wallet where auto_join and member_id > ${run.lastMember}::bigint order by member_id limit ${PAGE}::int`)
  const last = page.at(-1)
  if (last === undefined) {
    await tx.query(sql`update weekly_mail set done_at = roz_now() where week = ${week}::date`)
    return 'done'
  }
  await orderPage(
    tx,
    mail,
    week,
    page.map((row) => row.memberId),
  )
  await tx.query(sql`update weekly_mail set last_member = ${last.memberId}::bigint where week = ${week}::date`)
  return 'more'
}

/** Queues mails for the page's members whom Auto Participate joined, with a payload as `mailMember` makes it. */
async function orderMails(tx: Tx, week: IstDay, members: readonly bigint[]): Promise<void> {
  await mailMembers(
    tx,
    'weekly_joins',
    sql`
    with arrived as materialized (
      select distinct a.outlay_id, d.day from arrival a cross join lateral ${daysOf(sql`a.outlay_id::text`)} d
       where a.received and not exists (select from arrival newer where newer.outlay_id = a.outlay_id and newer.id > a.id)
         and a.recorded_at >= start_of_ist_day(${week}::date) and a.recorded_at < start_of_ist_day(${addDays(week, 7)}::date))
    select w.member_id, w.member_id || ':' || ${week}::text as key,
      jsonb_build_object('rounds', joined.rounds::text, 'from', ${week}::text, 'to', ${addDays(week, 6)}::text, 'received', (
        select count(distinct outlay_id) from arrived where ${hasEntry(sql`w.member_id`, sql`arrived.day`)}
           and not exists (select from story s where s.outlay_id = arrived.outlay_id and ${isMuted(sql`w.member_id`)}))::text) as data
    from wallet w cross join lateral (
      select count(*) as rounds from round_join j join join_batch b on b.batch_id = j.batch_id and b.via in ('auto', 'topup')
      where j.member_id = w.member_id and j.day between ${week}::date and ${addDays(week, 6)}::date) joined
    where w.member_id = any (${members}::bigint[]) and joined.rounds > 0`,
  )
}
