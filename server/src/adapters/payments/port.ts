/**
 * The payment gateway as the wallet sees it: make an order or a refund, ask for its truth, know a
 * genuine webhook.
 * Invariants: amounts are paise; ids are the gateway's own text; a webhook only says "ask again":
 * what is booked is what `fetchOrder`, `fetchRefund` and `fetchDispute` answer. Nothing here books anything.
 *
 * What is thrown: `GatewayUnavailableError` (timeout, connection, 429, 5xx: the outcome is unknown,
 * ask again later with the same order id) and `GatewayRefusedError` (the gateway understood and said
 * no: our request, our keys or an order id that is taken by something else).
 *
 * A second gateway meets the name of the first outside the adapters in these files, and nowhere else:
 * - `contract/src/payouts.ts`: the payout webhook and its path.
 * - `contract/src/wallet.ts`: the payment webhook and its path.
 * - `server/src/config/gateway-settings.ts`: its settings, hosts and script.
 * - `server/src/config/config.ts`: the value of PAYMENTS, and what production requires.
 * - `server/src/features/payouts/payouts.ts`: the handler of the payout webhook.
 * - `server/src/features/payouts/webhook.ts`: the type of that call.
 * - `server/src/features/wallet/add-money.ts`: the address that an order's webhook goes to.
 * - `server/src/features/wallet/wallet.ts`: the handler of the payment webhook.
 * - `server/src/features/wallet/webhook.ts`: the type of that call.
 * - `server/src/site-deps.ts`: the origins that the content security policy of the wallet allows.
 * - `server/src/start.ts`: where both adapters are made, and where the sandbox sends payout webhooks.
 * - `web/src/features/wallet/gateway-script.ts`: the object that the gateway's script leaves in the page.
 */
import type { Paise } from '@roz/core/money.ts'

/** Where an order stands. FAILED is the newest attempt's word: the same session can still be paid. */
export type OrderStatus = 'PAID' | 'PENDING' | 'FAILED' | 'EXPIRED' | 'TERMINATED'

/** One attempt's state. UNKNOWN stands for any word that the gateway's documents do not list. */
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
  /** The gateway's payment id: what a credit is keyed by. */
  readonly paymentId: string
  readonly status: PaymentStatus
  readonly orderAmount: Paise
  /** What was really charged; differs from the order's amount by surcharge or offer. */
  readonly paymentAmount: Paise
  /** What is not INR where the gateway names another currency for the order's amount or for what was charged. */
  readonly currency: string
  /** `upi`, `credit_card`, …; undefined before a method was chosen. */
  readonly group: string | undefined
  readonly message: string | undefined
  readonly bankReference: string | undefined
  /** When the attempt began, in ms since 1970 UTC. */
  readonly paidAtMs: number | undefined
}

export type Order = {
  readonly orderId: string
  readonly status: OrderStatus
  readonly orderAmount: Paise
  readonly currency: string
  /** Reopens the hosted checkout while the order is not final. */
  readonly sessionId: string
  /** Every attempt, oldest first. */
  readonly payments: readonly Payment[]
}

export type NewOrder = {
  /** 32 lower-case hex digits of a random UUID: also what makes a repeated call safe. */
  readonly orderId: string
  readonly amount: Paise
  /** 32 lower-case hex digits. */
  readonly customerId: string
  /** Ten digits. */
  readonly phone: string
  /** May hold `{order_id}`, which the gateway fills in. At most 250 characters. */
  readonly returnUrl: string
  readonly notifyUrl: string
  /** More than 15 minutes and less than 30 days ahead. */
  readonly expiresAtMs: number
  readonly signal?: AbortSignal
}

export type NewRefund = {
  readonly orderId: string
  /** 32 lower-case hex digits: what makes a repeated call safe. */
  readonly refundId: string
  readonly amount: Paise
  /** 3 to 100 characters. */
  /** The payment's: the gateway refunds in it. */
  readonly currency: string
  readonly note: string
  readonly signal?: AbortSignal
}

/** Where a refund stands. On hold, or in a word that the gateway's documents do not list, it is pending; cancelled is failed. */
export type RefundState = 'pending' | 'paid' | 'failed'

export type Refund = {
  readonly refundId: string
  readonly orderId: string
  readonly state: RefundState
  /** The gateway's own word and sentence. */
  readonly status: string
  readonly description: string | undefined
  readonly amount: Paise
  readonly currency: string
  /** The payment it gives back. */
  readonly paymentId: string | undefined
  /** The bank's reference of a refund (ARN). */
  readonly bankReference: string | undefined
}

/** A payer's dispute about a payment. */
export type Dispute = {
  readonly disputeId: string
  readonly orderId: string
  readonly paymentId: string
  readonly amount: Paise
  readonly currency: string
  /** The gateway's own words. */
  readonly type: string
  readonly status: string
  readonly state: 'open' | 'won' | 'lost'
  /** Whether the payer's bank has the money now; undefined where the gateway's word does not say. */
  readonly isTaken: boolean | undefined
  readonly respondByMs: number | undefined
}

export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a genuine signature says: when it was made, where that can be read. */
export type Signed = { readonly atMs: number | undefined }

/** A webhook's content. `eventKey` is a digest of the signed bytes: the same event again has the same key. */
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
  | { readonly kind: 'other'; readonly eventKey: string; readonly type: string }

export type Checkout = { readonly mode: 'sandbox' | 'production'; readonly scriptUrl: string }

export type PaymentGateway = {
  /**
   * Makes the order, or finds it made: the same id with the same amount answers the same session.
   * Throws GatewayRefusedError `order_already_exists` when the id stands for another amount or a finished order,
   * and `order_mismatch` where the order that was made is not the one that was asked for.
   */
  createOrder(order: NewOrder): Promise<{ readonly sessionId: string }>
  /** The gateway's word on an order and all its attempts; undefined when it knows no such order. */
  fetchOrder(orderId: string, signal?: AbortSignal): Promise<Order | undefined>
  /**
   * Asks for the refund, or finds it asked for. GatewayRefusedError is the gateway's definite no (it was
   * asked afterwards and has none under this id); GatewayMismatchError that it holds another amount or
   * currency under it; GatewayUnavailableError that nobody knows: ask by `fetchRefund`.
   */
  createRefund(refund: NewRefund): Promise<Refund>
  /** The gateway's word on a refund; undefined when it knows none. */
  fetchRefund(orderId: string, refundId: string, signal?: AbortSignal): Promise<Refund | undefined>
  /** The gateway's word on a dispute; undefined when it knows none. */
  fetchDispute(disputeId: string, signal?: AbortSignal): Promise<Dispute | undefined>
  /** What the browser needs to open the hosted checkout. */
  readonly checkout: Checkout
  /** Undefined where these exact bytes were not signed by the gateway. */
  verifyWebhook(headers: WebhookHeaders, rawBody: Buffer): Signed | undefined
  /** So long after its signature the gateway's own last retry is over: what comes later, or from the future, came another way. */
  readonly webhookLifeMs: number
  /** Reads a verified body; undefined when it is no event at all. */
  parseWebhook(rawBody: Buffer): WebhookEvent | undefined
}

/** Nobody knows what happened: never a reason to give up or to reverse anything. */
export class GatewayUnavailableError extends Error {
  override readonly name = 'GatewayUnavailableError'
  /** How long the gateway asked us to wait, where it did. */
  readonly retryAfterMs: number | undefined
  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs
  }
}

/** The gateway's own no, with its code. */
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

/** Under our id the gateway holds something else than we asked for: money may have moved, a person must look. */
export class GatewayMismatchError extends Error {
  override readonly name = 'GatewayMismatchError'
}

/** The state of a top-up that an order's status stands for. A failed one may still become captured. */
export const TOPUP_STATE_OF = {
  PAID: 'captured',
  PENDING: 'pending',
  FAILED: 'failed',
  EXPIRED: 'expired',
  TERMINATED: 'failed',
} as const satisfies Record<OrderStatus, 'captured' | 'pending' | 'failed' | 'expired'>

// Not SUCCESS: the order's own word, PAID, is still on its way then.
const ENDED: ReadonlySet<PaymentStatus> = new Set(['FAILED', 'USER_DROPPED', 'VOID', 'CANCELLED'])

/**
 * Whether nothing more is to be expected from an order, so that the sweep need not ask for it again.
 * An expired or terminated order still becomes PAID when an attempt begun before then succeeds.
 */
export function isFinal(order: Order): boolean {
  if (order.status === 'PAID') return true
  if (order.status !== 'EXPIRED' && order.status !== 'TERMINATED') return false
  return order.payments.every((payment) => ENDED.has(payment.status))
}

/** The attempts that moved money, oldest first: the first is the order's payment, any other one is a second payment. */
export const successfulPayments = (order: Order): readonly Payment[] => order.payments.filter((payment) => payment.status === 'SUCCESS')
