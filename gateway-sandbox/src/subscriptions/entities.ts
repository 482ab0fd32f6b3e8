/**
 * Converts plans, subscriptions, charges and refunds to the JSON of the API.
 *
 * - 2026-01-01 spells `authorisation_details`, as the gateway's newest SDK does; the versions before write `authorization_details`.
 * - 2023-08-01 names the payment method in a word; the later versions have an object.
 */
import type { ApiVersion } from '../calls.ts'
import { indianTime } from '../clock.ts'
import { rupees } from '../entities.ts'
import type { Store } from '../store.ts'
import { dayStart } from './calendar.ts'
import type { Charge, ChargeRefund, Plan, Subscription } from './model.ts'

type Json = Record<string, unknown>

export const planEntity = (plan: Plan): Json => ({
  plan_id: plan.planId,
  plan_name: plan.name,
  plan_type: plan.type,
  plan_currency: 'INR',
  plan_max_amount: rupees(plan.maxAmountPaise),
  plan_recurring_amount: plan.recurringAmountPaise === null ? null : rupees(plan.recurringAmountPaise),
  plan_max_cycles: plan.maxCycles ?? 0,
  plan_intervals: plan.intervals,
  plan_interval_type: plan.intervalType,
  plan_note: plan.note,
  plan_status: 'ACTIVE',
})

export const authOf = (store: Store, { subscriptionId }: Subscription): Charge | undefined => {
  const auths = store.chargesOf(subscriptionId).filter(({ type }) => type === 'AUTH')
  return auths.find(({ status }) => status === 'SUCCESS') ?? auths.at(-1)
}

/** The payer's UPI ID is known after an attempt. Its fields that need checked bank details stay empty. */
export const upiMethod = (): Json => ({
  channel: 'link',
  upi_id: 'testsuccess@gocash',
  upi_instrument: '',
  upi_instrument_number: '',
  upi_payer_account_number: '',
  upi_payer_ifsc: '',
})

/** The state of the mandate: ACTIVE once it is authorised, else the first debit's state. */
export function authorizationStatus(subscription: Subscription, auth: Charge | undefined): string {
  if (subscription.authorizedAtMs !== null) return 'ACTIVE'
  if (subscription.status === 'BANK_APPROVAL_PENDING') return 'PENDING'
  return auth?.status ?? 'INITIALIZED'
}

function authorizationDetails(store: Store, subscription: Subscription, version: ApiVersion): Json {
  const auth = authOf(store, subscription)
  const method = version === '2023-08-01' ? 'upi' : { upi: upiMethod() }
  return {
    authorization_amount: rupees(auth?.amountPaise ?? subscription.authAmountPaise),
    authorization_amount_refund: subscription.refundsAuth,
    authorization_reference: subscription.umn,
    authorization_time: subscription.authorizedAtMs === null ? null : indianTime(subscription.authorizedAtMs),
    authorization_status: authorizationStatus(subscription, auth),
    payment_id: auth?.paymentId ?? null,
    payment_group: auth === undefined ? null : 'upi',
    payment_method: auth === undefined ? null : method,
    payment_methods: subscription.paymentMethods,
  }
}

export const customerEntity = ({ customer }: Subscription): Json => ({
  customer_name: customer.name,
  customer_email: customer.email,
  customer_phone: customer.phone,
})

export const subscriptionEntity = (store: Store, subscription: Subscription, version: ApiVersion): Json => ({
  subscription_id: subscription.subscriptionId,
  cf_subscription_id: subscription.cfSubscriptionId,
  subscription_session_id: subscription.sessionId,
  subscription_status: subscription.status,
  subscription_expiry_time: indianTime(subscription.expiresAtMs),
  subscription_first_charge_time: null,
  subscription_meta: { return_url: subscription.returnUrl },
  subscription_note: null,
  subscription_tags: Object.keys(subscription.tags).length === 0 ? null : subscription.tags,
  subscription_payment_splits: [],
  next_schedule_date: null,
  customer_details: customerEntity(subscription),
  plan_details: planEntity(subscription.plan),
  [version === '2026-01-01' ? 'authorisation_details' : 'authorization_details']: authorizationDetails(store, subscription, version),
})

export const scheduleDate = ({ day }: Charge): string | null => (day === null ? null : indianTime(dayStart(day)))

export const failureDetails = ({ failureReason }: Charge): Json => ({ failure_reason: failureReason })

export function chargeEntity(store: Store, charge: Charge, version: ApiVersion): Json {
  const subscription = store.subscriptions.get(charge.subscriptionId) as Subscription
  return {
    subscription_id: charge.subscriptionId,
    cf_subscription_id: subscription.cfSubscriptionId,
    payment_id: charge.paymentId,
    cf_payment_id: charge.cfPaymentId,
    cf_txn_id: charge.cfTxnId,
    cf_order_id: charge.cfOrderId,
    payment_type: charge.type,
    payment_amount: rupees(charge.amountPaise),
    payment_currency: 'INR',
    payment_status: charge.status,
    payment_remarks: charge.remarks,
    payment_initiated_date: indianTime(charge.initiatedAtMs),
    payment_schedule_date: scheduleDate(charge),
    retry_attempts: charge.retryAttempts,
    failure_details: failureDetails(charge),
    authorization_details: authorizationDetails(store, subscription, version),
  }
}

/** The answer to /subscriptions/pay. An AUTH carries what the payer opens in the UPI app. */
export function payEntity(charge: Charge, channel: 'link' | 'qrcode' | null, upiLink: string): Json {
  return {
    subscription_id: charge.subscriptionId,
    payment_id: charge.paymentId,
    cf_payment_id: charge.cfPaymentId,
    payment_status: charge.status,
    payment_type: charge.type,
    payment_amount: rupees(charge.amountPaise),
    payment_initiated_date: indianTime(charge.initiatedAtMs),
    payment_method: 'upi',
    failure_details: failureDetails(charge),
    action: channel === null ? null : 'custom',
    channel,
    data: channel === null ? null : authData(channel, upiLink),
  }
}

function authData(channel: 'link' | 'qrcode', link: string): Json {
  if (channel === 'qrcode') return { qrData: link }
  const within = (scheme: string): string => link.replace(/^upi:\/\//, scheme)
  return {
    upiIntentData: {
      androidIntentLink: link,
      iosLinks: { gpay: within('gpay://upi/'), phonepe: within('phonepe://'), paytm: within('paytmmp://') },
    },
  }
}

export const chargeRefundEntity = (refund: ChargeRefund): Json => ({
  payment_id: refund.paymentId,
  cf_payment_id: refund.cfPaymentId,
  refund_id: refund.refundId,
  cf_refund_id: refund.cfRefundId,
  refund_amount: rupees(refund.amountPaise),
  refund_note: refund.note,
  refund_speed: 'STANDARD',
  refund_status: refund.status,
})
