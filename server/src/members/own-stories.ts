/**
 * The published stories about help from a member's rupees: a day that the member joined has paid for the disbursement.
 * - Help that a correction took back does not count. After a revoked consent no list has the story.
 */
import { type Sql, sql } from '../db/sql.ts'
import { hasEntry } from '../ledger/entries.ts'

/** Whether the rupees of the round `r` are help. A gift of a day whose round is open, or gave its rupees back, is of no rupee. */
export const HAS_SHARE: Sql = sql`(r.status = 'settled' and r.need_paise > 0)`

/** The days whose rupees funded a disbursement, with each day's net amount. */
export const daysOf = (disbursementId: Sql): Sql => sql`
  (select day, sum(paise) as paise from help_allotment where disbursement_id = ${disbursementId}
      and exists (select from round r where r.day = help_allotment.day and ${HAS_SHARE})
    group by day having sum(paise) > 0)`

/** Stories that were told, `t`, with their story `s` and their disbursement `o`. */
export const TOLD: Sql = sql`
  story_telling t join story s on s.id = t.story_id and s.is_active join outlay_public o on o.id = s.outlay_id and not o.is_revoked`

/** Whether the member has muted the story `s`. */
export const isMuted = (memberId: Sql): Sql => sql`
  exists (select from story_mute mute where mute.member_id = ${memberId} and mute.story_id = s.id)`

/**
 * Booked help `o` that may get a story and has no published one.
 * - Left out: help after a revoked consent, and help whose whole amount came back.
 */
export const UNTOLD: Sql = sql`
  (o.kind = 'disbursement' and o.status = 'booked'
    and not exists (select from story s where s.outlay_id = o.id and s.is_active)
    and not exists (select from beneficiary b where b.id = o.beneficiary_id and b.revoked_at is not null)
    and o.amount_paise > (select coalesce(sum(back.amount_paise), 0) from outlay back where back.corrects = o.id and back.status = 'booked'))`

/**
 * The paise of one entry of the round `r` in help that took `spent` of its day, whose gifts are in a row `gift`.
 * - Rounded down, but at least one paisa, so that several stories of one day do not claim more than the rupee gave.
 */
export const partOfEntry = (spent: Sql): Sql => sql`greatest(1, floor(r.need_paise * ${spent} / (r.entries * (r.need_paise + gift.paise))))`
/** For a row with a day: its gifts, as `gift`. */
export const giftsOf = (day: Sql): Sql => sql`
  lateral (select coalesce(sum(amount), 0) as paise from transfer where kind = 'gift' and transfer.day = ${day}) gift`

/** One row: the member's own days in the story `s`, and the paise of the member's rupees in it. */
export const ownPart = (memberId: bigint): Sql => sql`
  (select count(*)::int as days, max(d.day) as day, max(r.entries) as entries,
          sum(${partOfEntry(sql`d.paise`)}) as paise
     from ${daysOf(sql`s.outlay_id::text`)} d
     join round r on r.day = d.day
    cross join ${giftsOf(sql`d.day`)}
    where ${hasEntry(sql`${memberId}::bigint`, sql`d.day`)})`

/** Whether a rupee of this member is in the story `s`. */
export const hasPart = (memberId: Sql): Sql => sql`
  exists (select from ${daysOf(sql`s.outlay_id::text`)} given where ${hasEntry(memberId, sql`given.day`)})`
