/**
 * Decides when the gateway is asked about money that we sent.
 *
 * - A transfer is asked about at most once in 5 s; an earlier question is delayed, never dropped.
 * - Questions are numbered. An answer is booked only while its question is the newest, so that a late old answer
 *   never contradicts a newer one.
 * - A state that is older than the newest one of the gateway is no news, and is not booked.
 * - An id is sent again only after the gateway reported it unknown three times in a row, at least ten minutes after the last
 *   unanswered sending.
 */
import { type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { isResting } from '../../jobs/parking.ts'

type CheckKind = 'withdrawal' | 'refund'
type DueCheck = { readonly id: string; readonly kind: CheckKind }

const SPACING = sql`interval '5 seconds'`
/** 15 s, doubling up to an hour with the number of questions before. */
const backoff = (asks: ReturnType<typeof sql>) => sql`least(15 * 2 ^ least(${asks}, 10), 3600) * interval '1 second'`
/** The gateway certainly has no such transfer: see the third rule above. */
const IS_ABSENT = sql`c.misses >= 3 and c.unanswered_at <= roz_now() - interval '10 minutes'`
/** A final state can still be revoked: it is asked daily for this long. */
const WATCHED = sql`interval '10 days'`

/** Claims the next question for one caller among all processes: its number, or undefined when it was delayed. */
export async function claimSendingCheck(db: Queryable, { id, kind }: DueCheck): Promise<number | undefined> {
  const claimed = await db.maybeOne<{ asks: number }>(sql`
    insert into payout_check as c (id, kind, asks, asked_at, ask_at)
    values (${id}::uuid, ${kind}::text, 1, roz_now(), roz_now() + interval '15 seconds')
    on conflict (id) do update set asks = c.asks + 1, asked_at = roz_now(), ask_at = roz_now() + ${backoff(sql`c.asks`)}
      -- A clock that was set back must not delay the question.
      where c.asked_at is null or c.asked_at <= roz_now() - ${SPACING} or c.asked_at > roz_now()
    returning asks`)
  if (claimed !== undefined) return claimed.asks
  await db.query(sql`
    update payout_check set ask_at = least(case when ask_at > roz_now() then ask_at end, asked_at + ${SPACING}) where id = ${id}::uuid`)
  return undefined
}

export type Sending = {
  /** The sending counts as a question: its answer is booked only while this number is the newest. */
  readonly ask: number
  /** An earlier sending was never answered and is not surely lost: the money may be on its way. */
  readonly isDoubtful: boolean
}

/** Records, before the gateway gets the order, that the sending is unanswered. */
export async function noteSending(tx: Tx, { id, kind }: DueCheck): Promise<Sending> {
  const before = await tx.maybeOne<{ isDoubtful: boolean }>(
    sql`select unanswered_at is not null and not (${IS_ABSENT}) as "isDoubtful" from payout_check c where id = ${id}::uuid for update`,
  )
  const { ask } = await tx.one<{ ask: number }>(sql`
    insert into payout_check as c (id, kind, asks, asked_at, ask_at, unanswered_at)
    values (${id}::uuid, ${kind}::text, 1, roz_now(), roz_now() + interval '15 seconds', roz_now())
    on conflict (id) do update set asks = c.asks + 1, asked_at = roz_now(), ask_at = roz_now() + ${backoff(sql`c.asks`)},
      unanswered_at = roz_now(), misses = 0
    returning asks as ask`)
  return { ask, isDoubtful: before?.isDoubtful ?? false }
}

/**
 * Whether an answer still counts: no newer question was asked meanwhile. Blocks the next question until the end of the
 * transaction. The caller must have locked the withdrawal or refund before.
 */
export async function isNewest(tx: Tx, id: string, ask: number): Promise<boolean> {
  const check = await tx.maybeOne<{ asks: number }>(sql`select asks from payout_check where id = ${id}::uuid for update`)
  return check?.asks === ask
}

/** The gateway knows the transfer. After its end it is asked daily for ten more days, because the state may change. */
export async function noteSendingKnown(tx: Tx, id: string, endedAt: Date | null): Promise<void> {
  await tx.query(sql`
    update payout_check set unanswered_at = null, misses = 0,
      ask_at = case
        when ${endedAt}::timestamptz is null then ask_at
        when roz_now() < ${endedAt}::timestamptz + ${WATCHED} then roz_now() + interval '1 day' end
    where id = ${id}::uuid`)
}

/** Whether the gateway's state is no older than the newest that it told us, whose time is kept. */
export async function isNews(tx: Tx, id: string, toldAtMs: number | undefined): Promise<boolean> {
  if (toldAtMs === undefined) return true
  const kept = await tx.query(sql`
    update payout_check set told_at = ${new Date(toldAtMs)}::timestamptz
     where id = ${id}::uuid and (told_at is null or told_at <= ${new Date(toldAtMs)}::timestamptz) returning id`)
  return kept.length === 1
}

/** Records that the gateway does not know the transfer; true when that counts as certain. */
export async function noteSendingMissing(tx: Tx, id: string): Promise<boolean> {
  const { isAbsent } = await tx.one<{ isAbsent: boolean }>(sql`update payout_check c set misses = c.misses + 1 where id = ${id}::uuid
        returning coalesce(${IS_ABSENT}, false) as "isAbsent"`)
  return isAbsent
}

/** Whether the gateway certainly has no transfer: no other sending has begun meanwhile. */
export async function isAbsent(tx: Tx, id: string): Promise<boolean> {
  const check = await tx.maybeOne<{ isAbsent: boolean }>(
    sql`select coalesce(${IS_ABSENT}, false) as "isAbsent" from payout_check c where id = ${id}::uuid for update`,
  )
  return check?.isAbsent ?? false
}

/** Ends the questions: the transfer was refused, or ended without the gateway. */
export async function endChecks(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update payout_check set ask_at = null, unanswered_at = null, misses = 0 where id = ${id}::uuid`)
}

/** The gateway does not know a transfer that is not being sent. Its "no" does not end the watch over an ended transfer. */
export const endQuestions = (tx: Tx, id: string, endedAt: Date | null): Promise<void> =>
  endedAt === null ? endChecks(tx, id) : noteSendingKnown(tx, id, endedAt)

/** Schedules the next question as soon as the spacing allows. */
export async function askSoon(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`update payout_check set ask_at = least(ask_at, greatest(roz_now(), asked_at + ${SPACING})) where id = ${id}::uuid`)
}

/** After a restore: schedules a question about a transfer that our data shows as not sent, but that may have been sent. */
export async function askAnyway(db: Queryable, { id, kind }: DueCheck): Promise<void> {
  await db.query(sql`
    insert into payout_check (id, kind, ask_at) values (${id}::uuid, ${kind}::text, roz_now())
    on conflict (id) do update set ask_at = roz_now()`)
}

/** A question whose claim failed stays due. It is left out while it waits for its next try (jobs/parking.ts). */
export async function listDueSendings(db: Queryable, kinds: readonly CheckKind[], limit: number): Promise<DueCheck[]> {
  return db.query<DueCheck>(sql`
    select id, kind from payout_check
     where ask_at <= (select roz_now()) and kind = any (${kinds}::text[])
       and not ${isResting('withdrawal', sql`id::text`)} and not ${isResting('refund', sql`id::text`)} order by ask_at limit ${limit}::int`)
}
