/**
 * Translates the gateway's order into the payer's view.
 * - Success: the success flag is true or the status is PAID. Pending: the status is PENDING. Failed: anything else.
 * - The time shown is the time of this check.
 */
type OrderAnswer = {
  readonly success: boolean
  readonly orderUserDetails: { readonly order_id: string; readonly order_amount: number; readonly order_status: string }
}

export type OrderView = {
  readonly orderId: string
  readonly amountRupees: number
  readonly status: 'success' | 'pending' | 'failed'
  readonly createdAtMs: number
  /** The order is paid, expired or terminated. A failed attempt is not final, because a later attempt may still pay. */
  readonly isFinal: boolean
}

const FINAL = new Set(['PAID', 'EXPIRED', 'TERMINATED'])

export function orderView(answer: OrderAnswer, nowMs: number): OrderView {
  const { order_id, order_amount, order_status } = answer.orderUserDetails
  const status = answer.success || order_status === 'PAID' ? 'success' : order_status === 'PENDING' ? 'pending' : 'failed'
  const isFinal = status === 'success' || FINAL.has(order_status)
  return { orderId: order_id, amountRupees: order_amount, status, createdAtMs: nowMs, isFinal }
}

/** The delay before the next check: 2 s at first, then more, 15 s at most in the first five minutes, then a minute. */
export const recheckDelayMs = (checksMade: number): number =>
  checksMade > CHECKS_OF_FIVE_MINUTES ? 60_000 : Math.min(15_000, 2_000 * Math.max(1, checksMade))
const CHECKS_OF_FIVE_MINUTES = 24

/** The order id in the return address. A gateway may repeat the parameter; the last value that is not empty wins. */
export function orderIdOf(search: string): string | undefined {
  const ids = new URLSearchParams(search).getAll('order_id').filter((id) => id.trim() !== '')
  return ids.at(-1)
}
