/**
 * The payer's side of a mandate: the hosted page, the press of one of its buttons, and the way back to the shop.
 *
 * - The session id is the only credential. It travels in form bodies, never in a URL.
 * - The way back is a POST to `return_url`: the browser posts a form with the outcome. A shop cannot trust its fields.
 */
import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Parts } from '../calls.ts'
import { isFields } from '../fields.ts'
import { failAsPages, show } from '../hosted-pages.ts'
import { Refusal } from '../refusals.ts'
import { mandateEndPage, mandatePage, returnPage, RETURN_SCRIPT_HASH } from './checkout-page.ts'
import { authOf } from './entities.ts'
import { PAGE_STEPS, type PageStep, playMandate, stepsOf } from './mandates.ts'
import type { Subscription } from './model.ts'
import { isAuthorising, readSubscription } from './subscriptions.ts'

export function mandatePageRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, clock } = parts
  failAsPages(app)

  function sessionOf(body: unknown, nowMs: number): Subscription {
    const session = isFields(body) ? body.subscription_session_id : undefined
    const found = typeof session === 'string' ? store.subscriptionBySession(session) : undefined
    const subscription = found === undefined ? undefined : readSubscription(parts, found.subscriptionId, nowMs)
    // A session that expired was replaced by the read.
    if (subscription === undefined || subscription.sessionId !== session) {
      throw new Refusal(404, 'subscription_session_id is not present or is invalid', 'subscription_session_id_invalid')
    }
    return subscription
  }

  app.post('/checkout', async (request, reply) => {
    const subscription = sessionOf(request.body, await clock.now())
    return show(reply, 200, isAuthorising(subscription) ? mandatePage(subscription) : mandateEndPage(subscription), subscription.returnUrl)
  })

  app.post('/outcome', async (request, reply) => {
    const nowMs = await clock.now()
    const subscription = sessionOf(request.body, nowMs)
    const choice = isFields(request.body) ? request.body.outcome : undefined
    const step = PAGE_STEPS.find((one) => one === choice)
    if (step === undefined) throw new Refusal(400, 'outcome is missing in the request', 'outcome_missing')
    // A second or late press changes nothing and goes back to the same address.
    if (stepsOf(subscription).includes(step)) playMandate(parts, subscription, { step, copies: 1, force: false }, nowMs)
    const after = readSubscription(parts, subscription.subscriptionId, nowMs)
    if (after.returnUrl === null) return show(reply, 200, mandateEndPage(after), null)
    return show(reply, 200, returnPage(after.returnUrl, returnFields(parts, after, step)), after.returnUrl, RETURN_SCRIPT_HASH)
  })
}

const MESSAGES: Readonly<Record<PageStep, string>> = {
  approve: 'Subscription is active',
  bank_pending: 'Authorization is pending at the bank',
  decline: 'Authorization failed at the bank',
  leave: 'No action performed by customer',
}

function returnFields(parts: Parts, subscription: Subscription, step: PageStep): Record<string, string> {
  const auth = authOf(parts.store, subscription)
  const checkoutStatus: Readonly<Record<string, string>> = { ACTIVE: 'SUCCESS', BANK_APPROVAL_PENDING: 'SUCCESS_DEBIT_PENDING' }
  const fields: Record<string, string> = {
    cf_subReferenceId: subscription.cfSubscriptionId,
    cf_subscriptionId: subscription.subscriptionId,
    cf_authAmount: ((auth?.amountPaise ?? subscription.authAmountPaise) / 100).toFixed(2),
    cf_referenceId: auth?.cfPaymentId ?? '',
    cf_status: subscription.status,
    cf_message: MESSAGES[step],
    cf_checkoutStatus: checkoutStatus[subscription.status] ?? 'FAILED',
    cf_mode: 'SBC_UPI',
    cf_subscriptionPaymentId: auth?.paymentId ?? '',
    cf_umn: subscription.umn ?? '',
  }
  const told = Object.keys(fields)
    .toSorted()
    .map((name) => `${name}${fields[name]}`)
    .join('')
  return { ...fields, signature: createHmac('sha256', parts.keys.clientSecret).update(told).digest('base64') }
}
