/** The gateway's records of settlements and of what they contain. Amounts are whole paise; instants are ms since 1970 UTC. */
export type SettlementStatus = 'SUCCESS' | 'PENDING' | 'PENDING_WITH_CASHFREE' | 'PENDING_WITH_BANK' | 'FAILED' | 'REVERSED'

export type EventType =
  | 'PAYMENT'
  | 'REFUND'
  | 'REFUND_REVERSAL'
  | 'DISPUTE'
  | 'DISPUTE_REVERSAL'
  | 'CHARGEBACK'
  | 'CHARGEBACK_REVERSAL'
  | 'OTHER_ADJUSTMENT'

/** One movement of money of the account. `amountPaise` has no sign: `sale` says whether it is added or deducted. */
export type MoneyEvent = {
  /** Unique among all events, where two number ranges may meet. */
  readonly key: string
  readonly eventId: string
  readonly type: EventType
  readonly sale: 'CREDIT' | 'DEBIT'
  readonly amountPaise: number
  readonly chargePaise: number
  readonly taxPaise: number
  readonly atMs: number
  readonly orderId: string | null
  readonly cfPaymentId: string | null
  readonly refundId: string | null
  readonly disputeId: string | null
  readonly remarks: string | null
}

export type Settlement = {
  readonly settlementId: string
  readonly utr: string | null
  readonly status: SettlementStatus
  readonly events: readonly MoneyEvent[]
  readonly paymentFromMs: number
  readonly paymentTillMs: number
  readonly initiatedAtMs: number
  readonly processedAtMs: number | null
  readonly amountSettledPaise: number
  readonly reason: string | null
}

/** A call of /simulate or /simulate/settlement, kept to be read again. */
export type Simulation = { readonly simulationId: string; readonly kind: 'payment' | 'settlement'; readonly body: string }
