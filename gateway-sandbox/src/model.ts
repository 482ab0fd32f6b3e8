/** The gateway's stored records. Amounts are whole paise; instants are ms since 1970 UTC. */
export type OrderStatus = 'ACTIVE' | 'PAID' | 'EXPIRED' | 'TERMINATED' | 'TERMINATION_REQUESTED'
export type AttemptStatus = 'SUCCESS' | 'NOT_ATTEMPTED' | 'FAILED' | 'USER_DROPPED' | 'VOID' | 'CANCELLED' | 'PENDING' | 'FLAGGED'

export type Customer = {
  readonly id: string
  readonly phone: string
  readonly name: string | null
  readonly email: string | null
}

export type Order = {
  readonly orderId: string
  readonly cfOrderId: string
  readonly sessionId: string
  readonly amountPaise: number
  readonly status: OrderStatus
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly customer: Customer
  readonly returnUrl: string | null
  readonly notifyUrl: string | null
  readonly paymentMethods: string | null
  readonly note: string | null
  readonly tags: Readonly<Record<string, string>>
}

export type Attempt = {
  readonly cfPaymentId: string
  readonly orderId: string
  readonly status: AttemptStatus
  readonly amountPaise: number
  readonly startedAtMs: number
  readonly endedAtMs: number | null
  readonly errorCode: string | null
  /** The way that the payer took, in the words of `payment_methods`. None: UPI, or the first that the order allows. */
  readonly way?: string | undefined
  readonly upi?: { readonly channel: string; readonly upi_id: string } | undefined
}

export type RefundStatus = 'PENDING' | 'ONHOLD' | 'SUCCESS' | 'CANCELLED' | 'FAILED'

export type Refund = {
  readonly refundId: string
  readonly cfRefundId: string
  readonly orderId: string
  readonly cfPaymentId: string
  readonly amountPaise: number
  readonly note: string | null
  readonly speed: 'STANDARD' | 'INSTANT'
  readonly status: RefundStatus
  readonly createdAtMs: number
  readonly processedAtMs: number | null
}

export type DisputeStage = 'RETRIEVAL' | 'DISPUTE' | 'CHARGEBACK' | 'PRE_ARBITRATION' | 'ARBITRATION'
export type DisputeStep =
  | 'CREATED'
  | 'DOCS_RECEIVED'
  | 'UNDER_REVIEW'
  | 'MERCHANT_WON'
  | 'MERCHANT_LOST'
  | 'MERCHANT_ACCEPTED'
  | 'INSUFFICIENT_EVIDENCE'

/** A payment that its payer contests at their bank. */
export type Dispute = {
  readonly disputeId: string
  readonly orderId: string
  readonly cfPaymentId: string
  readonly amountPaise: number
  readonly stage: DisputeStage
  readonly step: DisputeStep
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly respondByMs: number
}

export type BeneficiaryStatus = 'VERIFIED' | 'INVALID' | 'INITIATED' | 'CANCELLED' | 'FAILED' | 'DELETED'

/** An account that receives payouts. A deleted one stays in the journal, but no call finds it. */
export type Beneficiary = {
  readonly beneficiaryId: string
  readonly name: string
  readonly accountNumber: string | null
  readonly ifsc: string | null
  readonly vpa: string | null
  readonly contact: Readonly<Record<string, string>>
  readonly status: BeneficiaryStatus
  readonly addedAtMs: number
}

/** A UPI ID that was validated for one transfer: its token lets that transfer begin. */
export type PayoutValidation = {
  readonly transferId: string
  readonly token: string
  readonly vpa: string
  readonly name: string
  readonly atMs: number
}

export type TransferStatus =
  | 'RECEIVED'
  | 'APPROVAL_PENDING'
  | 'QUEUED'
  | 'PENDING'
  | 'SUCCESS'
  | 'FAILED'
  | 'REJECTED'
  | 'MANUALLY_REJECTED'
  | 'REVERSED'

export type Transfer = {
  readonly transferId: string
  readonly cfTransferId: string
  readonly beneficiaryId: string
  readonly amountPaise: number
  readonly mode: string
  readonly remarks: string | null
  readonly status: TransferStatus
  readonly statusCode: string
  readonly utr: string | null
  readonly addedAtMs: number
  readonly updatedAtMs: number
  /** The state that test data takes by itself. */
  readonly later?: { readonly status: TransferStatus; readonly atMs: number } | undefined
}

/** Payments and payouts sign their webhooks with different secrets. */
export type Channel = 'pg' | 'payouts'

/** The content of a webhook, before its first delivery. */
export type Event = {
  readonly channel: Channel
  /** The record that the webhook reports on: `order:…`, `refund:…`, `dispute:…`, `transfer:…`, `subscription:…`, `settlement:…`, `account:payouts`. */
  readonly subject: string
  readonly type: string
  readonly url: string
  /** The version of a tab that has one of its own. */
  readonly version?: string
  /** The exact text that is signed and sent; identical in every attempt. */
  readonly body: string
}

/** One delivery attempt of a webhook and the shop's answer. */
export type Sending = {
  readonly attempt: number
  readonly atMs: number
  readonly status: number | null
  readonly answer: string | null
  readonly error: string | null
}

export type Delivery = Event & {
  readonly deliveryId: string
  readonly idempotencyKey: string
  readonly state: 'waiting' | 'delivered' | 'given_up'
  readonly firstSentAtMs: number | null
  readonly dueAtMs: number
  readonly sendings: readonly Sending[]
}

/** The stored answer to an idempotency key, repeated for the same request. */
export type Replay = {
  readonly key: string
  readonly requestDigest: string
  readonly body: string
  readonly atMs: number
}
