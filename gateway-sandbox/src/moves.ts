/** Moves of payer and bank, each with its webhook. Control API, hosted page and overview all call these functions. */
import type { Parts } from './calls.ts'
import { disputeEvent, moveDispute, raiseDispute } from './disputes.ts'
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

export function playRefund({ store, webhooks }: Parts, refundId: string, move: RefundMove, copies: number, nowMs: number): Refund {
  const refund = moveRefund(store, refundId, move.status, move.force, nowMs)
  webhooks.announce(refundEvent(store.orders.get(refund.orderId) as Order, refund, nowMs), copies, nowMs)
  return refund
}

type NewDispute = { readonly stage: DisputeStage; readonly amountPaise: number | undefined }

export function playNewDispute({ store, webhooks }: Parts, orderId: string, raised: NewDispute, copies: number, nowMs: number): Dispute {
  const dispute = raiseDispute(store, orderId, raised, nowMs)
  webhooks.announce(disputeEvent(store, dispute, true, nowMs), copies, nowMs)
  return dispute
}

type DisputeMove = { readonly stage: DisputeStage | undefined; readonly step: DisputeStep; readonly force: boolean }

export function playDispute({ store, webhooks }: Parts, disputeId: string, move: DisputeMove, copies: number, nowMs: number): Dispute {
  const dispute = moveDispute(store, disputeId, move, nowMs)
  webhooks.announce(disputeEvent(store, dispute, false, nowMs), copies, nowMs)
  return dispute
}

export function playTransfer(parts: Parts, transferId: string, move: TransferMove, copies: number, nowMs: number): Transfer {
  const { store, webhooks, payouts } = parts
  const before = readTransfer(store, transferId)
  const after = moveTransfer(store, transferId, move, nowMs)
  webhooks.announce(transferEvent(before, after, payouts?.notifyUrl, nowMs), copies, nowMs)
  return after
}
