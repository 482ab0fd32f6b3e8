/** Renders the hosted page of a mandate, and the form that takes the payer back to the shop. */
import { createHash } from 'node:crypto'
import { indianTime } from '../clock.ts'
import { escapeHtml, page, printedAmount } from '../page.ts'
import type { PageStep } from './mandates.ts'
import type { Subscription } from './model.ts'

const CHOICES: readonly (readonly [step: PageStep, label: string, hint: string])[] = [
  ['approve', 'Approve', 'You approve the mandate with your UPI PIN. The first payment is taken.'],
  ['bank_pending', 'Keep pending', 'Your bank has not decided yet. Open this page again to decide.'],
  ['decline', 'Decline', 'Your bank declines the first payment. The mandate can be tried again.'],
  ['leave', 'Leave', 'You go back without an answer.'],
]

const day = (instantMs: number): string => indianTime(instantMs).slice(0, 10)

const summary = (subscription: Subscription): string => `<p class="sum">${escapeHtml(printedAmount(subscription.authAmountPaise))}</p>
<dl>
<div><dt>Now</dt><dd>${escapeHtml(printedAmount(subscription.authAmountPaise))}</dd></div>
<div><dt>Later, as presented</dt><dd>up to ${escapeHtml(printedAmount(subscription.plan.maxAmountPaise))}</dd></div>
<div><dt>For</dt><dd>${escapeHtml(subscription.tags.psp_note ?? subscription.plan.name)}</dd></div>
<div><dt>Subscription</dt><dd>${escapeHtml(subscription.subscriptionId)}</dd></div>
<div><dt>Phone</dt><dd>${escapeHtml(`••••••${subscription.customer.phone.slice(-4)}`)}</dd></div>
<div><dt>Valid until</dt><dd>${escapeHtml(day(subscription.expiresAtMs))}</dd></div>
</dl>`

export function mandatePage(subscription: Subscription): string {
  const isPending = subscription.status === 'BANK_APPROVAL_PENDING'
  const choices = CHOICES.map(
    ([step, label, hint]) =>
      `<li><button${step === 'approve' ? ' class="go"' : ''} name="outcome" value="${step}" aria-describedby="${step}">${label}</button>
<p id="${step}">${hint}</p></li>`,
  ).join('\n')
  const lead = isPending
    ? '<p class="note" role="status">This mandate is pending with the bank. Choose how it ends.</p>'
    : '<p>Choose what you and your bank should answer.</p>'
  return page(
    isPending ? 'Mandate pending' : 'Demo mandate',
    `${lead}
${summary(subscription)}
<form method="post" action="/pg/view/subscriptions/outcome">
<input type="hidden" name="subscription_session_id" value="${escapeHtml(subscription.sessionId)}">
<ul>
${choices}
</ul>
</form>`,
  )
}

const ENDINGS: Readonly<Record<string, readonly [title: string, words: string]>> = {
  INITIALIZED: ['Outcome recorded', 'You can close this page.'],
  BANK_APPROVAL_PENDING: ['Mandate pending', 'Your bank has not decided yet.'],
  ACTIVE: ['Mandate active', 'This mandate is approved. Nothing more is to be done here.'],
}

export function mandateEndPage(subscription: Subscription): string {
  const [title, words] = ENDINGS[subscription.status] ?? ['Mandate closed', 'This mandate is no longer open.']
  return page(title, `<p role="status">${words}</p>\n${summary(subscription)}`)
}

const RETURN_SCRIPT = 'document.forms[0].submit()'
export const RETURN_SCRIPT_HASH = `'sha256-${createHash('sha256').update(RETURN_SCRIPT).digest('base64')}'`

/** The browser posts the outcome to the shop by itself, or by the button if it runs no scripts. */
export function returnPage(returnUrl: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  return page(
    'Back to the shop',
    `<form method="post" action="${escapeHtml(returnUrl)}">
${inputs.join('\n')}
<button class="go">Return to the shop</button>
</form>
<script>${RETURN_SCRIPT}</script>`,
  )
}
