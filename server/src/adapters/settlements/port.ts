/**
 * Settlements of the payment gateway: the sums that it pays into our bank, and the events that each contains.
 * - The rules of the payment port hold here too (../payments/port.ts): its errors, and that only an answer about what was asked is believed.
 * - A word that the gateway's documents do not list is `unknown`, beside the word itself: nothing is booked by it.
 * - An answer without an amount, or with a broken one, is no answer.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'

/** `failed`: the money did not arrive, or went back to the gateway. It comes again in a later settlement. */
export type SettlementState = 'paid' | 'pending' | 'failed' | 'unknown'

export type ToldSettlement = {
  readonly settlementId: string
  readonly state: SettlementState
  /** The gateway's own word. */
  readonly status: string
  /** The bank's number of the transfer. */
  readonly utr: string | undefined
  /** The amount that reaches our bank. */
  readonly amount: Paise
  /** The gateway's charges and the taxes on them: of the payments, and of the settlement itself. */
  readonly fee: Paise
  readonly ownFee: Paise
  readonly initiatedAtMs: number | undefined
  readonly processedAtMs: number | undefined
}

export type SettlementEventKind = 'payment' | 'refund' | 'refund_back' | 'dispute' | 'dispute_back' | 'adjustment' | 'unknown'

export type SettlementEvent = {
  readonly settlementId: string
  readonly eventId: string
  readonly kind: SettlementEventKind
  /** The gateway's own word, and of an event that did not succeed its status. */
  readonly word: string
  /** Whether the gateway gives or takes; undefined for another word. */
  readonly isCredit: boolean | undefined
  readonly amount: Paise
  /** The event's part of the settlement: the amount less charge and tax, without a sign. */
  readonly settled: Paise
  /** Charge and tax. */
  readonly fee: Paise
  readonly orderId: string | undefined
  readonly paymentId: string | undefined
  readonly refundId: string | undefined
  /** The gateway's words about an adjustment. Those of other events can be about a person, and are not read. */
  readonly remarks: string | undefined
}

export type ToldPage<T> = {
  readonly rows: readonly T[]
  /** Undefined: there is no further page. */
  readonly cursor: string | undefined
}

export type SettlementGateway = {
  /** The settlements that were begun from one day to another, both included. */
  listSettlements(asked: {
    readonly from: IstDay
    readonly until: IstDay
    readonly cursor?: string | undefined
  }): Promise<ToldPage<ToldSettlement>>
  listSettlementEvents(asked: { readonly settlementId: string; readonly cursor?: string | undefined }): Promise<ToldPage<SettlementEvent>>
}
