/** Moves of payer and bank, each with its webhook. Control API, hosted page and overview all call these functions. */
import type { Parts } from './calls.ts'
import { type Disputed, disputeEvent, moveDispute, raiseDispute } from './disputes.ts'
import { paymentEvent, refundEvent } from './entities.ts'
import type { AttemptStatus, Dispute, DisputeStage, DisputeStep, Order, Refund, RefundStatus, Transfer, TransferStatus } from './model.ts'
import { pay } from './orders.ts'
import { transferEvent } from './payout-entities.ts'
import type { NewTransfer } from './payout-fields.ts'
import { createTransfer, moveTransfer, readBeneficiary, readTransfer, scheduleTransfer, type TransferMove } from './payouts.ts'
import { moveRefund } from './refunds.ts'
import { decidedTransfer, LATER_MS } from './test-data.ts'

type Paying = { readonly outcome: AttemptStatus; readonly again: boolean; readonly way?: string | undefined }

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

/** A transfer to test data ends by itself: at once, or later. Any other stays PENDING. */
export function playNewTransfer(parts: Parts, input: NewTransfer, nowMs: number): Transfer {
  const { store } = parts
  const transfer = createTransfer(store, input, nowMs)
  const decided = decidedTransfer(readBeneficiary(store, transfer.beneficiaryId))
  if (decided === undefined) return transfer
  const { now, later } = decided
  const moved = now === transfer.status ? transfer : playTransfer(parts, transfer.transferId, byItself(now), 1, nowMs)
  return later === undefined ? moved : scheduleTransfer(store, moved, later, nowMs + LATER_MS)
}

const byItself = (status: TransferStatus): TransferMove => ({ status, statusCode: undefined, force: false })

/** Moves the transfers of test data to where they are at `nowMs`. */
export function advanceTransfers(parts: Parts, nowMs: number): void {
  for (const { transferId, later } of parts.store.scheduledTransfers()) {
    if (later !== undefined && later.atMs <= nowMs) playTransfer(parts, transferId, byItself(later.status), 1, nowMs)
  }
}
