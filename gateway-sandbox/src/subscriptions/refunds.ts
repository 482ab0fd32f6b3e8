/**
 * Refunds of a subscription's payments.
 *
 * - The refunds of a payment never exceed it. Failed and cancelled ones do not count.
 * - A note SUCCESS, FAILED, PENDING or ACTIVE decides the outcome at once, as in the gateway's own sandbox.
 */
import type { Parts } from '../calls.ts'
import { duplicateRefund, invalid, noCharge, noRefund, notNow, noSuchStep } from '../refusals.ts'
import type { Store } from '../store.ts'
import type { NewChargeRefund } from './charge-fields.ts'
import { readCharge } from './charges.ts'
import { announceChargeRefund } from './events.ts'
import type { Charge, ChargeRefund, ChargeRefundStatus } from './model.ts'

const NOTED: Readonly<Record<string, ChargeRefundStatus>> = {
  SUCCESS: 'SUCCESS',
  FAILED: 'FAILED',
  PENDING: 'PENDING',
  ACTIVE: 'INITIALIZED',
}
const OPEN: ReadonlySet<ChargeRefundStatus> = new Set(['INITIALIZED', 'PENDING'])
const LOST: ReadonlySet<ChargeRefundStatus> = new Set(['CANCEL', 'FAILED'])

export function createChargeRefund(parts: Parts, subscriptionId: string, input: NewChargeRefund, nowMs: number): ChargeRefund {
  const { store } = parts
  const { paymentId, cfPaymentId, ...fields } = input
  const charge = paymentId === undefined ? store.charges.get(cfPaymentId ?? '') : readCharge(store, paymentId, subscriptionId)
  if (charge === undefined || charge.subscriptionId !== subscriptionId) throw noCharge()
  if (cfPaymentId !== undefined && cfPaymentId !== charge.cfPaymentId) throw invalid('cf_payment_id', 'is of another payment', cfPaymentId)
  if (store.chargeRefunds.has(input.refundId)) throw duplicateRefund()
  if (charge.status !== 'SUCCESS') throw notNow('payment', charge.status, 'REFUND')
  if (input.amountPaise > leftPaise(store, charge)) {
    throw invalid('refund_amount', 'should not exceed what is left of the payment', input.amountPaise / 100)
  }
  const refund = keep(parts, charge, fields, NOTED[input.note ?? ''] ?? 'INITIALIZED', nowMs)
  if (!OPEN.has(refund.status)) announceChargeRefund(parts, refund, 1, nowMs)
  return refund
}

/** The first debit goes back by itself if the shop asked for that. */
export function refundAuth(parts: Parts, auth: Charge, nowMs: number): void {
  const fields = { refundId: `auth_refund_${auth.cfPaymentId}`, amountPaise: auth.amountPaise, note: null }
  keep(parts, auth, fields, 'INITIALIZED', nowMs)
}

type Fields = Pick<ChargeRefund, 'refundId' | 'amountPaise' | 'note'>

function keep({ store }: Parts, charge: Charge, fields: Fields, status: ChargeRefundStatus, nowMs: number): ChargeRefund {
  const { subscriptionId, paymentId, cfPaymentId } = charge
  const refund: ChargeRefund = {
    ...fields,
    cfRefundId: store.nextCfId(),
    subscriptionId,
    paymentId,
    cfPaymentId,
    status,
    createdAtMs: nowMs,
    processedAtMs: OPEN.has(status) ? null : nowMs,
  }
  store.put({ kind: 'chargeRefund', value: refund })
  return refund
}

const leftPaise = (store: Store, { subscriptionId, cfPaymentId, amountPaise }: Charge): number =>
  store
    .chargeRefundsOf(subscriptionId)
    .filter((refund) => refund.cfPaymentId === cfPaymentId && !LOST.has(refund.status))
    .reduce((left, refund) => left - refund.amountPaise, amountPaise)

export function readChargeRefund(store: Store, subscriptionId: string, refundId: string): ChargeRefund {
  const refund = findChargeRefund(store, refundId)
  if (refund.subscriptionId !== subscriptionId) throw noRefund()
  return refund
}

export function findChargeRefund(store: Store, refundId: string): ChargeRefund {
  const refund = store.chargeRefunds.get(refundId)
  if (refund === undefined) throw noRefund()
  return refund
}

export function moveChargeRefund(
  parts: Parts,
  refundId: string,
  { status, copies, force }: { readonly status: ChargeRefundStatus; readonly copies: number; readonly force: boolean },
  nowMs: number,
): ChargeRefund {
  const refund = findChargeRefund(parts.store, refundId)
  if (!force && (!OPEN.has(refund.status) || status === 'INITIALIZED')) throw noSuchStep(refund.status, status)
  const moved = { ...refund, status, processedAtMs: OPEN.has(status) ? null : nowMs }
  parts.store.put({ kind: 'chargeRefund', value: moved })
  announceChargeRefund(parts, moved, copies, nowMs)
  return moved
}
