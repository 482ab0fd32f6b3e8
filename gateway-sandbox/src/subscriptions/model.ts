/** The gateway's records of plans, subscriptions (mandates), their payments and refunds. Amounts are paise; instants are ms; days count from 1970 in IST. */
export type Plan = {
  readonly planId: string
  readonly name: string
  readonly type: 'PERIODIC' | 'ON_DEMAND'
  readonly maxAmountPaise: number
  readonly recurringAmountPaise: number | null
  readonly maxCycles: number | null
  readonly intervals: number | null
  readonly intervalType: string | null
  readonly note: string | null
}

/** A person may also set a word that the documents do not know: a shop must survive it. */
export type SubscriptionStatus = string

export type Subscription = {
  readonly subscriptionId: string
  readonly cfSubscriptionId: string
  readonly sessionId: string
  readonly sessionExpiresAtMs: number
  readonly status: SubscriptionStatus
  readonly plan: Plan
  readonly customer: { readonly name: string | null; readonly email: string; readonly phone: string }
  readonly authAmountPaise: number
  readonly refundsAuth: boolean
  readonly paymentMethods: readonly string[]
  readonly returnUrl: string | null
  readonly expiresAtMs: number
  readonly tags: Readonly<Record<string, string>>
  readonly createdAtMs: number
  /** The mandate's reference (UMN), known once the payer approved. */
  readonly umn: string | null
  readonly authorizedAtMs: number | null
}

export type ChargeStatus = 'INITIALIZED' | 'PENDING' | 'SUCCESS' | 'FAILED' | 'CANCELLED'

/** A payment of a subscription: the first debit (AUTH) or a later one (CHARGE). */
export type Charge = {
  readonly paymentId: string
  readonly cfPaymentId: string
  readonly cfOrderId: string
  readonly cfTxnId: string | null
  readonly subscriptionId: string
  readonly type: 'AUTH' | 'CHARGE'
  readonly amountPaise: number
  readonly status: ChargeStatus
  /** The day of the debit; null for an AUTH, which is debited at once. */
  readonly day: number | null
  readonly remarks: string | null
  readonly initiatedAtMs: number
  readonly endedAtMs: number | null
  readonly retryAttempts: number
  readonly failureReason: string | null
  /** Attempts to send the pre-debit notification, and the instant of the successful one. */
  readonly noticeTries: number
  readonly notifiedAtMs: number | null
  readonly attemptedAtMs: number | null
  /** The instant at which a failed debit turns out to have succeeded. */
  readonly lateAtMs: number | null
}

export type ChargeRefundStatus = 'INITIALIZED' | 'PENDING' | 'SUCCESS' | 'CANCEL' | 'FAILED'

export type ChargeRefund = {
  readonly refundId: string
  readonly cfRefundId: string
  readonly subscriptionId: string
  readonly paymentId: string
  readonly cfPaymentId: string
  readonly amountPaise: number
  readonly note: string | null
  readonly status: ChargeRefundStatus
  readonly createdAtMs: number
  readonly processedAtMs: number | null
}

export type ControlledKind = 'notification' | 'execution'

/** A notification or an execution of the controlled flow. The shop gives its id. */
export type ControlledAttempt = {
  readonly kind: ControlledKind
  readonly attemptId: string
  readonly cfId: string
  readonly paymentId: string
  readonly status: 'INITIALIZED' | 'SUCCESS' | 'FAILED'
  readonly atMs: number
  readonly endedAtMs: number | null
}
