/** Renders the overview page: the newest records of each kind, with a button for each allowed step. */
import { indianTime } from './clock.ts'
import { EDGES, type Edge } from './faults.ts'
import { escapeHtml, page, printedAmount } from './page.ts'

export type Row = {
  readonly kind: 'order' | 'refund' | 'subscription' | 'charge' | 'settlement' | 'transfer'
  readonly id: string
  readonly amountPaise: number
  readonly status: string
  readonly atMs: number
  /** Value and label of each button. */
  readonly steps: readonly (readonly [step: string, label: string])[]
}

export type Overview = {
  readonly orders: readonly Row[]
  readonly refunds: readonly Row[]
  readonly mandates: readonly Row[]
  readonly charges: readonly Row[]
  readonly settlements: readonly Row[]
  readonly transfers: readonly Row[]
  readonly edge: Edge
}

export const overviewPage = ({ orders, refunds, mandates, charges, settlements, transfers, edge }: Overview, token: string): string =>
  page(
    'Demo payment gateway',
    `<p>You play the payer and the bank here. Nothing moves until you press a button.</p>
${section('Orders', 'No order yet.', orders, token)}
${section('Refunds', 'No refund yet.', refunds, token)}
${section('Mandates', 'No mandate yet.', mandates, token)}
${section('Payments of mandates', 'No payment of a mandate yet.', charges, token)}
${section('Settlements', 'No settlement yet.', settlements, token)}
<form method="post" action="/press">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="hidden" name="kind" value="settle">
<input type="hidden" name="id" value="">
<button name="step" value="SUCCESS">Settle what is open</button>
</form>
${section('Transfers', 'No transfer yet.', transfers, token)}
${edgeForm(edge, token)}`,
    true,
  )

/** Chooses who answers the shop's calls. */
const edgeForm = (edge: Edge, token: string): string =>
  `<h2>Fake edge</h2>
<form method="post" action="/press">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="hidden" name="kind" value="edge">
<input type="hidden" name="id" value="">
<label>Answers in the gateway’s place: <select name="step">
${EDGES.map((one) => `<option${one === edge ? ' selected' : ''}>${one}</option>`).join('\n')}
</select></label>
<button>Switch</button>
</form>`

const section = (title: string, empty: string, rows: readonly Row[], token: string): string =>
  `<h2>${title}</h2>
${rows.length === 0 ? `<p>${empty}</p>` : `<ul class="rows">\n${rows.map((row) => item(row, token)).join('\n')}\n</ul>`}`

function item(row: Row, token: string): string {
  const about = `${row.kind}-${escapeHtml(row.id)}`
  return `<li>
<p class="line" id="${about}"><strong>${escapeHtml(printedAmount(row.amountPaise))}</strong> <span>${escapeHtml(row.status)}</span> <span>${escapeHtml(indianTime(row.atMs).replace('T', ' ').slice(0, 16))} IST</span></p>
<p class="id">${escapeHtml(row.id)}</p>
${row.steps.length === 0 ? '' : buttons(row, about, token)}</li>`
}

const buttons = (row: Row, about: string, token: string): string =>
  `<form method="post" action="/press">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<input type="hidden" name="kind" value="${row.kind}">
<input type="hidden" name="id" value="${escapeHtml(row.id)}">
${row.steps.map(([step, label]) => `<button name="step" value="${escapeHtml(step)}" aria-describedby="${about}">${escapeHtml(label)}</button>`).join('\n')}
</form>
`
