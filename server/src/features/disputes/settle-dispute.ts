/**
 * Disputes of payments.
 *
 * - Only the gateway's own answer is booked, never a webhook's body.
 * - No transaction is open while the gateway is asked. Of several questions about one dispute only the newest one's answer counts.
 * - A status that is older than the booked one is no news. A dispute of ours that the gateway does not know is a failure, told to the
 *   operator; any other one is asked about for a day.
 * - An open dispute is asked about every day, even if webhooks are lost. A settlement that has an unknown one causes the first question.
 * - A status that does not say whether the money is taken leaves that to the settlement: retrievals, and unknown words.
 * - Money taken or returned, and a debt that begins or ends, is told to the member once: by notices and one mail.
 * - Every new dispute is an alarm for the operator, who has days to answer it.
 */
import { formatPaise, type Paise, ZERO } from '@roz/core/money.ts'
import { type NoticeKind, debtData } from '@roz/core/notices.ts'
import { type Dispute, GatewayRefusedError, GatewayUnavailableError, type PaymentGateway } from '../../adapters/payments/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type Attempt, isResting } from '../../jobs/parking.ts'
import { areAnyHeld, pose } from '../../jobs/questions.ts'
import { type JobPayloads, LaterError } from '../../jobs/queue.ts'
import { findDisputedCharge, findDisputedDebit, stopMandateOf } from '../../ledger/autopay.ts'
import { bookDispute, DISPUTED_MEMBERS, type DisputeBooked } from '../../ledger/disputes.ts'
import { isTakenBySettlement, lookAgain } from '../../ledger/gateway-reading.ts'
import { mailMember } from '../../mail/mails.ts'
import { tellMember } from '../../members/notices.ts'

export type DisputeDeps = {
  readonly db: Db
  readonly gateway: Pick<PaymentGateway, 'fetchDispute' | 'listDisputes'>
  readonly attempt: Attempt
  readonly warn: (details: object, message: string) => void
  readonly alarm: (details: object, message: string) => void
}

const SWEEP_AT_ONCE = 8
const PAUSE_MS = 60_000
/** A decision can be appealed at a later stage: the gateway is asked daily for this long. */
const WATCHED = sql`interval '60 days'`

/** Returns whether a row holds the question (jobs/questions.ts). */
export function settleDispute(deps: DisputeDeps, disputeId: string): Promise<boolean> {
  return pose(deps.attempt, {
    work: 'dispute',
    item: disputeId,
    claim: () => claimCheck(deps.db, disputeId),
    ask: (ask) => askAndBook(deps, disputeId, ask),
  })
}

/** Returns the number of this question. The next one is due in a minute, and ever more rarely. */
async function claimCheck(db: Db, disputeId: string): Promise<number> {
  const { ask } = await db.one<{ ask: number }>(sql`
    insert into dispute_check as c (dispute_id, asks, asked_at, ask_at)
    values (${disputeId}::text, 1, roz_now(), roz_now() + interval '1 minute')
    on conflict (dispute_id) do update set asks = c.asks + 1, asked_at = roz_now(),
      ask_at = roz_now() + least(60 * 2 ^ least(c.asks, 10), 3600) * interval '1 second'
    returning asks as ask`)
  return ask
}

async function askAndBook(deps: DisputeDeps, disputeId: string, ask: number): Promise<void> {
  const { db } = deps
  let dispute: Dispute | undefined
  try {
    dispute = await deps.gateway.fetchDispute(disputeId)
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    deps.warn({ err: error, disputeId }, 'the gateway could not be asked about a dispute; the sweep asks again')
    return
  }
  const booked = await inTransaction(db, async (tx) => {
    // A payment of AutoPay has several ids at the gateway, and one here.
    const charge = dispute && ((await findDisputedDebit(tx, dispute)) ?? (await findDisputedCharge(tx, dispute)))
    const known = charge && dispute ? { ...dispute, orderId: charge.orderId, paymentId: charge.paymentId } : dispute
    const done = await book(tx, disputeId, ask, known)
    if (charge !== undefined && done !== undefined) await stopMandateOf(tx, charge.mandateId)
    if (done !== undefined) await lookAgain(tx)
    return done
  })
  if (booked === undefined || dispute === undefined) return
  const { orderId, type, status, respondByMs } = dispute
  const details = {
    disputeId,
    orderId,
    type,
    status,
    respondBy: dateOf(respondByMs)?.toISOString(),
  }
  if (booked.problem !== undefined) deps.alarm({ ...details, problem: booked.problem }, 'a dispute could not be booked: a person must look')
  else if (booked.isNew) deps.alarm(details, 'a payer disputes a payment')
}

async function book(tx: Tx, disputeId: string, ask: number, dispute: Dispute | undefined): Promise<DisputeBooked | undefined> {
  const check = await tx.one<{ asks: number }>(sql`select asks from dispute_check where dispute_id = ${disputeId}::text for update`)
  if (check.asks !== ask) return undefined
  if (dispute === undefined) return noteUnknown(tx, disputeId)
  if (!(await isNews(tx, dispute))) return undefined
  const { respondByMs, toldAtMs, ...told } = dispute
  const isTaken = told.isTaken ?? (await isTakenBySettlement(tx, disputeId))
  const booked = await bookDispute(tx, { ...told, isTaken, respondBy: dateOf(respondByMs), toldAt: dateOf(toldAtMs) })
  await tx.query(sql`
    update dispute_check set missing_since = null, ask_at = case when ${dispute.state === 'open'}::boolean
      or (select created_at from dispute where id = ${disputeId}::text) > roz_now() - ${WATCHED} then roz_now() + interval '1 day' end
    where dispute_id = ${disputeId}::text`)
  await flagMember(tx, disputeId)
  const { moved } = booked
  if (moved?.memberId !== undefined) {
    const about = { id: `${disputeId}:${ask}`, memberId: moved.memberId, isOpen: dispute.state === 'open' }
    await (moved.what === 'taken' ? tellTaken : tellReturned)(tx, moved, about)
  }
  return booked
}

/** The gateway does not know the dispute that an event named. After a day the questions end, unless we have booked it. */
async function noteUnknown(tx: Tx, disputeId: string): Promise<undefined> {
  const [ours] = await tx.query(sql`select from dispute where id = ${disputeId}::text`)
  if (ours !== undefined) throw new Error('the gateway says that it does not know a dispute that it has known: see its dashboard')
  await tx.query(sql`
    update dispute_check set missing_since = coalesce(missing_since, roz_now()),
      ask_at = case when missing_since is null or missing_since > roz_now() - interval '1 day' then ask_at end
    where dispute_id = ${disputeId}::text`)
}

/** False: a newer status is booked, or the decision of this stage in the same second; the gateway's times have whole seconds. */
async function isNews(tx: Tx, { disputeId, toldAtMs, type, state }: Dispute): Promise<boolean> {
  const toldAt = dateOf(toldAtMs) ?? null
  const [booked] = await tx.query(sql`
    select from dispute where id = ${disputeId}::text and (told_at > ${toldAt}::timestamptz
       or told_at = ${toldAt}::timestamptz and type = ${type}::text and state <> 'open' and ${state}::text = 'open')`)
  return booked === undefined
}

const dateOf = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(ms))

type Moved = Pick<NonNullable<DisputeBooked['moved']>, 'fromMember' | 'lost' | 'debtPaid'>
type About = { readonly id: string; readonly memberId: bigint; readonly isOpen: boolean }

async function tellTaken(tx: Tx, { fromMember, lost }: Moved, { id, memberId, isOpen }: About): Promise<void> {
  if (fromMember + lost === 0n) return
  await notify(tx, isOpen ? 'payment_taken_back' : 'payment_lost', { memberId, amount: fromMember, key: `dispute:${id}` })
  await notify(tx, 'payment_owed', { memberId, amount: lost, key: `debt:${id}` })
  const data = { amount: printed(fromMember), owed: printed(lost), open: isOpen ? 'yes' : '' }
  await mailMember(tx, { memberId, template: 'payment_taken_back', key: `payment_taken_back:${id}`, data })
}

/** `lost` is here the unpaid part of the debt, which has ended. */
async function tellReturned(tx: Tx, { fromMember, lost, debtPaid }: Moved, { id, memberId }: About): Promise<void> {
  if (fromMember + lost === 0n) return
  await notify(tx, 'payment_given_back', { memberId, amount: fromMember, debtPaid, key: `dispute:${id}` })
  await notify(tx, 'debt_ended', { memberId, amount: lost, key: `debt:${id}` })
  const data = { amount: printed(fromMember), owed: printed(lost), ...debtData(debtPaid) }
  await mailMember(tx, { memberId, template: 'payment_given_back', key: `payment_given_back:${id}`, data })
}

const printed = (amount: Paise): string => (amount > 0n ? formatPaise(amount) : '')

/** Flags the members for later decisions about withdrawals and refunds: those whom the payment in our books is about. */
async function flagMember(tx: Tx, disputeId: string): Promise<void> {
  await tx.query(sql`
    insert into member_flag (member_id, kind, subject)
    select about.member_id, 'dispute', 'dispute:' || d.id from dispute d cross join lateral ${DISPUTED_MEMBERS} about (member_id)
     where d.id = ${disputeId}::text
    on conflict do nothing`)
}

/** A notice of an amount, unless it is zero. */
async function notify(
  tx: Tx,
  kind: Extract<NoticeKind, 'payment_taken_back' | 'payment_lost' | 'payment_owed' | 'payment_given_back' | 'debt_ended'>,
  about: { readonly memberId: bigint; readonly amount: Paise; readonly debtPaid?: Paise; readonly key: string },
): Promise<void> {
  const { memberId, amount, debtPaid = ZERO, key } = about
  if (amount === 0n) return
  const data = { amount: formatPaise(amount), ...debtData(debtPaid) }
  await tellMember(tx, { memberId, kind, key, data })
}

/** Asks about due disputes; returns whether any was asked about. */
export async function sweepDisputes(deps: DisputeDeps): Promise<boolean> {
  const due = await deps.db.query<{ id: string }>(sql`
    select dispute_id as id from dispute_check
     where ask_at <= (select roz_now()) and not ${isResting('dispute', sql`dispute_id`)} order by ask_at limit ${SWEEP_AT_ONCE}::int`)
  return areAnyHeld(due.map(({ id }) => settleDispute(deps, id)))
}

/** A settlement has an event about a dispute which our books lack: finds it at the gateway by its payment, and books it. */
export async function findDispute(deps: DisputeDeps, { eventId, paymentId }: JobPayloads['find_dispute']): Promise<boolean> {
  const ids = paymentId === null ? [eventId] : await listOf(deps, paymentId)
  const held = await Promise.all(ids.map((id) => settleDispute(deps, id)))
  return held.every(Boolean)
}

async function listOf({ gateway, warn }: DisputeDeps, paymentId: string): Promise<readonly string[]> {
  try {
    return await gateway.listDisputes(paymentId)
  } catch (error) {
    if (error instanceof GatewayRefusedError) {
      warn({ err: error, paymentId }, 'the gateway refused to list the disputes of a payment; the next morning asks again')
      return []
    }
    if (!(error instanceof GatewayUnavailableError)) throw error
    throw new LaterError('the gateway could not be asked for the disputes of a payment', Math.ceil((error.retryAfterMs ?? PAUSE_MS) / 1000))
  }
}
