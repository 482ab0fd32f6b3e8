/**
 * The payment gateway as the wallet uses it: creates orders and refunds, reads their state, verifies webhooks.
 * - Amounts are paise; ids are the gateway's own text.
 * - A webhook only says "ask again": the wallet books the answers of `fetchOrder`, `fetchRefund` and `fetchDispute`.
 * - Nothing here books anything.
 * - A `GatewayUnavailableError` (timeout, connection, 429, 5xx) means that the outcome is unknown: ask again later with the
 *   same order id.
 * - A `GatewayRefusedError` means that the gateway understood and refused: our request, our keys, or an order id in use.
 * - Only an answer in the gateway's own form, about the id that was asked for, is believed. Every other one is unavailable.
 *
 * In core, contract, server and web these files name the gateway outside the adapters and tests; a second gateway has to change them.
 * The samples of operators name it too: `ops/package/compose.yml`, `ops/package/sample.env` and `lab/cluster/settings.ts`.
 * - `contract/src/autopay.ts`: the path of the webhook of mandates.
 * - `contract/src/payouts.ts`: the path of the payout webhook.
 * - `contract/src/wallet.ts`: the path of the payment webhook.
 * - `server/src/config/config.ts`: the value of PAYMENTS, and what production requires.
 * - `server/src/config/declared.ts`: the value of PAYMENTS.
 * - `server/src/start.ts`: where its adapters are opened, and the sandbox's accounts.
 * - `web/src/features/wallet/gateway-script.ts`: the object that the gateway's script leaves in the page.
 */
import type { Paise } from '@roz/core/money.ts'

/** Words of an answer that the gateway's documents do not list. Nothing is booked by them; `noting` tells the operator. */
export type StrangeWords = { readonly strangeWords?: readonly string[] | undefined }

/** State of an order. FAILED is the state of the newest attempt: the same session can still be paid. */
export type OrderStatus = 'PAID' | 'PENDING' | 'FAILED' | 'EXPIRED' | 'TERMINATED'

/** State of one attempt. UNKNOWN is any word that the gateway's documents do not list. */
export type PaymentStatus =
  | 'SUCCESS'
  | 'NOT_ATTEMPTED'
  | 'FAILED'
  | 'USER_DROPPED'
  | 'VOID'
  | 'CANCELLED'
  | 'PENDING'
  | 'FLAGGED'
  | 'UNKNOWN'

export type Payment = {
  /** The gateway's payment id: the idempotency key of a credit. */
  readonly paymentId: string
  readonly status: PaymentStatus
  readonly orderAmount: Paise
  /** The amount charged; a surcharge or an offer makes it differ from the order's amount. */
  readonly paymentAmount: Paise
  /** The first currency other than INR among the order's and the payment's, else INR. */
  readonly currency: string
  /** `upi`, `credit_card`, …; undefined before a method was chosen. */
  readonly group: string | undefined
  readonly message: string | undefined
  readonly bankReference: string | undefined
  /** Start of the attempt, in ms since 1970 UTC. */
  readonly paidAtMs: number | undefined
}

export type Order = StrangeWords & {
  readonly orderId: string
  readonly status: OrderStatus
  readonly orderAmount: Paise
  readonly currency: string
  /** Opens the hosted checkout again while the order is not final. */
  readonly sessionId: string
  /** Every attempt, oldest first. */
  readonly payments: readonly Payment[]
}

export type NewOrder = {
  /** 32 lower-case hex digits of a random UUID: the idempotency key of the call. */
  readonly orderId: string
  readonly amount: Paise
  /** 32 lower-case hex digits. */
  readonly customerId: string
  /** Ten digits. Undefined only for a gateway without a checkout. */
  readonly phone: string | undefined
  /** May contain `{order_id}`, which the gateway fills in. At most 250 characters. */
  readonly returnUrl: string
  readonly notifyUrl: string
  /** More than 15 minutes and less than 30 days ahead. */
  readonly expiresAtMs: number
  readonly signal?: AbortSignal
}

/** The payment of a mandate (mandates/port.ts): its order is unknown to the gateway. */
export type MandatePayment = { readonly mandateId: string; readonly cfPaymentId: string }

export type NewRefund = {
  readonly orderId: string
  /** Set if the payment is a mandate's. */
  readonly from?: MandatePayment | undefined
  /** 32 lower-case hex digits: the idempotency key of the call. */
  readonly refundId: string
  readonly amount: Paise
  /** The payment's currency, in which the gateway refunds. */
  readonly currency: string
  /** 3 to 100 characters. */
  readonly note: string
  readonly signal?: AbortSignal
}

/** State of a refund. On hold, and any word that the gateway's documents do not list, is pending; cancelled is failed. */
export type RefundState = 'pending' | 'paid' | 'failed'

export type Refund = StrangeWords & {
  readonly refundId: string
  readonly orderId: string
  readonly state: RefundState
  /** The gateway's own status and description. */
  readonly status: string
  readonly description: string | undefined
  readonly amount: Paise
  /** Undefined: the gateway names none, as for refunds of debits. It is the payment's currency. */
  readonly currency: string | undefined
  /** The refunded payment. */
  readonly paymentId: string | undefined
  /** The bank's reference of a refund (ARN). */
  readonly bankReference: string | undefined
}

/** A payer's dispute about a payment. */
export type Dispute = StrangeWords & {
  readonly disputeId: string
  readonly orderId: string
  readonly paymentId: string
  readonly amount: Paise
  readonly currency: string
  /** The gateway's own type and status. */
  readonly type: string
  readonly status: string
  readonly state: 'open' | 'won' | 'lost'
  /** Tells whether the payer's bank has the money now; undefined if the gateway's status does not say: a settlement then does. */
  readonly isTaken: boolean | undefined
  readonly respondByMs: number | undefined
  /** When this status began at the gateway, if it says so: an older status is no news. */
  readonly toldAtMs: number | undefined
}

export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Result of a genuine signature: the time of signing, if it can be read. */
export type Signed = { readonly atMs: number | undefined }

/** Content of a webhook. `eventKey` is a digest of the signed bytes, so a repeated event has the same key. */
export type WebhookEvent =
  | {
      readonly kind: 'payment'
      readonly eventKey: string
      readonly type: string
      readonly orderId: string
      readonly paymentId: string | undefined
    }
  | { readonly kind: 'refund'; readonly eventKey: string; readonly type: string; readonly orderId: string; readonly refundId: string }
  | { readonly kind: 'dispute'; readonly eventKey: string; readonly type: string; readonly orderId: string; readonly disputeId: string }
  /** A settlement changed: its list is read again (../settlements/port.ts). */
  | { readonly kind: 'settlement'; readonly eventKey: string; readonly type: string }
  | { readonly kind: 'other'; readonly eventKey: string; readonly type: string }

export type Checkout = { readonly mode: 'sandbox' | 'production'; readonly scriptUrl: string }

export type PaymentGateway = {
  /**
   * Creates the order or finds it: the same id with the same amount returns the same session.
   * Throws GatewayRefusedError `order_already_exists` if the id belongs to another amount or a finished order,
   * and `order_mismatch` if the created order differs from the request.
   */
  createOrder(order: NewOrder): Promise<{ readonly sessionId: string }>
  /** Reads an order with all its attempts; undefined if the gateway does not know it. */
  fetchOrder(orderId: string, signal?: AbortSignal): Promise<Order | undefined>
  /**
   * Creates the refund or finds it.
   * - GatewayRefusedError: the gateway refused, and, asked again, has no refund under this id.
   * - GatewayMismatchError: the gateway has another amount or currency under this id.
   * - GatewayUnavailableError: the outcome is unknown; ask with `fetchRefund`.
   */
  createRefund(refund: NewRefund): Promise<Refund>
  /** Reads a refund; undefined if the gateway does not know it. `from`: as when it was created. */
  fetchRefund(orderId: string, refundId: string, from?: MandatePayment): Promise<Refund | undefined>
  /** Reads a dispute; undefined if the gateway does not know it. */
  fetchDispute(disputeId: string, signal?: AbortSignal): Promise<Dispute | undefined>
  /** The ids of a payment's disputes, each to be read by itself; none if the gateway does not know the payment. */
  listDisputes(paymentId: string): Promise<readonly string[]>
  /** Settings with which the browser opens the hosted checkout. Undefined: the payer pays by a bank transfer, and nothing is refunded. */
  readonly checkout: Checkout | undefined
  /** Undefined if the gateway did not sign exactly these bytes. */
  verifyWebhook(headers: WebhookHeaders, rawBody: Buffer): Signed | undefined
  /** The gateway's last retry is sent within this time of the signature; a later or future webhook is no retry of the gateway. */
  readonly webhookLifeMs: number
  /** Parses a verified body; undefined if it is no event. */
  parseWebhook(rawBody: Buffer): WebhookEvent | undefined
}

/** The outcome is unknown: never a reason to give up or to reverse anything. */
export class GatewayUnavailableError extends Error {
  override readonly name: string = 'GatewayUnavailableError'
  /** The waiting time that the gateway asked for, if any. */
  readonly retryAfterMs: number | undefined
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs
  }
}

/**
 * An answer that is not about our question: it names another id or another account, or it is old. Nothing of it is believed, so the
 * outcome is unknown. Something between the gateway and us answers instead: the operator is alarmed.
 */
export class GatewayForeignError extends GatewayUnavailableError {
  override readonly name = 'GatewayForeignError'
}

/** A refusal by the gateway, with its code. */
export class GatewayRefusedError extends Error {
  override readonly name = 'GatewayRefusedError'
  readonly httpStatus: number
  readonly code: string
  constructor(message: string, httpStatus: number, code: string) {
    super(message)
    this.httpStatus = httpStatus
    this.code = code
  }
}

/** The gateway has something else under our id than we asked for: money may have moved, so a person must look. */
export class GatewayMismatchError extends Error {
  override readonly name = 'GatewayMismatchError'
}

/** The state of a top-up for each status of its order. A failed top-up can still be captured. */
export const TOPUP_STATE_OF = {
  PAID: 'captured',
  PENDING: 'pending',
  FAILED: 'failed',
  EXPIRED: 'expired',
  TERMINATED: 'failed',
} as const satisfies Record<OrderStatus, 'captured' | 'pending' | 'failed' | 'expired'>

// SUCCESS is missing on purpose: after it the order's own PAID is still to come.
const ENDED: ReadonlySet<PaymentStatus> = new Set(['FAILED', 'USER_DROPPED', 'VOID', 'CANCELLED'])

/**
 * Tells whether an order can still change, so that the sweep stops asking for it.
 * An expired or terminated order still becomes PAID if an attempt that began before then succeeds.
 */
export function isFinal(order: Order): boolean {
  if (order.status === 'PAID') return true
  if (order.status !== 'EXPIRED' && order.status !== 'TERMINATED') return false
  return order.payments.every((payment) => ENDED.has(payment.status))
}

/** The attempts that moved money, oldest first: the first is the order's payment, each other one a duplicate payment. */
export const successfulPayments = (order: Order): readonly Payment[] => order.payments.filter((payment) => payment.status === 'SUCCESS')
