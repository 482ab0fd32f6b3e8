/**
 * Turns a paid order into money, for webhook, return page and sweep.
 *
 * - Only the gateway's own answer is booked, never a webhook's body. No transaction is open while the gateway is asked.
 * - A capture is booked in one transaction keyed by the payment: of any number of callers one credits.
 * - An order is asked about at most once in 5 s; an earlier question is delayed.
 * - A final order is asked about four more times: an earlier attempt may still pay, and an answer may have been old.
 * - An order that the gateway has ever known is never given up: a "no" about it is a failure, repeated and told to the operator.
 * - Any other order is given up only after the gateway has not known it for hours, and then for days.
 */
import { CURRENCY, formatPaise, type Paise, rupeesFromPaise, wholeRupees } from '@roz/core/money.ts'
import {
  GatewayRefusedError,
  GatewayUnavailableError,
  isFinal,
  type Order,
  type Payment,
  type PaymentGateway,
  successfulPayments,
  TOPUP_STATE_OF,
} from '../../adapters/payments/port.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { mayPageRead } from '../../jobs/autopay-pace.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { areAnyHeld, pose } from '../../jobs/questions.ts'
import { enqueue } from '../../jobs/queue.ts'
import { askMandateSoon, cancelOpenCharge, findMandateOfOrder, lockGatewayOrder, PAYMENT_PREFIX } from '../../ledger/autopay.ts'
import { listStrangersOf } from '../../ledger/suspense.ts'
import { type Captured, captureTopup, markTopup } from '../../ledger/topups.ts'
import { mailMember } from '../../mail/mails.ts'
import { tellMember } from '../../members/notices.ts'
import { claimOrderCheck, endOrderQuestions, listDueOrders, noteOrderKnown, noteOrderMissing, watchOrder } from './orders.ts'

type SettleDeps = {
  readonly db: Db
  readonly gateway: PaymentGateway
  readonly attempt: Attempt
  /** Warns the operator that the gateway could not be asked; never names a person. */
  readonly warn: (details: object, message: string) => void
}

const SWEEP_AT_ONCE = 8
/** With this in the wallet after a top-up, an announced debit of AutoPay is not needed. */
const ENOUGH = wholeRupees(10)

/**
 * Asks the gateway about an order and books the answer, unless it was asked less than 5 s ago: then the question is delayed.
 * With `patienceMs` a request waits: after that time the sweep continues.
 * An order that cannot be booked fails no other order: it is asked about ever more rarely, and then parked.
 * A debit of AutoPay is no order at the gateway: its mandate is asked about instead, in its turn; by a page, if the gateway's pace has room.
 * Returns whether a row holds the question (jobs/questions.ts).
 */
export async function settleOrder(deps: SettleDeps, orderId: string, patienceMs?: number): Promise<boolean> {
  const mandateId = await findMandateOfOrder(deps.db, orderId)
  if (mandateId !== undefined) {
    const isAsked = patienceMs === undefined || (await mayPageRead(deps.db))
    await inTransaction(deps.db, async (tx) => {
      await endOrderQuestions(tx, orderId)
      if (isAsked) await askMandateSoon(tx, mandateId)
    })
    return true
  }
  return pose(deps.attempt, {
    work: 'order',
    item: orderId,
    claim: () => claimOrderCheck(deps.db, orderId),
    ask: (next) => askAndBook(deps, orderId, next, patienceMs),
  })
}

async function askAndBook(deps: SettleDeps, orderId: string, next: string, patienceMs: number | undefined): Promise<void> {
  let order: Order | undefined
  try {
    order = await deps.gateway.fetchOrder(orderId, patienceMs === undefined ? undefined : AbortSignal.timeout(patienceMs))
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    deps.warn({ err: error, orderId }, 'the gateway could not be asked about an order; the sweep asks again')
    return
  }
  await inTransaction(deps.db, (tx) => (order === undefined ? noteUnknown(tx, orderId, next) : book(tx, order, next)))
}

async function book(tx: Tx, order: Order, next: string): Promise<void> {
  // A debit of AutoPay may have become known while the gateway was asked about its order.
  await lockGatewayOrder(tx, order.orderId)
  const mandateId = await findMandateOfOrder(tx, order.orderId)
  if (mandateId !== undefined) {
    await endOrderQuestions(tx, order.orderId)
    return askMandateSoon(tx, mandateId)
  }
  await noteOrderKnown(tx, order.orderId)
  const state = TOPUP_STATE_OF[order.status]
  // A success on an order that is not PAID may still be revoked by the gateway: it is not booked yet.
  let isNews = false
  if (state === 'captured') for (const payment of await newPayments(tx, order)) isNews = (await bookPayment(tx, order, payment)) || isNews
  else await markTopup(tx, order.orderId, state)
  if (isFinal(order)) await watchOrder(tx, order.orderId, next, { isNews })
}

/**
 * The payments of the order without those that are in SUSPENSE as debits of AutoPay that nobody here raised. The gateway's ids of both
 * may differ: then as many payments are left out as there are such debits.
 */
async function newPayments(tx: Tx, order: Order): Promise<readonly Payment[]> {
  const payments = successfulPayments(order)
  const strangers = await listStrangersOf(tx, order.orderId)
  if (strangers.length === 0) return payments
  const isSame = ({ paymentId }: Payment): boolean => strangers.includes(`${PAYMENT_PREFIX}${paymentId}`)
  const sorted = payments.toSorted((a, b) => Number(isSame(b)) - Number(isSame(a)) || (a.paymentId < b.paymentId ? -1 : 1))
  return sorted.slice(strangers.length)
}

/** Books a payment that finance has confirmed at our bank: nothing is asked, and of any number of callers one credits. */
export const creditTransfer = (
  tx: Tx,
  { orderId, paymentId, amount }: { readonly orderId: string; readonly paymentId: string; readonly amount: Paise },
): Promise<boolean> => bookPayment(tx, { orderId, orderAmount: amount, currency: CURRENCY }, { paymentId, currency: CURRENCY })

type Paid = Pick<Order, 'orderId' | 'orderAmount' | 'currency'>
/** Books a payment; whether it was booked now. */
async function bookPayment(tx: Tx, order: Paid, { paymentId, currency }: Pick<Payment, 'paymentId' | 'currency'>): Promise<boolean> {
  const told = order.currency === CURRENCY ? currency : order.currency
  const booked = await captureTopup(tx, { orderId: order.orderId, paymentId, orderAmount: order.orderAmount, currency: told })
  if (booked.result === 'credited') await tellCredit(tx, order, booked)
  if (booked.result === 'suspense') await tellWaiting(tx, order, { paymentId, currency: told })
  return booked.result !== 'duplicate'
}

/** Tells the member of the order at once that a payment waits: nobody else should hear of it first. */
async function tellWaiting(tx: Tx, order: Paid, { paymentId, currency }: Pick<Payment, 'paymentId' | 'currency'>): Promise<void> {
  const owner = await tx.maybeOne<{ memberId: bigint }>(sql`
    select o.member_id as "memberId" from topup o join member m on m.id = o.member_id
         where o.order_id = ${order.orderId}::text and m.deleted_at is null`)
  if (owner === undefined) return
  const { memberId } = owner
  const amount = currency === CURRENCY ? formatPaise(order.orderAmount) : `${currency} ${rupeesFromPaise(order.orderAmount)}`
  const key = `payment_waiting:${paymentId}`
  await tellMember(tx, { memberId, kind: 'payment_waiting', key, data: { amount } })
  await mailMember(tx, { memberId, template: 'payment_waiting', key, data: { amount } })
}

async function tellCredit(tx: Tx, order: Paid, booked: Extract<Captured, { readonly result: 'credited' }>): Promise<void> {
  const { memberId, amount, balance } = booked
  const data = { amount: formatPaise(amount), balance: formatPaise(balance) }
  await tellMember(tx, { memberId, kind: 'topup_credited', key: `topup:${order.orderId}`, data })
  await mailMember(tx, {
    memberId,
    template: 'money_added',
    key: `money_added:${order.orderId}`,
    data: { amount: data.amount, orderId: order.orderId },
  })
  // Nobody who has just added money needs a debit as well.
  if (balance >= ENOUGH) await cancelOpenCharge(tx, memberId)
  if (booked.missedAutoJoin) {
    await enqueue(tx, { kind: 'join_after_topup', key: `topup:${order.orderId}`, payload: { memberId: String(memberId) } })
  }
}

/** The gateway does not know the order: ours was never made there, or an event named a foreign order. */
async function noteUnknown(tx: Tx, orderId: string, next: string): Promise<void> {
  const missing = await noteOrderMissing(tx, orderId)
  if (missing === 'young') return
  if (missing === 'known') throw new Error('the gateway says that it does not know an order that it has known: see its dashboard')
  await markTopup(tx, orderId, 'failed')
  if (missing === 'for_hours') await watchOrder(tx, orderId, next, { isNews: false })
}

/** Asks about due orders; returns whether any was asked about. */
export async function sweepOrders(deps: SettleDeps): Promise<boolean> {
  const due = await listDueOrders(deps.db, SWEEP_AT_ONCE)
  return areAnyHeld(due.map((orderId) => settleOrder(deps, orderId)))
}
