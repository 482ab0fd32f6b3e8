/**
 * The life of an order and its attempts.
 * Invariants: an order has at most one successful attempt, unless a second payment is played; nothing moves by itself but expiry, which
 * is noticed on reading; an attempt begun in time may still succeed after it (the order goes from
 * EXPIRED or TERMINATION_REQUESTED to PAID), a new one may not begin.
 * Every function works in one turn on the store, so two requests cannot interleave inside one.
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
    // Whoever holds it may pay, and pick the outcome: 72 random bytes, nothing derived.
    sessionId: `session_${randomBytes(72).toString('base64url')}`,
    status: 'ACTIVE',
    createdAtMs: nowMs,
  }
  store.put({ kind: 'order', value: order })
  return order
}

/** The order as it stands now: one whose time is over turns EXPIRED by being read. */
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

/** While an attempt is under way an order is only asked to end: that attempt may still pay it. */
export function terminateOrder(store: Store, orderId: string, nowMs: number): Order {
  const order = readOrder(store, orderId, nowMs)
  if (order.status === 'TERMINATED' || order.status === 'TERMINATION_REQUESTED') return order
  if (order.status !== 'ACTIVE') throw orderInactive()
  return save(store, order, pendingAttempt(store, orderId) === undefined ? 'TERMINATED' : 'TERMINATION_REQUESTED')
}

/** Of an attempt that has not come to its end: not begun, with the bank, or held back by a check. */
const OPEN: ReadonlySet<AttemptStatus> = new Set(['PENDING', 'NOT_ATTEMPTED', 'FLAGGED'])

export const pendingAttempt = (store: Store, orderId: string): Attempt | undefined =>
  store.attemptsOf(orderId).find((attempt) => OPEN.has(attempt.status))

export type Payer = { readonly outcome: AttemptStatus; readonly surchargePaise: number; readonly again: boolean }

/**
 * The payer's doing on the hosted page: it ends the attempt that is pending, or makes a new one. `again`:
 * beside a payment that succeeded, as by two devices that held the page open.
 */
export function pay(store: Store, orderId: string, { outcome, surchargePaise, again }: Payer, nowMs: number): Moved {
  const order = readOrder(store, orderId, nowMs)
  const isSecond = again && order.status === 'PAID'
  const open = pendingAttempt(store, orderId)
  if (open !== undefined && !isSecond) return moveAttempt(store, order, open, outcome, null, nowMs)
  if (order.status !== 'ACTIVE' && !isSecond) throw orderInactive()
  const attempt: Attempt = {
    cfPaymentId: store.nextCfId(),
    orderId,
    status: outcome,
    amountPaise: order.amountPaise + surchargePaise,
    startedAtMs: nowMs,
    endedAtMs: OPEN.has(outcome) ? null : nowMs,
    errorCode: null,
  }
  return keep(store, order, attempt)
}

/** The bank's doing: a given attempt gets its word, also a later one that contradicts the first. Success is for ever. */
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
