/** Moves of payer and bank, each with its webhook. Control API, hosted page and overview all call these functions. */
import type { Parts } from './calls.ts'
import { type Disputed, disputeEvent, moveDispute, raiseDispute } from './disputes.ts'
import { paymentEvent, refundEvent } from './entities.ts'
import type { AttemptStatus, Dispute, DisputeStage, DisputeStep, Order, Refund, RefundStatus, Transfer } from './model.ts'
import { pay } from './orders.ts'
import { transferEvent } from './payout-entities.ts'
import { moveTransfer, readTransfer, type TransferMove } from './payouts.ts'
import { moveRefund } from './refunds.ts'

type Paying = { readonly outcome: AttemptStatus; readonly again: boolean }

export function playOrder({ store, webhooks }: Parts, orderId: string, paying: Paying, copies: number, nowMs: number): void {
  const surchargePaise = Math.round(store.faults().surcharge * 100)
  webhooks.announce(paymentEvent(pay(store, orderId, { ...paying, surchargePaise }, nowMs), nowMs), copies, nowMs)
}

type RefundMove = { readonly status: RefundStatus; readonly force: boolean }

export function playRefund(parts: Parts, refundId: string, move: RefundMove, copies: number, nowMs: number): Refund {
  const refund = moveRefund(parts.store, refundId, move.status, move.force, nowMs)
  announceRefund(parts, refund, copies, nowMs)
  return refund
}

export function announceRefund({ store, webhooks }: Parts, refund: Refund, copies: number, nowMs: number): void {
  webhooks.announce(refundEvent(store.orders.get(refund.orderId) as Order, refund, nowMs), copies, nowMs)
}

type NewDispute = { readonly stage: DisputeStage; readonly amountPaise: number | undefined }

export function playNewDispute(parts: Parts, disputed: Disputed, raised: NewDispute, copies: number, nowMs: number): Dispute {
  const dispute = raiseDispute(parts.store, disputed, raised, nowMs)
  parts.webhooks.announce(disputeEvent(parts, dispute, true, nowMs), copies, nowMs)
  return dispute
}

type DisputeMove = { readonly stage: DisputeStage | undefined; readonly step: DisputeStep; readonly force: boolean }

export function playDispute(parts: Parts, disputeId: string, move: DisputeMove, copies: number, nowMs: number): Dispute {
  const dispute = moveDispute(parts.store, disputeId, move, nowMs)
  parts.webhooks.announce(disputeEvent(parts, dispute, false, nowMs), copies, nowMs)
  return dispute
}

export function playTransfer(parts: Parts, transferId: string, move: TransferMove, copies: number, nowMs: number): Transfer {
  const { store, webhooks, payouts } = parts
  const before = readTransfer(store, transferId)
  const after = moveTransfer(store, transferId, move, nowMs)
  webhooks.announce(transferEvent(before, after, payouts?.notifyUrl, nowMs), copies, nowMs)
  return after
}
