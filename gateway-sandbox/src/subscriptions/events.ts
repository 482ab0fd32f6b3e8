/**
 * The webhooks of the Subscriptions tab, in the version that is set there.
 *
 * - A success is announced for the AUTH too: a shop must read `payment_type`.
 * - They carry no order id of the shop. A missing date is the empty text.
 * - 2023-08-01 says SUBSCRIPTION_STATUS_CHANGE and writes its authorization details in camel case.
 * - 2025-01-01 writes instants without an offset, in Indian time; 2026-01-01 adds `subscription_details` to each.
 */
import type { ApiVersion, Parts } from '../calls.ts'
import { indianTime } from '../clock.ts'
import { decimals } from '../entities.ts'
import type { Store } from '../store.ts'
import { authOf, authorizationStatus, customerEntity, failureDetails, planEntity, scheduleDate, upiMethod } from './entities.ts'
import type { Charge, ChargeRefund, ChargeStatus, Subscription } from './model.ts'

type Json = Record<string, unknown>

const moment = (instantMs: number | null, version: ApiVersion): string => {
  if (instantMs === null) return ''
  return version === '2023-08-01' ? indianTime(instantMs) : indianTime(instantMs).slice(0, 19)
}

type Told = { readonly type: string; readonly subject: string; readonly data: Json }

export function announceToTab({ tabs, webhooks }: Parts, told: (version: ApiVersion) => Told, copies: number, nowMs: number): void {
  if (tabs.subscriptions === undefined) return
  const { url, version } = tabs.subscriptions
  const { type, subject, data } = told(version)
  const body = JSON.stringify({ data, event_time: indianTime(nowMs), type })
  webhooks.announce({ channel: 'pg', subject, type, url, version, body }, copies, nowMs)
}

function authorization(store: Store, subscription: Subscription, version: ApiVersion): Json {
  const auth = authOf(store, subscription)
  const values = {
    authorization_amount: decimals(auth?.amountPaise ?? subscription.authAmountPaise),
    authorization_amount_refund: subscription.refundsAuth,
    approve_by_time: moment(subscription.sessionExpiresAtMs, version),
    authorization_reference: subscription.umn,
    authorization_time: moment(subscription.authorizedAtMs, version),
    authorization_status: authorizationStatus(subscription, auth),
    payment_id: auth?.paymentId ?? null,
    payment_method: version === '2023-08-01' ? 'upi' : { upi: upiMethod() },
  }
  if (version !== '2023-08-01') return { ...values, payment_group: 'upi' }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [camelCase(name), value]))
}

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())

const subscriptionDetails = (subscription: Subscription, version: ApiVersion): Json => ({
  cf_subscription_id: subscription.cfSubscriptionId,
  subscription_id: subscription.subscriptionId,
  subscription_status: subscription.status,
  subscription_expiry_time: moment(subscription.expiresAtMs, version),
  subscription_first_charge_time: '',
  ...(version === '2023-08-01' ? {} : { subscription_tags: tagsOf(subscription), next_schedule_date: '' }),
})

const tagsOf = ({ tags }: Subscription): Json | null => (Object.keys(tags).length === 0 ? null : tags)

export function announceSubscription(parts: Parts, subscription: Subscription, copies: number, nowMs: number): void {
  const { subscriptionId, plan } = subscription
  const told = (version: ApiVersion): Told => ({
    type: version === '2023-08-01' ? 'SUBSCRIPTION_STATUS_CHANGE' : 'SUBSCRIPTION_STATUS_CHANGED',
    subject: `subscription:${subscriptionId}`,
    data: {
      subscription_details: subscriptionDetails(subscription, version),
      customer_details: customerEntity(subscription),
      plan_details: { ...planEntity(plan), plan_max_amount: decimals(plan.maxAmountPaise) },
      authorization_details: authorization(parts.store, subscription, version),
      payment_gateway_details: {
        gateway_name: 'CASHFREE',
        gateway_subscription_id: subscriptionId,
        gateway_plan_id: plan.planId,
        gateway_auth_id: null,
        gateway_settlement: 'CASHFREE',
      },
    },
  })
  announceToTab(parts, told, copies, nowMs)
}

const TYPES: Readonly<Record<ChargeStatus, string | undefined>> = {
  INITIALIZED: undefined,
  PENDING: undefined,
  SUCCESS: 'SUBSCRIPTION_PAYMENT_SUCCESS',
  FAILED: 'SUBSCRIPTION_PAYMENT_FAILED',
  CANCELLED: 'SUBSCRIPTION_PAYMENT_CANCELLED',
}

export function announceCharge(parts: Parts, charge: Charge, copies: number, nowMs: number, type = TYPES[charge.status]): void {
  if (type === undefined) return
  const told =
    (name: string) =>
    (version: ApiVersion): Told => ({
      type: name,
      subject: `charge:${charge.paymentId}`,
      data: chargeData(parts.store, charge, version),
    })
  if (charge.type === 'AUTH') announceToTab(parts, told('SUBSCRIPTION_AUTH_STATUS'), copies, nowMs)
  announceToTab(parts, told(type), copies, nowMs)
}

function chargeData(store: Store, charge: Charge, version: ApiVersion): Json {
  const subscription = store.subscriptions.get(charge.subscriptionId) as Subscription
  return {
    payment_id: charge.paymentId,
    cf_payment_id: charge.cfPaymentId,
    cf_txn_id: charge.cfTxnId,
    cf_order_id: charge.cfOrderId,
    subscription_id: charge.subscriptionId,
    cf_subscription_id: subscription.cfSubscriptionId,
    payment_type: charge.type,
    payment_amount: decimals(charge.amountPaise),
    payment_currency: 'INR',
    payment_schedule_date: scheduleDate(charge) ?? '',
    payment_initiated_date: moment(charge.initiatedAtMs, version),
    payment_remarks: charge.remarks,
    payment_status: charge.status,
    retry_attempts: charge.retryAttempts,
    failure_details: failureDetails(charge),
    authorization_details: authorization(store, subscription, version),
    ...(version === '2026-01-01' ? { subscription_details: subscriptionDetails(subscription, version) } : {}),
  }
}

export function announceChargeRefund(parts: Parts, refund: ChargeRefund, copies: number, nowMs: number): void {
  const told = (version: ApiVersion): Told => ({
    type: 'SUBSCRIPTION_REFUND_STATUS',
    subject: `charge_refund:${refund.refundId}`,
    data: {
      payment_id: refund.paymentId,
      cf_payment_id: refund.cfPaymentId,
      refund_id: refund.refundId,
      cf_refund_id: refund.cfRefundId,
      refund_amount: decimals(refund.amountPaise),
      refund_note: refund.note,
      refund_speed: 'STANDARD',
      refund_status: refund.status,
      failure_details: { failure_reason: refund.status === 'FAILED' ? 'Refund could not be processed by the bank' : null },
      ...(version === '2026-01-01'
        ? { subscription_details: subscriptionDetails(parts.store.subscriptions.get(refund.subscriptionId) as Subscription, version) }
        : {}),
    },
  })
  announceToTab(parts, told, copies, nowMs)
}
