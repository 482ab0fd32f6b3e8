/**
 * How an order becomes money: webhook, return page and sweep all come here. Invariants: what is booked
 * is the gateway's own answer, never a webhook's body; no transaction is open while the gateway is
 * asked; every capture is booked in one transaction keyed by the payment, so that of any number of
 * callers one credits; at most one question per order in 5 s, one that comes sooner is put off; an order
 * that is final and saw an attempt is asked about four times more, for an attempt begun before may still pay.
 */
import { CURRENCY, formatPaise } from '@roz/core/money.ts'
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
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { enqueue } from '../../jobs/queue.ts'
import { type Captured, captureTopup, markTopup } from '../../ledger/topups.ts'
import { mailMember } from '../../mail/mails.ts'
import { claimCheck, endChecks, listDueChecks, watchOrder } from './orders.ts'

export type SettleDeps = {
  readonly db: Db
  readonly gateway: PaymentGateway
  readonly attempt: Attempt
  /** Tells the operator that the gateway could not be asked; never names a person. */
  readonly warn: (details: object, message: string) => void
}

const SWEEP_AT_ONCE = 8
/** An order that the gateway has never heard of after this long was not made. */
const UNMADE_AFTER = sql`interval '10 minutes'`

/**
 * Asks the gateway about an order and books what it says. Put off, and nothing asked, if that was
 * done less than 5 s ago. With `patienceMs` somebody is waiting: the sweep goes on where they stop. An
 * order that cannot be booked fails nobody else: it is asked about ever more rarely, and parked.
 */
export async function settleOrder(deps: SettleDeps, orderId: string, patienceMs?: number): Promise<void> {
  await deps.attempt('order', orderId, () => askAndBook(deps, orderId, patienceMs))
}

async function askAndBook(deps: SettleDeps, orderId: string, patienceMs: number | undefined): Promise<void> {
  const next = await claimCheck(deps.db, orderId)
  if (next === undefined) return
  let order: Order | undefined
  try {
    order = await deps.gateway.fetchOrder(orderId, patienceMs === undefined ? undefined : AbortSignal.timeout(patienceMs))
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) && !(error instanceof GatewayRefusedError)) throw error
    deps.warn({ err: error, orderId }, 'the gateway could not be asked about an order; the sweep asks again')
    return
  }
  await inTransaction(deps.db, (tx) => (order === undefined ? forgetUnmade(tx, orderId, next) : book(tx, order, next)))
}

async function book(tx: Tx, order: Order, next: string): Promise<void> {
  const state = TOPUP_STATE_OF[order.status]
  // A success on an order that does not call itself paid may still be taken back by the gateway: it waits.
  let isNews = false
  if (state === 'captured') for (const payment of successfulPayments(order)) isNews = (await bookPayment(tx, order, payment)) || isNews
  else await markTopup(tx, order.orderId, state)
  if (!isFinal(order)) return
  if (order.payments.length === 0) await endChecks(tx, order.orderId, next)
  else await watchOrder(tx, order.orderId, next, { isNews })
}

/** Whether it was booked now. */
async function bookPayment(tx: Tx, order: Order, { paymentId, currency }: Payment): Promise<boolean> {
  const told = order.currency === CURRENCY ? currency : order.currency
  const booked = await captureTopup(tx, { orderId: order.orderId, paymentId, orderAmount: order.orderAmount, currency: told })
  if (booked.result === 'credited') await tellCredit(tx, order, booked)
  return booked.result !== 'duplicate'
}

async function tellCredit(tx: Tx, order: Order, booked: Extract<Captured, { readonly result: 'credited' }>): Promise<void> {
  const { memberId, amount, balance } = booked
  await enqueue(tx, {
    kind: 'notice',
    key: `topup:${order.orderId}`,
    payload: { memberId: String(memberId), kind: 'topup_credited', data: { amount: formatPaise(amount), balance: formatPaise(balance) } },
  })
  await mailMember(tx, {
    memberId,
    template: 'money_added',
    key: `money_added:${order.orderId}`,
    data: { amount: formatPaise(amount), orderId: order.orderId },
  })
  if (booked.missedAutoJoin) {
    await enqueue(tx, { kind: 'join_after_topup', key: `topup:${order.orderId}`, payload: { memberId: String(memberId) } })
  }
}

/** The gateway knows no such order: ours was never made there, or an event named somebody else's. */
async function forgetUnmade(tx: Tx, orderId: string, next: string): Promise<void> {
  const young = await maybeOne(
    tx,
    sql`
    select 1 as young from topup where order_id = ${orderId}::text and created_at > roz_now() - ${UNMADE_AFTER}`,
  )
  if (young !== undefined) return
  await markTopup(tx, orderId, 'failed')
  await endChecks(tx, orderId, next)
}

/** Asks about orders whose time has come; says whether there were any. */
export async function sweepOrders(deps: SettleDeps): Promise<boolean> {
  const due = await listDueChecks(deps.db, SWEEP_AT_ONCE)
  await Promise.all(due.map((orderId) => settleOrder(deps, orderId)))
  return due.length > 0
}
