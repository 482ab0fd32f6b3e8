/**
 * The life of a refund.
 *
 * - The refunds of an order never exceed its amount times its successful payments. Failed and cancelled refunds do not count.
 * - A refund id is used once.
 * - No refund changes by itself: each step is a control call or a press.
 * - A note SUCCESS, FAILED, PENDING or ACTIVE decides the outcome at once, as in the gateway's own sandbox.
 */
import { amount, isFields, optional, required } from './fields.ts'
import type { Order, Refund, RefundStatus } from './model.ts'
import { badBody, duplicateRefund, invalid, noOrder, noRefund, noSuchStep, orderNotPaid, refundTooLate } from './refusals.ts'
import type { Store } from './store.ts'

const MIN_AMOUNT_PAISE = 1
const MAX_AMOUNT_PAISE = 100_000_000
const WINDOW_MONTHS = 6

type NewRefund = Pick<Refund, 'refundId' | 'amountPaise' | 'note' | 'speed'>

export function readNewRefund(body: unknown): NewRefund {
  if (!isFields(body)) throw badBody()
  const speed = body.refund_speed ?? 'STANDARD'
  const input = {
    amountPaise: amount(body.refund_amount, 'refund_amount', MIN_AMOUNT_PAISE, MAX_AMOUNT_PAISE),
    refundId: required(body.refund_id, 'refund_id', 3, 40, /^[A-Za-z0-9]+$/, 'should be alphanumeric'),
    note: optional(body.refund_note, 'refund_note', 3, 100),
  }
  if (speed !== 'STANDARD' && speed !== 'INSTANT') throw invalid('refund_speed', 'should be STANDARD or INSTANT', speed)
  return { ...input, speed }
}

const OPEN: ReadonlySet<RefundStatus> = new Set(['PENDING', 'ONHOLD'])
const NOTED: Readonly<Record<string, RefundStatus>> = { SUCCESS: 'SUCCESS', FAILED: 'FAILED', PENDING: 'PENDING', ACTIVE: 'PENDING' }

export function createRefund(store: Store, orderId: string, input: NewRefund, nowMs: number): Refund {
  const order = store.orders.get(orderId)
  if (order === undefined) throw noOrder()
  if (store.refunds.has(input.refundId)) throw duplicateRefund()
  const paid = store.attemptsOf(orderId).find((attempt) => attempt.status === 'SUCCESS')
  if (paid === undefined) throw orderNotPaid()
  if (nowMs >= windowEnd(paid.endedAtMs ?? paid.startedAtMs)) throw refundTooLate()
  if (input.amountPaise > refundablePaise(store, order)) {
    throw invalid('refund_amount', 'should not exceed what is left of the payment', input.amountPaise / 100)
  }
  const status = NOTED[input.note ?? ''] ?? 'PENDING'
  const refund: Refund = {
    ...input,
    cfRefundId: store.nextCfId(),
    orderId,
    cfPaymentId: paid.cfPaymentId,
    status,
    createdAtMs: nowMs,
    processedAtMs: OPEN.has(status) ? null : nowMs,
  }
  store.put({ kind: 'refund', value: refund })
  return refund
}

function windowEnd(paidAtMs: number): number {
  const end = new Date(paidAtMs)
  return end.setUTCMonth(end.getUTCMonth() + WINDOW_MONTHS)
}

const isAlive = ({ status }: Refund): boolean => status !== 'FAILED' && status !== 'CANCELLED'

function refundablePaise(store: Store, { orderId, amountPaise }: Order): number {
  const paid = store.attemptsOf(orderId).filter(({ status }) => status === 'SUCCESS').length * amountPaise
  return store
    .refundsOf(orderId)
    .filter(isAlive)
    .reduce((left, refund) => left - refund.amountPaise, paid)
}

export function readRefund(store: Store, orderId: string, refundId: string): Refund {
  const refund = store.refunds.get(refundId)
  if (refund?.orderId !== orderId) throw noRefund()
  return refund
}

const ENDS = ['SUCCESS', 'CANCELLED', 'FAILED'] as const satisfies readonly RefundStatus[]

/** The states that may follow the present one; none after a final state. */
export const refundSteps = ({ status }: Refund): readonly RefundStatus[] =>
  OPEN.has(status) ? [...ENDS, status === 'PENDING' ? 'ONHOLD' : 'PENDING'] : []

/** Plays the bank. `force` allows any step, as by a gateway that reverses a final state. */
export function moveRefund(store: Store, refundId: string, status: RefundStatus, force: boolean, nowMs: number): Refund {
  const refund = store.refunds.get(refundId)
  if (refund === undefined) throw noRefund()
  if (!force && !refundSteps(refund).includes(status)) throw noSuchStep(refund.status, status)
  const moved: Refund = { ...refund, status, processedAtMs: OPEN.has(status) ? null : nowMs }
  store.put({ kind: 'refund', value: moved })
  return moved
}
