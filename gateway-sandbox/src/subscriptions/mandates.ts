/** Moves of the payer and the bank on a mandate, each with its webhooks. The hosted page and the control API call these functions. */
import { randomBytes } from 'node:crypto'
import type { Parts } from '../calls.ts'
import { noSuchStep } from '../refusals.ts'
import { DEBIT_FAILED, moveCharge, newCharge, NO_ACTION } from './charges.ts'
import type { Charge, ChargeStatus, Subscription, SubscriptionStatus } from './model.ts'
import { refundAuth } from './refunds.ts'
import { changeStatus, isAuthorising, saveSubscription } from './subscriptions.ts'

/** The payer's choices on the hosted page. */
export const PAGE_STEPS = ['approve', 'bank_pending', 'decline', 'leave'] as const
export type PageStep = (typeof PAGE_STEPS)[number]

/** The state after a step of the payer in the UPI app, or of time. */
const LATER = {
  customer_pause: 'CUSTOMER_PAUSED',
  customer_resume: 'ACTIVE',
  customer_cancel: 'CUSTOMER_CANCELLED',
  link_expire: 'LINK_EXPIRED',
  expire: 'EXPIRED',
  complete: 'COMPLETED',
  hold: 'ON_HOLD',
} as const satisfies Record<string, SubscriptionStatus>

/** `debit_first`: the first debit is known before the mandate. `mandate_first`: the other way round. `second_auth`: it is debited again. */
export const MANDATE_STEPS = [
  ...PAGE_STEPS,
  'debit_first',
  'mandate_first',
  'second_auth',
  ...(Object.keys(LATER) as (keyof typeof LATER)[]),
] as const
type MandateStep = (typeof MANDATE_STEPS)[number]

/** Steps that each state allows without force. */
export function stepsOf(subscription: Subscription): readonly MandateStep[] {
  const { status } = subscription
  if (isAuthorising(subscription))
    return ['approve', 'bank_pending', 'decline', 'leave', 'debit_first', 'mandate_first', 'link_expire', 'expire']
  if (status === 'ACTIVE') return ['second_auth', 'customer_pause', 'customer_cancel', 'complete', 'hold']
  if (status === 'CUSTOMER_PAUSED') return ['customer_resume', 'customer_cancel', 'complete']
  return status === 'ON_HOLD' ? ['customer_cancel', 'complete'] : []
}

type Play = { readonly step: MandateStep; readonly copies: number; readonly force: boolean }

export function playMandate(parts: Parts, subscription: Subscription, { step, copies, force }: Play, nowMs: number): Subscription {
  if (!force && !stepsOf(subscription).includes(step)) throw noSuchStep(subscription.status, step)
  const status = (next: SubscriptionStatus): Subscription => changeStatus(parts, subscription, next, copies, nowMs)
  const debit = (outcome: ChargeStatus, reason?: string): void => playAuth(parts, subscription, { outcome, reason, copies }, nowMs)
  switch (step) {
    case 'leave':
      return subscription
    case 'approve':
      debit('SUCCESS')
      return authorise(parts, subscription, copies, nowMs)
    case 'debit_first':
      debit('SUCCESS')
      return subscription
    case 'mandate_first':
      debit('PENDING')
      return authorise(parts, subscription, copies, nowMs)
    case 'second_auth':
      debitAuth(parts, subscription, undefined, { outcome: 'SUCCESS', reason: undefined, copies }, nowMs)
      return subscription
    case 'bank_pending':
      debit('PENDING')
      return status('BANK_APPROVAL_PENDING')
    case 'decline':
      debit('FAILED', DEBIT_FAILED)
      return status('INITIALIZED')
    case 'link_expire':
    case 'expire':
      if (openAuth(parts, subscription) !== undefined) debit('FAILED', NO_ACTION)
      return status(LATER[step])
    default:
      return status(LATER[step])
  }
}

function authorise(parts: Parts, subscription: Subscription, copies: number, nowMs: number): Subscription {
  const umn = subscription.umn ?? `${randomBytes(16).toString('hex')}@testbank`
  const authorised = { ...subscription, umn, authorizedAtMs: nowMs }
  // One line of the journal, if the status changes too.
  return authorised.status === 'ACTIVE'
    ? saveSubscription(parts.store, authorised)
    : changeStatus(parts, authorised, 'ACTIVE', copies, nowMs)
}

const openAuth = ({ store }: Parts, { subscriptionId }: Subscription): Charge | undefined =>
  store.chargesOf(subscriptionId).find(({ type, status }) => type === 'AUTH' && (status === 'INITIALIZED' || status === 'PENDING'))

type Debit = { readonly outcome: ChargeStatus; readonly reason: string | undefined; readonly copies: number }

/** Moves the open AUTH, or makes one. A second success is not taken. */
function playAuth(parts: Parts, subscription: Subscription, debit: Debit, nowMs: number): void {
  const open = openAuth(parts, subscription)
  const auths = parts.store.chargesOf(subscription.subscriptionId).filter(({ type }) => type === 'AUTH')
  const isPaid = open === undefined && auths.some(({ status }) => status === 'SUCCESS')
  if (!isPaid && open?.status !== debit.outcome) debitAuth(parts, subscription, open, debit, nowMs)
}

/** On the hosted page the payment id of an AUTH is the gateway's. */
function debitAuth(parts: Parts, subscription: Subscription, open: Charge | undefined, { outcome, ...told }: Debit, nowMs: number): void {
  const { store } = parts
  const amountPaise = store.faults().auth_one_rupee ? 100 : subscription.authAmountPaise
  const input = { paymentId: `auth_${randomBytes(12).toString('hex')}`, type: 'AUTH', amountPaise, day: null, remarks: null } as const
  const auth = { ...(open ?? newCharge(store, subscription.subscriptionId, input, nowMs)), amountPaise }
  const moved = moveCharge(parts, auth, { status: outcome, ...told, force: false }, nowMs)
  if (outcome === 'SUCCESS' && subscription.refundsAuth) refundAuth(parts, moved, nowMs)
}
