/**
 * The life of an order and its payment attempts.
 *
 * - An order has at most one successful attempt, unless a control call plays a second payment (`again`).
 * - Only expiry happens by itself: an order turns EXPIRED when it is read after its time.
 * - An attempt that began in time may still succeed later: the order goes from EXPIRED or TERMINATION_REQUESTED to PAID.
 * - No new attempt begins on an order that is not ACTIVE, unless a second payment is played.
 * - Each function is synchronous, so two requests cannot interleave inside it.
 */
import { randomBytes } from 'node:crypto'
import type { Attempt, AttemptStatus, Order, OrderStatus } from './model.ts'
import type { NewOrder } from './order-fields.ts'
import { duplicateOrder, noOrder, noPayment, orderInactive } from './refusals.ts'
import type { Store } from './store.ts'

export type Moved = { readonly order: Order; readonly attempt: Attempt }

export function createOrder(store: Store, input: NewOrder, nowMs: number): Order {
  const { orderId, ...fields } = input
  if (orderId !== undefined && store.orders.has(orderId)) throw duplicateOrder()
  const order: Order = {
    ...fields,
    orderId: orderId ?? `order_${randomBytes(15).toString('hex')}`,
    cfOrderId: store.nextCfId(),
    // The holder of this id may pay and choose the outcome, so it is 72 random bytes.
    sessionId: `session_${randomBytes(72).toString('base64url')}`,
    status: 'ACTIVE',
    createdAtMs: nowMs,
  }
  store.put({ kind: 'order', value: order })
  return order
}

/** Returns the order. An order past its time turns EXPIRED here. */
export function readOrder(store: Store, orderId: string, nowMs: number): Order {
  const order = store.orders.get(orderId)
  if (order === undefined) throw noOrder()
  if (order.status !== 'ACTIVE' || nowMs < order.expiresAtMs) return order
  return save(store, order, 'EXPIRED')
}

export function readAttempt(store: Store, orderId: string, cfPaymentId: string): Attempt {
  const attempt = store.attempt(cfPaymentId)
  if (attempt === undefined || attempt.orderId !== orderId) throw noPayment()
  return attempt
}

/** With an attempt under way the order turns TERMINATION_REQUESTED, because that attempt may still pay it. */
export function terminateOrder(store: Store, orderId: string, nowMs: number): Order {
  const order = readOrder(store, orderId, nowMs)
  if (order.status === 'TERMINATED' || order.status === 'TERMINATION_REQUESTED') return order
  if (order.status !== 'ACTIVE') throw orderInactive()
  return save(store, order, pendingAttempt(store, orderId) === undefined ? 'TERMINATED' : 'TERMINATION_REQUESTED')
}

/** States of an unfinished attempt: not begun, at the bank, or held by a risk check. */
const OPEN: ReadonlySet<AttemptStatus> = new Set(['PENDING', 'NOT_ATTEMPTED', 'FLAGGED'])

export const pendingAttempt = (store: Store, orderId: string): Attempt | undefined =>
  store.attemptsOf(orderId).find((attempt) => OPEN.has(attempt.status))

type Payer = Pick<Attempt, 'way' | 'upi'> & {
  readonly outcome: AttemptStatus
  readonly surchargePaise: number
  readonly again: boolean
}

/**
 * Plays the payer on the hosted page: ends the open attempt or makes a new one.
 * `again` makes a second payment for a paid order, as happens when two devices have the page open.
 */
export function pay(store: Store, orderId: string, payer: Payer, nowMs: number): Moved {
  const { outcome, again, way } = payer
  const order = readOrder(store, orderId, nowMs)
  const isSecond = again && order.status === 'PAID'
  const open = pendingAttempt(store, orderId)
  if (open !== undefined && !isSecond) return moveAttempt(store, order, way === undefined ? open : { ...open, way }, outcome, null, nowMs)
  if (order.status !== 'ACTIVE' && !isSecond) throw orderInactive()
  return keep(store, order, newAttempt(store, order, payer, nowMs))
}

/** The shop starts an attempt by itself: nothing has been paid yet. */
export function beginAttempt(store: Store, order: Order, upi: Attempt['upi'], nowMs: number): Attempt {
  if (order.status !== 'ACTIVE') throw orderInactive()
  return keep(store, order, newAttempt(store, order, { outcome: 'NOT_ATTEMPTED', surchargePaise: 0, way: 'upi', upi }, nowMs)).attempt
}

type NewAttempt = Omit<Payer, 'again'>

function newAttempt(store: Store, order: Order, { outcome, surchargePaise, way, upi }: NewAttempt, nowMs: number): Attempt {
  return {
    cfPaymentId: store.nextCfId(),
    orderId: order.orderId,
    status: outcome,
    amountPaise: order.amountPaise + surchargePaise,
    startedAtMs: nowMs,
    endedAtMs: OPEN.has(outcome) ? null : nowMs,
    errorCode: null,
    way,
    upi,
  }
}

/** Plays the bank: sets the status of an attempt. A later status may contradict an earlier one, but SUCCESS is final. */
export function simulate(store: Store, cfPaymentId: string, status: AttemptStatus, errorCode: string | null, nowMs: number): Moved {
  const attempt = store.attempt(cfPaymentId)
  if (attempt === undefined) throw noPayment()
  return moveAttempt(store, readOrder(store, attempt.orderId, nowMs), attempt, status, errorCode, nowMs)
}

function moveAttempt(store: Store, order: Order, attempt: Attempt, status: AttemptStatus, errorCode: string | null, nowMs: number): Moved {
  const mayMove = order.status !== 'PAID' && (order.status === 'ACTIVE' || OPEN.has(attempt.status))
  if (!mayMove) throw orderInactive()
  return keep(store, order, { ...attempt, status, errorCode, endedAtMs: OPEN.has(status) ? null : nowMs })
}

function keep(store: Store, order: Order, attempt: Attempt): Moved {
  const status = statusAfter(order.status, attempt.status)
  const moved = status === order.status ? order : { ...order, status }
  store.put({ kind: 'attempt', value: attempt }, { kind: 'order', value: moved })
  return { order: moved, attempt }
}

function statusAfter(order: OrderStatus, attempt: AttemptStatus): OrderStatus {
  if (attempt === 'SUCCESS') return 'PAID'
  return order === 'TERMINATION_REQUESTED' && !OPEN.has(attempt) ? 'TERMINATED' : order
}

function save(store: Store, order: Order, status: OrderStatus): Order {
  const saved = { ...order, status }
  store.put({ kind: 'order', value: saved })
  return saved
}
