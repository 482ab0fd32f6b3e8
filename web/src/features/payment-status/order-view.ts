/**
 * How an order's answer reads to a person (spec section 4, Payment status): success if the success
 * flag is true or the status is PAID; pending if PENDING; else failed. The time shown is the moment
 * of this check, by the spec's derived view.
 */
export type OrderAnswer = {
  readonly success: boolean
  readonly orderUserDetails: { readonly order_id: string; readonly order_amount: number; readonly order_status: string }
}

export type OrderView = {
  readonly orderId: string
  readonly amountRupees: number
  readonly status: 'success' | 'pending' | 'failed'
  readonly createdAtMs: number
  /** Nothing more can happen: paid, expired or ended. A failed attempt is not: a later one may still pay. */
  readonly isFinal: boolean
}

const FINAL = new Set(['PAID', 'EXPIRED', 'TERMINATED'])

export function orderView(answer: OrderAnswer, nowMs: number): OrderView {
  const { order_id, order_amount, order_status } = answer.orderUserDetails
  const status = answer.success || order_status === 'PAID' ? 'success' : order_status === 'PENDING' ? 'pending' : 'failed'
  const isFinal = status === 'success' || FINAL.has(order_status)
  return { orderId: order_id, amountRupees: order_amount, status, createdAtMs: nowMs, isFinal }
}

/** How long until an order that is not final is looked at again: soon at first, then at most every 15 s. */
export const recheckDelayMs = (checksMade: number): number => Math.min(15_000, 2_000 * Math.max(1, checksMade))

/** The order id of the return address; a gateway may repeat the parameter, the last one written wins. */
export function orderIdOf(search: string): string | undefined {
  const ids = new URLSearchParams(search).getAll('order_id').filter((id) => id.trim() !== '')
  return ids.at(-1)
}
