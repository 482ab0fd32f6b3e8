/**
 * The life of plans and subscriptions (mandates).
 *
 * - A subscription goes from INITIALIZED over BANK_APPROVAL_PENDING to ACTIVE; the payer may pause, resume or cancel it in the UPI app.
 * - Expiry alone happens by itself: a subscription past its time turns COMPLETED or EXPIRED when it is read.
 * - A session lasts two hours; a read after that makes a new one.
 */
import { randomBytes } from 'node:crypto'
import type { Parts } from '../calls.ts'
import { duplicatePlan, duplicateSubscription, invalid, noPlan, noSubscription, notNow } from '../refusals.ts'
import type { Store } from '../store.ts'
import { dayOf, readDay } from './calendar.ts'
import { cancelOpenCharges } from './charges.ts'
import { announceSubscription } from './events.ts'
import type { Plan, Subscription, SubscriptionStatus } from './model.ts'
import type { NewSubscription } from './subscription-fields.ts'

const SESSION_MS = 2 * 3_600_000

/** States without a way back. */
const ENDED: ReadonlySet<SubscriptionStatus> = new Set(['CANCELLED', 'CUSTOMER_CANCELLED', 'COMPLETED', 'EXPIRED', 'LINK_EXPIRED'])
const AUTHORISING: ReadonlySet<SubscriptionStatus> = new Set(['INITIALIZED', 'BANK_APPROVAL_PENDING'])
export const isAuthorising = ({ status }: Subscription): boolean => AUTHORISING.has(status)

// The holder of this id may approve the mandate, so it is 72 random bytes.
const newSession = (): string => `sub_session_${randomBytes(72).toString('base64url')}`

export function createPlan(store: Store, plan: Plan): Plan {
  if (store.plans.has(plan.planId)) throw duplicatePlan()
  store.put({ kind: 'plan', value: plan })
  return plan
}

export function readPlan(store: Store, planId: string): Plan {
  const plan = store.plans.get(planId)
  if (plan === undefined) throw noPlan()
  return plan
}

export function createSubscription(store: Store, input: NewSubscription, nowMs: number): Subscription {
  if (store.subscriptions.has(input.subscriptionId)) throw duplicateSubscription()
  const subscription: Subscription = {
    ...input,
    cfSubscriptionId: store.nextCfId(),
    sessionId: newSession(),
    status: 'INITIALIZED',
    createdAtMs: nowMs,
    umn: null,
    authorizedAtMs: null,
  }
  store.put({ kind: 'subscription', value: subscription })
  return subscription
}

export function saveSubscription(store: Store, subscription: Subscription): Subscription {
  store.put({ kind: 'subscription', value: subscription })
  return subscription
}

/** Returns the subscription; first ends it or its session if expired. */
export function readSubscription(parts: Parts, subscriptionId: string, nowMs: number): Subscription {
  const { store } = parts
  const subscription = store.subscriptions.get(subscriptionId)
  if (subscription === undefined) throw noSubscription()
  if (ENDED.has(subscription.status)) return subscription
  if (nowMs >= subscription.expiresAtMs) {
    return changeStatus(parts, subscription, isAuthorising(subscription) ? 'EXPIRED' : 'COMPLETED', 1, nowMs)
  }
  if (!isAuthorising(subscription) || nowMs < subscription.sessionExpiresAtMs) return subscription
  return saveSubscription(store, { ...subscription, sessionId: newSession(), sessionExpiresAtMs: nowMs + SESSION_MS })
}

/** Sets the status, saves and sends the webhook, if the status is another one. */
export function changeStatus(
  parts: Parts,
  subscription: Subscription,
  status: SubscriptionStatus,
  copies: number,
  nowMs: number,
): Subscription {
  if (subscription.status === status) return subscription
  const changed = saveSubscription(parts.store, { ...subscription, status })
  announceSubscription(parts, changed, copies, nowMs)
  return changed
}

/** CANCEL also cancels the charges that are not at the bank yet. */
export function cancelSubscription(parts: Parts, subscriptionId: string, nowMs: number): Subscription {
  const subscription = readSubscription(parts, subscriptionId, nowMs)
  if (ENDED.has(subscription.status)) throw notNow('subscription', subscription.status, 'CANCEL')
  if (parts.store.faults().cancel_ignored) return subscription
  cancelOpenCharges(parts, subscriptionId, nowMs)
  return changeStatus(parts, subscription, 'CANCELLED', 1, nowMs)
}

/** The shop takes a subscription from ON_HOLD back to ACTIVE. What the customer paused only the customer resumes. */
export function activateSubscription(parts: Parts, subscriptionId: string, nextTime: unknown, nowMs: number): Subscription {
  const subscription = readSubscription(parts, subscriptionId, nowMs)
  const field = 'action_details.next_scheduled_time'
  if (readDay(nextTime, field) < dayOf(nowMs)) throw invalid(field, 'should not be in the past', nextTime)
  if (subscription.status !== 'ON_HOLD') throw notNow('subscription', subscription.status, 'ACTIVATE')
  return changeStatus(parts, subscription, 'ACTIVE', 1, nowMs)
}
