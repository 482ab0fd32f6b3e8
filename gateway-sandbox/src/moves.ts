/** What payer and bank do, each followed by its webhook: the same from the control API, the hosted page and the overview. */
import type { Parts } from './calls.ts'
import { paymentEvent, refundEvent } from './entities.ts'
import type { AttemptStatus, Order, Refund, RefundStatus, Transfer } from './model.ts'
import { pay } from './orders.ts'
import { transferEvent } from './payout-entities.ts'
import { moveTransfer, readTransfer, type TransferMove } from './payouts.ts'
import { moveRefund } from './refunds.ts'

export function playOrder({ store, webhooks }: Parts, orderId: string, outcome: AttemptStatus, copies: number, nowMs: number): void {
  const surchargePaise = Math.round(store.faults().surcharge * 100)
  webhooks.announce(paymentEvent(pay(store, orderId, outcome, surchargePaise, nowMs), nowMs), copies, nowMs)
}

type RefundMove = { readonly status: RefundStatus; readonly force: boolean }

export function playRefund({ store, webhooks }: Parts, refundId: string, move: RefundMove, copies: number, nowMs: number): Refund {
  const refund = moveRefund(store, refundId, move.status, move.force, nowMs)
  webhooks.announce(refundEvent(store.orders.get(refund.orderId) as Order, refund, nowMs), copies, nowMs)
  return refund
}

export function playTransfer(parts: Parts, transferId: string, move: TransferMove, copies: number, nowMs: number): Transfer {
  const { store, webhooks, payouts } = parts
  const before = readTransfer(store, transferId)
  const after = moveTransfer(store, transferId, move, nowMs)
  webhooks.announce(transferEvent(before, after, payouts?.notifyUrl, nowMs), copies, nowMs)
  return after
}
