/**
 * Books what the gateway says about a mandate and its debits.
 * - A paid debit is credited by `captureTopup`, keyed by the gateway's id of the payment: of any number of answers one credits.
 * - A debit that was paid stays paid, and a payment after a failure, a stop or a cancellation is booked all the same.
 * - Any other end counts once. A failure delays the next debit; after three in a row AutoPay rests.
 * - Locks: top-up, wallet, mandate, debit, check. So money is booked first, in transactions of its own.
 */
import { AUTOPAY_GAP_DAYS, type AutopayState, dayAfterFailure, stateAfter, workingState } from '@roz/core/autopay.ts'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { CURRENCY, formatPaise, rupeesFromPaise } from '@roz/core/money.ts'
import type { Mandate, MandateCharge } from '../../adapters/mandates/port.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { cancelOpenCharge, paymentIdOf } from '../../ledger/autopay.ts'
import { captureTopup, createTopup, markTopup } from '../../ledger/topups.ts'
import { lockWallet } from '../../ledger/transfer.ts'
import { setAutoJoin } from '../../ledger/wallets.ts'
import { type ChargeRow, listCharges, lockCharge, lockMandate, type MandateRow } from './deps.ts'
import { tellAdded, tellExpiring, tellFailed, tellRaised, tellSetUp, tellState, tellWaiting } from './tell.ts'

/** The gateway's word contradicts what is booked: a person must look. */
export type Contradiction = { readonly orderId: string; readonly ours: string; readonly gateway: string }

/** Of a debit that is booked as paid, and that the gateway calls anything else now. */
export const contradictionOf = (orderId: string, told: MandateCharge): Contradiction => ({
  orderId,
  ours: 'paid',
  gateway: told.word.slice(0, 100),
})

const today = async (tx: Tx): Promise<IstDay> => (await tx.one<{ day: IstDay }>(sql`select ist_day(roz_now())::text as day`)).day

/** Books one answer about one debit of ours. */
export async function bookCharge(tx: Tx, orderId: string, mandateId: string, told: MandateCharge): Promise<Contradiction | undefined> {
  switch (told.state) {
    case 'paid':
      await bookPaid(tx, orderId, mandateId, told)
      return undefined
    case 'initialized':
    case 'pending':
      return noteOpen(tx, orderId, mandateId, told)
    case 'failed':
    case 'cancelled':
      return endUnpaid(tx, orderId, mandateId, told)
  }
}

async function bookPaid(tx: Tx, orderId: string, mandateId: string, told: MandateCharge): Promise<void> {
  const { cfPaymentId, amount, currency } = told
  if (cfPaymentId === undefined) throw new Error('the gateway says that a debit is paid, and names no payment')
  const paymentId = await paymentIdOf(tx, { cfPaymentId, cfOrderId: told.cfOrderId })
  const booked = await captureTopup(tx, { orderId, paymentId, orderAmount: amount, currency })
  const mandate = await lockMandate(tx, mandateId)
  if (mandate === undefined) throw new Error(`mandate ${mandateId} vanished while its debit was booked`)
  if (booked.result === 'credited') {
    await tellAdded(tx, { ...booked, orderId })
  }
  if (booked.result === 'suspense') {
    // An order whose only payment waits in SUSPENSE is not paid.
    await markTopup(tx, orderId, 'failed')
    const shown = currency === CURRENCY ? formatPaise(amount) : `${currency} ${rupeesFromPaise(amount)}`
    await tellWaiting(tx, { memberId: mandate.memberId, paymentId, amount: shown })
  }
  const charge = await lockCharge(tx, orderId)
  if (charge === undefined || charge.status === 'paid') return
  await endCharge(tx, charge, 'paid', told)
  const paidOn = await today(tx)
  const last = charge.day > paidOn ? charge.day : paidOn
  await tx.query(sql`
    update autopay_mandate set failures = 0, not_before = greatest(not_before, ${addDays(last, AUTOPAY_GAP_DAYS)}::date),
      state = case when state = 'resting' then ${workingState({ ...mandate, failures: 0 })}::text else state end
     where id = ${mandateId}::uuid`)
  // A debit that was given up is paid after all: another one is not needed now.
  if (charge.status !== 'open') await cancelOpenCharge(tx, mandate.memberId)
}

async function noteOpen(tx: Tx, orderId: string, mandateId: string, told: MandateCharge): Promise<Contradiction | undefined> {
  await markTopup(tx, orderId, 'pending')
  const mandate = await lockMandate(tx, mandateId)
  const charge = await lockCharge(tx, orderId)
  if (mandate === undefined || charge === undefined) return undefined
  // Also a word that we do not know is pending.
  if (charge.status === 'paid') return contradictionOf(orderId, told)
  if (charge.status !== 'raising' && charge.status !== 'open') {
    // The gateway takes an end back: the debit is asked about again, and blocks the next one.
    await reopen(tx, charge)
    return undefined
  }
  await tx.query(sql`
    update autopay_charge set status = 'open', missing_since = null, cf_payment_id = coalesce(${told.cfPaymentId ?? null}::text, cf_payment_id),
      cf_txn_id = coalesce(${told.cfTxnId ?? null}::text, cf_txn_id), cf_order_id = coalesce(${told.cfOrderId ?? null}::text, cf_order_id),
      sent_at = coalesce(sent_at, roz_now()), notified_at = coalesce(notified_at, roz_now())
     where order_id = ${orderId}::text`)
  const { memberId, amount } = mandate
  if (charge.status === 'raising') await tellRaised(tx, { memberId, key: orderId, amount, day: charge.day })
  return undefined
}

/** Unless another debit is open already: then both are asked about, and the first one counts as ended until it is paid. */
const reopen = (tx: Tx, { orderId, mandateId, status }: ChargeRow): Promise<unknown> =>
  tx.query(sql`
    with again as (
      update autopay_charge set status = 'open', ended_at = null where order_id = ${orderId}::text and kind = 'charge'
         and not exists (select from autopay_charge o where o.mandate_id = ${mandateId}::uuid and o.status in ('raising', 'open')) returning 1)
    -- Its failure counts when it comes again.
    update autopay_mandate set failures = greatest(failures - 1, 0)
     where id = ${mandateId}::uuid and ${status === 'failed'}::boolean and exists (select from again)`)

async function endUnpaid(tx: Tx, orderId: string, mandateId: string, told: MandateCharge): Promise<Contradiction | undefined> {
  await markTopup(tx, orderId, 'failed')
  const mandate = await lockMandate(tx, mandateId)
  const charge = await lockCharge(tx, orderId)
  if (mandate === undefined || charge === undefined) return undefined
  if (charge.status === 'paid') return contradictionOf(orderId, told)
  if (charge.status === 'failed' || charge.status === 'cancelled') return undefined
  const isOurs = told.state === 'cancelled' && charge.wantsCancel
  await endCharge(tx, charge, isOurs ? 'cancelled' : 'failed', told)
  if (!isOurs) await countFailure(tx, mandate, charge)
  return undefined
}

/**
 * Takes over a debit that the gateway has under an id of ours, and this database has forgotten: after a restore. It blocks the next one.
 * False: it is known, and was raised while the gateway was asked.
 */
export async function adoptCharge(tx: Tx, { id, memberId }: MandateRow, told: MandateCharge): Promise<boolean> {
  const { chargeId: orderId, state, amount } = told
  await lockWallet(tx, memberId)
  await lockMandate(tx, id)
  const known = await tx.query(sql`select from topup where order_id = ${orderId}::text`)
  if (known.length > 0) return false
  await createTopup(tx, { orderId, memberId, amount })
  const day = told.day ?? (await today(tx))
  const isOpen = state === 'initialized' || state === 'pending'
  await tx.query(sql`
    insert into autopay_charge (order_id, mandate_id, kind, day, status, sent_at, notified_at, ended_at)
    select ${orderId}::text, ${id}::uuid, 'charge', ${day}::date, case when isopen then 'open' when ${state === 'cancelled'}::boolean then 'cancelled' else 'failed' end,
           roz_now(), roz_now(), case when not isopen then roz_now() end
      from (select ${isOpen}::boolean and not exists (
        select from autopay_charge where mandate_id = ${id}::uuid and status in ('raising', 'open')) as isopen) one`)
  if (!isOpen) await markTopup(tx, orderId, 'failed')
  const next = state === 'failed' ? (dayAfterFailure(day, 1) ?? day) : day
  await tx.query(sql`update autopay_mandate set not_before = greatest(not_before, ${next}::date) where id = ${id}::uuid`)
  return true
}

/** A debit was paid that this database has forgotten: the next one waits as after any other. */
export async function delayAfter(tx: Tx, { id }: MandateRow, told: MandateCharge): Promise<void> {
  const day = told.day ?? (await today(tx))
  await tx.query(sql`
    update autopay_mandate set not_before = greatest(not_before, ${addDays(day, AUTOPAY_GAP_DAYS)}::date) where id = ${id}::uuid`)
}

/** The gateway has no such debit: it never heard of it, or refused it. Neither is a failure of the payer's bank; a refusal waits. */
export async function giveUpCharge(
  tx: Tx,
  { orderId, mandateId }: Pick<ChargeRow, 'orderId' | 'mandateId'>,
  why: { readonly reason: string; readonly waits: boolean },
): Promise<void> {
  await markTopup(tx, orderId, 'failed')
  await lockMandate(tx, mandateId)
  const charge = await lockCharge(tx, orderId)
  if (charge?.status !== 'raising') return
  await endCharge(tx, charge, 'cancelled', { failureReason: why.reason })
  if (!why.waits) return
  const next = dayAfterFailure(charge.day, 1) ?? charge.day
  await tx.query(sql`update autopay_mandate set not_before = greatest(not_before, ${next}::date) where id = ${mandateId}::uuid`)
}

/** The bank's words may name a person: those of a deleted account are not kept (features/rights/erase.ts). */
const IS_ERASED = sql`(select deleted_at is not null from autopay_mandate a join member m on m.id = a.member_id where a.id = mandate_id)`

const endCharge = (
  tx: Tx,
  { orderId }: ChargeRow,
  status: 'paid' | 'failed' | 'cancelled',
  told: Partial<Pick<MandateCharge, 'cfPaymentId' | 'cfTxnId' | 'cfOrderId' | 'failureReason'>>,
): Promise<unknown> =>
  tx.query(sql`
    update autopay_charge set status = ${status}::text, ended_at = roz_now(), missing_since = null,
      cf_payment_id = coalesce(${told.cfPaymentId ?? null}::text, cf_payment_id), cf_txn_id = coalesce(${told.cfTxnId ?? null}::text, cf_txn_id),
      cf_order_id = coalesce(${told.cfOrderId ?? null}::text, cf_order_id),
      failure_reason = case when ${IS_ERASED} then null else coalesce(left(${told.failureReason ?? null}::text, 500), failure_reason) end
     where order_id = ${orderId}::text`)

async function countFailure(tx: Tx, mandate: MandateRow, { orderId, kind, day }: ChargeRow): Promise<void> {
  if (kind === 'auth') return
  const failures = mandate.failures + 1
  const next = dayAfterFailure(day, failures)
  const state = mandate.state === 'on' ? workingState({ ...mandate, failures }) : mandate.state
  await tx.query(sql`
    update autopay_mandate set failures = ${failures}::int, state = ${state}::text, not_before = greatest(not_before, ${next ?? day}::date)
     where id = ${mandate.id}::uuid`)
  const { memberId, amount } = mandate
  if (next !== undefined && state === 'on') await tellFailed(tx, { memberId, key: orderId, amount, day, next })
  if (state === 'resting') await tellState(tx, 'autopay_resting', { memberId, key: orderId })
}

const EXPIRING_MS = 30 * 86_400_000
/** Also a paused one: it may be resumed when nothing asks about it any more before its end. */
const EXPIRING: ReadonlySet<AutopayState> = new Set(['on', 'paused', 'payer_paused', 'resting'])

/** Books the status of a mandate; returns its row of before and after. */
export async function bookMandate(tx: Tx, mandateId: string, told: Mandate, nowMs: number): Promise<MandateRow | undefined> {
  const found = await tx.query<{ memberId: bigint }>(sql`select member_id as "memberId" from autopay_mandate where id = ${mandateId}::uuid`)
  const memberId = found[0]?.memberId
  if (memberId === undefined) return undefined
  await lockWallet(tx, memberId)
  const before = await lockMandate(tx, mandateId)
  if (before === undefined) return undefined
  // A setup that nobody finished in a day ends here; the gateway is asked to end it too.
  const state = before.isOldSetup && told.status !== 'ACTIVE' ? 'lapsed' : stateAfter(before, told.status)
  await tx.query(sql`
    update autopay_mandate set state = ${state}::text, must_ask = false,
      unknown_since = case when ${told.status === 'UNKNOWN'}::boolean then coalesce(unknown_since, roz_now()) end, gateway_status = left(${told.word}::text, 100),
      payer = case when (select deleted_at from member where id = member_id) is null then coalesce(${told.payerMasked ?? null}::text, payer) end
     where id = ${mandateId}::uuid`)
  const { amount } = before
  const isFirst = before.state === 'setup' || before.state === 'bank'
  // Also one that the payer paused in the UPI app before the first look: resumed there, it works at once.
  if (isFirst && (state === 'on' || state === 'payer_paused')) {
    // The setup says so: without it nothing would be spent.
    await setAutoJoin(tx, memberId, true)
    await tellSetUp(tx, { memberId, mandateId, amount })
  }
  // A member whom the team stopped has been told.
  if (state !== before.state && !before.isStoppedByTeam) await tellChange(tx, { memberId, mandateId, state }, nowMs)
  if (EXPIRING.has(state) && before.expiresAt.getTime() - nowMs <= EXPIRING_MS)
    await tellExpiring(tx, { memberId, key: mandateId, day: dayAt(before.expiresAt.getTime()) })
  return { ...before, state }
}

async function tellChange(
  tx: Tx,
  { memberId, mandateId, state }: { readonly memberId: bigint; readonly mandateId: string; readonly state: MandateRow['state'] },
  nowMs: number,
): Promise<void> {
  if (state === 'payer_stopped') await tellState(tx, 'autopay_payer_stopped', { memberId, key: mandateId })
  if (state === 'stopped' || state === 'ended') await tellState(tx, 'autopay_stopped', { memberId, key: mandateId })
  if (state === 'resting') {
    // The third failure came while it was paused in the UPI app, or was told already: then this is the same notice.
    const failed = (await listCharges(tx, mandateId)).findLast((charge) => charge.kind === 'charge' && charge.status === 'failed')
    if (failed !== undefined) await tellState(tx, 'autopay_resting', { memberId, key: failed.orderId })
  }
  // The payer may pause it again, months later.
  if (state === 'payer_paused') await tellState(tx, 'autopay_payer_paused', { memberId, key: `${mandateId}:${dayAt(nowMs)}` })
}

/** A mandate has ended without its first debit: the top-up of it will not come. */
export async function endAuth(tx: Tx, { id, authOrderId }: MandateRow): Promise<void> {
  await markTopup(tx, authOrderId, 'failed')
  await lockMandate(tx, id)
  const charge = await lockCharge(tx, authOrderId)
  if (charge?.status === 'open') await endCharge(tx, charge, 'failed', {})
}
