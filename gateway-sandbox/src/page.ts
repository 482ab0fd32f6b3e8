/**
 * Renders the hosted page as plain HTML: no script, one form, one button per outcome.
 *
 * - All input from outside is escaped.
 * - The style is one constant, so the content security policy can name its hash.
 */
import { createHash } from 'node:crypto'
import { indianTime } from './clock.ts'
import type { Order } from './model.ts'

const STYLE = `
:root{color-scheme:light dark;--bg:#eef1f6;--card:#fff;--ink:#16202e;--soft:#526070;--line:#d5dce6;--go:#0f5fcc;--on:#fff;--warn:#fff3cd;--warn-ink:#5c4300;--focus:#0b3d91}
@media (prefers-color-scheme:dark){:root{--bg:#10151c;--card:#1a212b;--ink:#eef2f7;--soft:#a9b6c6;--line:#364252;--go:#8ab8ff;--on:#0b1a30;--warn:#3d3010;--warn-ink:#ffe6a3;--focus:#cfe1ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
.demo{margin:0;padding:12px 16px;background:var(--warn);color:var(--warn-ink);text-align:center}
main{max-width:440px;margin:24px auto;padding:24px 20px;background:var(--card);border:1px solid var(--line);border-radius:8px}
h1{margin:0 0 4px;font-size:24px;line-height:1.25}
p{margin:0 0 16px}
.sum{margin:16px 0;font-size:40px;font-weight:650;line-height:1.1;font-variant-numeric:tabular-nums}
dl{margin:0 0 20px;border-top:1px solid var(--line)}
dl div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 16px;padding:8px 0;border-bottom:1px solid var(--line)}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.note{padding:12px;border-left:4px solid var(--go);background:var(--bg)}
ul{list-style:none;margin:0;padding:0;display:grid;gap:16px}
fieldset{display:flex;flex-wrap:wrap;gap:0 24px;margin:0 0 16px;padding:0;border:0}
legend{padding:0;color:var(--soft)}
fieldset label{display:flex;align-items:center;gap:8px;min-height:44px}
fieldset input{width:20px;height:20px;margin:0;accent-color:var(--go)}
li p{margin:4px 0 0;color:var(--soft);font-size:14px}
button,.b{display:flex;align-items:center;justify-content:center;width:100%;min-height:48px;padding:10px 16px;font:inherit;font-weight:650;text-decoration:none;color:var(--ink);background:transparent;border:1.5px solid var(--soft);border-radius:6px;cursor:pointer}
.go{background:var(--go);color:var(--on);border-color:var(--go)}
:focus-visible{outline:3px solid var(--focus);outline-offset:3px}
.wide{max-width:880px}
h2{margin:32px 0 8px;font-size:20px;line-height:1.25}
.rows{gap:0;border-top:1px solid var(--line)}
.rows>li{padding:12px 0;border-bottom:1px solid var(--line)}
.rows .line{display:flex;flex-wrap:wrap;gap:0 16px;margin:0;color:var(--ink);font-size:16px;font-variant-numeric:tabular-nums}
.rows .id{overflow-wrap:anywhere}
.rows form{display:flex;flex-wrap:wrap;gap:8px;margin-top:8px}
.rows button{width:auto;min-height:44px;font-weight:500}
@media (max-width:480px){main{margin:0;border:0;border-radius:0;min-height:80vh}}
`

const STYLE_HASH = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`

/** Forms may only target this host and the order's return origin: browsers apply `form-action` to redirects too. */
export function pagePolicy(returnUrl: string | null): string {
  const origin = returnUrl === null ? '' : ` ${new URL(returnUrl).origin}`
  return `default-src 'none'; style-src ${STYLE_HASH}; form-action 'self'${origin}; base-uri 'none'; frame-ancestors 'none'`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found)

const inr = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR', minimumFractionDigits: 2 })
export const printedAmount = (paise: number): string => inr.format(paise / 100)

export const page = (title: string, main: string, wide = false): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header class="demo"><strong>Demo payment gateway.</strong> No real money moves.</header>
<main${wide ? ' class="wide"' : ''}>
<h1>${escapeHtml(title)}</h1>
${main}
</main>
</body>
</html>
`

const CHOICES = [
  ['success', 'The bank accepts the payment.'],
  ['failed', 'The bank declines it. The order can be tried again.'],
  ['pending', 'The bank has not decided yet. Open this page again to decide.'],
  ['dropped', 'You leave without paying.'],
] as const

type Choice = (typeof CHOICES)[number][0]

/** The ways that the payer chooses from, in the words of `payment_methods`. */
export const waysToPay = ({ paymentMethods }: Order): readonly string[] => paymentMethods?.split(',') ?? ['upi', 'cc', 'dc']

const WAYS: Readonly<Record<string, string>> = { upi: 'UPI', cc: 'Credit card', dc: 'Debit card', nb: 'Net banking' }

function wayChoice(order: Order): string {
  const all = waysToPay(order)
  if (all.length === 1) return ''
  const first = all.includes('upi') ? 'upi' : all[0]
  const choice = (way: string): string =>
    `<label><input type="radio" name="way" value="${escapeHtml(way)}"${way === first ? ' checked' : ''}> ${escapeHtml(WAYS[way] ?? way)}</label>`
  return `<fieldset>\n<legend>Pay by</legend>\n${all.map(choice).join('\n')}\n</fieldset>\n`
}

const ways = ({ paymentMethods }: Order): string =>
  paymentMethods === null ? '' : `<div><dt>Ways to pay</dt><dd>${escapeHtml(paymentMethods.replaceAll(',', ', '))}</dd></div>\n`

function summary(order: Order): string {
  return `<p class="sum">${escapeHtml(printedAmount(order.amountPaise))}</p>
<dl>
<div><dt>Order</dt><dd>${escapeHtml(order.orderId)}</dd></div>
${ways(order)}<div><dt>Phone</dt><dd>${escapeHtml(`••••••${order.customer.phone.slice(-4)}`)}</dd></div>
<div><dt>Valid until</dt><dd>${escapeHtml(indianTime(order.expiresAtMs).replace('T', ' ').slice(0, 16))} IST</dd></div>
</dl>`
}

export function payPage(order: Order, pending: boolean): string {
  const labels: Record<Choice, string> = {
    success: `Pay ${printedAmount(order.amountPaise)}`,
    failed: 'Fail',
    pending: 'Keep pending',
    dropped: 'Cancel',
  }
  const choices = CHOICES.map(
    ([
      outcome,
      hint,
    ]) => `<li><button${outcome === 'success' ? ' class="go"' : ''} name="outcome" value="${outcome}" aria-describedby="${outcome}">${escapeHtml(labels[outcome])}</button>
<p id="${outcome}">${hint}</p></li>`,
  ).join('\n')
  const lead = pending
    ? '<p class="note" role="status">This payment is pending with the bank. Choose how it ends.</p>'
    : '<p>Choose what the bank should answer.</p>'
  return page(
    pending ? 'Payment pending' : 'Demo payment',
    `${lead}
${summary(order)}
<form method="post" action="/pg/view/sessions/outcome">
<input type="hidden" name="payment_session_id" value="${escapeHtml(order.sessionId)}">
${wayChoice(order)}<ul>
${choices}
</ul>
</form>`,
  )
}

const ENDINGS: Readonly<Record<Exclude<Order['status'], 'ACTIVE'>, readonly [string, string]>> = {
  PAID: ['Payment complete', 'This order is paid. Nothing more will be charged.'],
  EXPIRED: ['Order expired', 'The time to pay this order is over.'],
  TERMINATED: ['Order closed', 'The shop has closed this order.'],
  TERMINATION_REQUESTED: ['Order closed', 'The shop has closed this order.'],
}

export function endPage(order: Order): string {
  const [title, words] = order.status === 'ACTIVE' ? (['Outcome recorded', 'You can close this page.'] as const) : ENDINGS[order.status]
  const back = returnAddress(order)
  const link = back === null ? '' : `\n<a class="b go" href="${escapeHtml(back)}">Return to the shop</a>`
  return page(title, `<p role="status">${words}</p>\n${summary(order)}${link}`)
}

export const lostPage = (): string =>
  page('Payment link not valid', '<p>This payment link is wrong or incomplete. Go back to the shop and start again.</p>')

export const brokenPage = (): string => page('Something went wrong', '<p>The demo gateway could not do that. Go back and try again.</p>')

export const returnAddress = (order: Order): string | null => order.returnUrl?.replaceAll('{order_id}', order.orderId) ?? null
