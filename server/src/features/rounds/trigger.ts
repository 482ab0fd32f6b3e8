/**
 * Trigger Draw, the administrator's draw.
 *
 * - Without a day it takes the oldest closed and unsettled round, else the round of the day on which the call was received.
 * - A second call without a day within twelve hours is a repeat of the first: it closes no other round, even after midnight.
 *   To close another round sooner, a call names its day, as the portal always does.
 * - Concurrent calls move the money once. Each step runs under the clockwork's lock, and after a crash the clockwork does the rest.
 * - The staff log records the administrator with the call's first step. A refused call without a day is recorded too, because the
 *   twelve hours start again with it.
 */
import type { roundCalls } from '@roz/contract/rounds.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { texts } from '@roz/core/texts.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Idempotency, KeyedCall } from '../../http/idempotency.ts'
import { type Answer, type Call, invalid } from '../../http/route.ts'
import { inClockwork } from '../../ledger/round-lock.ts'
import { findRound, isGivenUp, type Round } from '../../ledger/rounds.ts'
import type { Clockwork } from './clockwork.ts'
import { roundView } from './views.ts'

type TriggerCall = typeof roundCalls.triggerDraw
type Refusal = 'no_participants' | 'round_already_closed' | 'round_not_found' | 'draw_waiting'

const ACTION = 'round.trigger_draw'
const SUBJECT = 'round:'
const REPEAT_WITHIN = sql`interval '12 hours'`

const DONE = texts('Draw triggered successfully!')
/** Answered while the round waits for its beacon's number. */
const WAITING = texts('The round is closed and waits for its public random number. The draw follows by itself.')
/** The same of a round without a draw. */
const CLOSED = texts('The round is closed, and the money is divided.')
const CLOSED_WAITING = texts('The round is closed and waits for its public random number. Then the money is divided by itself.')

type TriggerDeps = { readonly db: Db; readonly clockwork: Clockwork; readonly idempotency: Pick<Idempotency, 'onceInSteps'> }

export async function triggerDraw({ db, clockwork, idempotency }: TriggerDeps, call: Call<TriggerCall>): Promise<Answer<TriggerCall>> {
  const meant = call.body.day === undefined ? undefined : parseDay(call.body.day)
  if (call.body.day !== undefined && meant === undefined) return invalid({ day: 'day_invalid' })
  const { memberId } = call.session
  const keyed: KeyedCall = { memberId, key: call.idempotencyKey, route: 'triggerDraw', body: call.body }
  return idempotency.onceInSteps<Answer<TriggerCall>>(keyed, () => drawNow(db, clockwork, call, meant))
}

async function drawNow(db: Db, clockwork: Clockwork, call: Call<TriggerCall>, meant: IstDay | undefined): Promise<Answer<TriggerCall>> {
  // Read before waiting for any lock: midnight may pass until the round is taken.
  const { today } = await db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
  await clockwork.closeOverdue()
  const taken = await inClockwork(db, (tx) => take(tx, clockwork, { meant, calledOn: today, adminId: call.session.memberId }))
  if (!taken.ok) return taken
  const day = taken.value
  await clockwork.sealClosed({ waits: true })
  await inClockwork(db, (tx) => clockwork.draw(tx, day))
  const isWaiting = (await findRound(db, day))?.status === 'closed'
  if (!isWaiting) await inClockwork(db, (tx) => clockwork.settle(tx, day))
  const round = (await findRound(db, day)) as Round
  const view = roundView(round, round.entries ?? 0, false)
  const [done, waiting] = round.policy.winners > 0 ? [DONE, WAITING] : [CLOSED, CLOSED_WAITING]
  if (isWaiting) return { ok: true, status: 202, value: { message: waiting[call.language], round: view } }
  return { ok: true, value: { message: done[call.language], round: view } }
}

type Request = { readonly meant: IstDay | undefined; readonly calledOn: IstDay; readonly adminId: bigint }

/** Finds the round, closes it if it is open, and records the administrator. */
async function take(tx: Tx, clockwork: Clockwork, { meant, calledOn, adminId }: Request): Promise<Outcome<IstDay, Refusal>> {
  const { today } = await tx.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
  const unnamed = meant === undefined ? await findUnnamed(tx) : undefined
  const day = meant ?? unnamed?.waiting ?? unnamed?.taken ?? calledOn
  const round = await findRound(tx, day)
  const code = round === undefined || day > today ? 'round_not_found' : await closeNow(tx, clockwork, round)
  // A call without a day is recorded even if it is refused: its repeat must find the same round.
  if (code === undefined || meant === undefined)
    await logStaff(tx, {
      actorId: adminId,
      action: ACTION,
      subject: `${SUBJECT}${day}`,
      ...(round === undefined ? {} : { before: { status: round.status }, after: await statusOf(tx, day) }),
    })
  return code === undefined ? accepted(day) : refused(code)
}

/** Closes an open round; returns why it cannot be drawn now, or undefined. */
async function closeNow(tx: Tx, clockwork: Clockwork, round: Round): Promise<Refusal | undefined> {
  if (round.status === 'settled') return 'round_already_closed'
  if (isGivenUp(round)) return round.entries === 0 ? 'no_participants' : 'round_already_closed'
  if (await isBlocked(tx, round)) return 'draw_waiting'
  if (round.status !== 'open') return undefined
  const closed = await clockwork.close(tx, round.day, { early: true })
  return closed.ok ? undefined : closed.code === 'no_participants' ? 'no_participants' : 'round_not_found'
}

async function statusOf(tx: Tx, day: IstDay) {
  const { status, entries } = (await findRound(tx, day)) as Round
  return { status, entries }
}

/** Whether the beacon's number is missing for this round, or an earlier list is not sealed: days are closed in order. */
async function isBlocked(tx: Tx, round: Round): Promise<boolean> {
  const { unspoken, unsealed } = await tx.one<{ unspoken: boolean; unsealed: boolean }>(sql`
    select exists (select from round r where r.day = ${round.day}::date and status = 'closed' and mode = 'drand' and not exists (
                 select from beacon_signature s where s.chain_hash = r.chain_hash and s.round = r.beacon_round)) as unspoken,
               exists (select from round where day < ${round.day}::date and status = 'closed' and root is null) as unsealed`)
  return unspoken || unsealed
}

/**
 * The round of a call without a day, if it is not today's. It is the oldest closed and unsettled one, else the round of a
 * call in the last twelve hours.
 */
async function findUnnamed(tx: Tx): Promise<{ readonly waiting: IstDay | undefined; readonly taken: IstDay | undefined }> {
  const { waiting, taken } = await tx.one<{ waiting: IstDay | null; taken: string | null }>(sql`
    select (select min(day) from round where status in ('closed', 'drawn') and return_day is null) as waiting,
               (select subject from audit_log
                 where action = ${ACTION}::text and at > roz_now() - ${REPEAT_WITHIN} order by id desc limit 1) as taken`)
  return { waiting: waiting ?? undefined, taken: parseDay(taken?.slice(SUBJECT.length) ?? '') }
}
