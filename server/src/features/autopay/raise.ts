/**
 * Raises debits: for a member whose wallet runs low, two days ahead.
 * - The debit's rows are written under the wallet's lock, where every condition is judged again. Then the gateway is asked, once.
 * - A debit whose sending has no answer stays `raising`: check.ts reads it by its own id, and never takes a new one.
 * - Nothing is raised from 20:30 to 06:00 in Kolkata, nor before today's Auto Participate has run.
 */
import { randomUUID } from 'node:crypto'
import { AUTOPAY_AHEAD_DAYS, mayRaiseAt, nextQuestionMs } from '@roz/core/autopay.ts'
import { addDays, dayAt, type IstDay, yearOf } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { JOINS_PER_YEAR_MAX } from '@roz/core/round.ts'
import type { MandateCharge } from '../../adapters/mandates/port.ts'
import { GatewayMismatchError, GatewayRefusedError, GatewayUnavailableError } from '../../adapters/payments/port.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { rest, takePlace } from '../../jobs/autopay-pace.ts'
import { isResting } from '../../jobs/parking.ts'
import { askMandateSoon } from '../../ledger/autopay.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { createTopup } from '../../ledger/topups.ts'
import { lockWallet } from '../../ledger/transfer.ts'
import { bookCharge, giveUpCharge } from './book.ts'
import { type AutopayDeps, type ChargeRow, lockMandate, type MandateRow, ownerOf } from './deps.ts'
import { askIn } from './questions.ts'

const AT_ONCE = 8
/** If the process ends before the gateway answers, this is when the debit is looked for. */
const LOOKED_FOR_SECONDS = 120
/** The payer reads it. */
const REMARKS = 'Wallet top-up'

type Limits = Pick<AutopayDeps, 'topupLimits' | 'below'>

/** A mandate `m` of a wallet `w` for which a debit of `day` may be raised. */
const isReady = ({ topupLimits: { min, max }, below }: Limits, day: IstDay): Sql => sql`
  m.state = 'on' and not m.must_ask and m.not_before <= ${day}::date and m.expires_at > (${day}::date + 1)::timestamptz
  and m.amount between ${min}::bigint and ${max}::bigint
  and w.auto_join and w.may_move and not w.is_closed and w.balance < ${below}::bigint
  and not (w.join_year = ${yearOf(day)}::smallint and w.year_joins >= ${JOINS_PER_YEAR_MAX}::int)
  and not exists (select from autopay_charge c where c.mandate_id = m.id and c.status in ('raising', 'open'))`

/** Raises what is due; returns whether anything was raised. */
export async function raiseDue(deps: AutopayDeps): Promise<boolean> {
  if (!deps.autopayOn || !deps.topupsOn) return false
  const { now, isJoined } = await readDay(deps.db)
  if (!isJoined || !mayRaiseAt(now.getTime())) return false
  const day = addDays(dayAt(now.getTime()), AUTOPAY_AHEAD_DAYS)
  const ready = await deps.db.query<{ id: string }>(sql`
    select m.id from autopay_mandate m join wallet w using (member_id)
     where ${isReady(deps, day)} and not ${isResting('autopay_raise', sql`m.id::text`)} order by m.not_before, m.id limit ${AT_ONCE}::int`)
  const raised = await Promise.all(ready.map(({ id }) => deps.attempt('autopay_raise', id, () => raiseOne(deps, id, day))))
  return raised.some((one) => one.ok && one.value)
}

const readDay = (db: Db): Promise<{ readonly now: Date; readonly isJoined: boolean }> =>
  db.one(sql`select roz_now() as now, exists (select from auto_join_told where day = ist_day(roz_now())) as "isJoined"`)

async function raiseOne(deps: AutopayDeps, id: string, day: IstDay): Promise<boolean> {
  if (!(await takePlace(deps.db, 'raise'))) return false
  const written = await inTransaction(deps.db, (tx) => write(tx, deps, id, day))
  if (written === undefined) return false
  await sendCharge(deps, written.mandate, written.charge)
  return true
}

type Written = { readonly mandate: MandateRow; readonly charge: Pick<ChargeRow, 'orderId' | 'mandateId' | 'day'> }

/** Undefined: a condition no longer holds. */
async function write(tx: Tx, limits: Limits, id: string, day: IstDay): Promise<Written | undefined> {
  const memberId = await ownerOf(tx, id)
  if (memberId === undefined) return undefined
  await lockWallet(tx, memberId)
  const mandate = await lockMandate(tx, id)
  // Later statements than the locks: they see what the locks waited for.
  const [ready] = await tx.query(sql`
    select from autopay_mandate m join wallet w using (member_id) where m.id = ${id}::uuid and ${isReady(limits, day)}`)
  const { now } = await tx.one<{ now: Date }>(sql`select roz_now() as now`)
  const isStillDue = mayRaiseAt(now.getTime()) && addDays(dayAt(now.getTime()), AUTOPAY_AHEAD_DAYS) === day
  if (mandate === undefined || ready === undefined || !isStillDue) return undefined
  const orderId = randomUUID().replaceAll('-', '')
  await createTopup(tx, { orderId, memberId, amount: mandate.amount })
  await tx.query(sql`
    insert into autopay_charge (order_id, mandate_id, kind, day, status)
    values (${orderId}::text, ${id}::uuid, 'charge', ${day}::date, 'raising')`)
  await askIn(tx, id, LOOKED_FOR_SECONDS)
  return { mandate, charge: { orderId, mandateId: id, day } }
}

/** Sends a debit under its own id; whatever happens, its row says what is known. One that is to end stays here. */
export async function sendCharge(
  deps: AutopayDeps,
  { id, amount }: { readonly id: string; readonly amount: Paise },
  charge: Pick<ChargeRow, 'orderId' | 'mandateId' | 'day'>,
): Promise<void> {
  const { db } = deps
  const { orderId, day } = charge
  const due = await db.query(sql`
    update autopay_charge set sent_at = roz_now(), missing_since = null
     where order_id = ${orderId}::text and status = 'raising' and cancel_at is null returning 1`)
  if (due.length === 0) return
  const sent = await trySend(deps, { mandateId: gatewayIdOf(id), chargeId: orderId, amount, day, remarks: REMARKS })
  if (sent === 'unknown') return
  await inTransaction(db, async (tx) => {
    if ('refused' in sent) {
      await giveUpCharge(tx, charge, { reason: sent.refused, waits: true })
      // The mandate may have ended: the payer stopped it meanwhile.
      return askMandateSoon(tx, id)
    }
    await bookCharge(tx, orderId, id, sent)
    await tx.query(sql`
      update autopay_check set tries = 0, ask_at = ${new Date(nextQuestionMs(day, await nowMs(tx)))}::timestamptz
       where mandate_id = ${id}::uuid and exists (
         select from autopay_charge where order_id = ${orderId}::text and status = 'open' and cancel_at is null)`)
  })
}

const nowMs = async (tx: Tx): Promise<number> => (await tx.one<{ now: Date }>(sql`select roz_now() as now`)).now.getTime()

async function trySend(
  { db, mandates, warn, alarm }: AutopayDeps,
  charge: Parameters<AutopayDeps['mandates']['raiseCharge']>[0],
): Promise<MandateCharge | { readonly refused: string } | 'unknown'> {
  const { chargeId: orderId } = charge
  try {
    return await mandates.raiseCharge(charge)
  } catch (error) {
    if (error instanceof GatewayRefusedError) {
      alarm({ err: error, orderId }, 'the gateway refused a debit')
      return { refused: error.code }
    }
    if (error instanceof GatewayMismatchError) {
      alarm({ err: error, orderId }, 'the gateway holds another amount or currency under the id of a debit')
      return 'unknown'
    }
    if (!(error instanceof GatewayUnavailableError)) throw error
    if (error.retryAfterMs !== undefined) await rest(db, 'raise', error.retryAfterMs)
    warn({ err: error, orderId }, 'the gateway did not answer a debit; it is asked about it')
    return 'unknown'
  }
}
