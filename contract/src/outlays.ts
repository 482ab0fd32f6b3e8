/** Calls of payments by decision: disbursements from the help fund, entries of the house's own accounts, settlements of the gateway. */
import { rupeeAmount } from '@roz/core/fields.ts'
import { purpose, RECEIPTS_MAX } from '@roz/core/help-fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { bankReference } from '@roz/core/reference-fields.ts'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { knownBy, receipt } from './help.ts'
import { HELPERS, READERS, STAFF, TREASURY } from './roles.ts'
import { day, instant, nextCursor, page, rupees } from './shapes.ts'

const person = z.object({ id: z.string(), name: z.string() })
const search = z.string().max(200).optional()
const id = z.object({ id: z.string().max(100) })

export const outlayState = z.enum(['requested', 'booked', 'rejected'], 'choice_invalid')
/** A payment by decision, as the portal shows it. */
const outlay = {
  id: z.string(),
  amount: rupees,
  purpose: z.string().meta({ description: 'Public words' }),
  status: outlayState,
  needsSecond: z.boolean().meta({ description: 'A second person must approve it, not the one who requested it' }),
  askedBy: person,
  askedAt: instant,
  decidedBy: person.nullable(),
  decidedAt: instant.nullable(),
  reason: z.string().nullable().meta({ description: 'Why it was rejected' }),
  receipts: z.array(receipt).meta({ description: 'In the order of their pages' }),
}
const part = z.object({ day, amount: rupees })
export const disbursement = z.object({
  ...outlay,
  kind: z
    .enum(['disbursement', 'disbursement_back'])
    .meta({ description: 'disbursement_back: the correction of a disbursement whose money came back' }),
  corrects: z.string().nullable(),
  beneficiary: z.object({ ...knownBy, isRevoked: z.boolean() }),
  days: z.array(part).meta({ description: 'The days whose help it took, or that got help back' }),
  returned: rupees.meta({ description: 'The amount of it that has come back' }),
  story: z
    .object({ id: z.string(), title: z.string(), state: z.enum(['draft', 'scheduled', 'published']) })
    .nullable()
    .meta({ description: 'The story that tells of it' }),
})
export const HOUSE_KINDS = ['platform_out', 'tds_remitted', 'losses_covered'] as const
const houseKind = z.enum(HOUSE_KINDS, 'choice_invalid')
export const houseEntry = z.object({
  ...outlay,
  purpose: z.string().meta({ description: 'Public words. For a settlement: its number at the gateway, shown to the team only' }),
  kind: z.enum([...HOUSE_KINDS, 'gateway_settled']),
  settlement: z.object({ day, fee: rupees }).nullable().meta({
    description: 'Only for gateway_settled: the day on which the gateway paid `amount` to our bank, and the fee with tax that it kept',
  }),
})

const reconciledDay = z.object({
  day: day.meta({ description: 'The day on which we booked it' }),
  captured: rupees.meta({ description: 'Payments that the gateway took for us, those in suspense included' }),
  refunded: rupees.meta({ description: 'Refunds that it paid, less those that came back' }),
  disputed: rupees.meta({ description: 'Disputed payments that it took back, less those that it returned' }),
  settled: rupees.meta({ description: 'Net amounts of its settlements' }),
  fee: rupees,
  owed: rupees.meta({ description: 'What it owes us at the end of the day' }),
})

const receipts = z
  .array(z.string('receipts_needed').regex(/^[0-9a-f]{64}$/, 'receipts_needed'), 'receipts_needed')
  .min(1, 'receipts_needed')
  .max(RECEIPTS_MAX, 'receipts_many')
const asked = { amount: rupeeAmount, purpose, receipts }
/** Every decision contains the state that the administrator saw; another state is refused with `changed_since_seen`. */
const seen = z.strictObject({ status: outlayState })
const reasoned = z.strictObject({ ...seen.shape, reason: decisionReason })
/** `to_approve`: waits for the person who asks, as their to-do list counts it. */
const outlayFilter = z.enum([...outlayState.options, 'to_approve'], 'choice_invalid')
const narrowing = { status: outlayFilter.optional(), q: search }
const filter = { ...page.shape, ...narrowing }
/** Help is also found by its story. */
export const helpState = z
  .enum([...outlayFilter.options, 'untold', 'storyless'], 'choice_invalid')
  .meta({ description: 'untold: booked help without a published story; storyless: without a published story or a draft' })
const helpNarrowing = { ...narrowing, status: helpState.optional() }
const APPROVAL_ABOVE =
  'Another person must approve it above APPROVAL_ABOVE (together with what the person decided alone in 24 hours), if an editor requested it, or if the person wrote the record of who is helped; otherwise it is booked at once.'

export const outlayCalls = {
  disbursements: endpoint({
    method: 'GET',
    path: '/admin/disbursements',
    access: 'admin',
    roles: STAFF,
    summary: 'Disbursements from the help fund and their corrections, newest first; q searches words and public name.',
    query: z.object({ ...page.shape, ...helpNarrowing }),
    output: z.object({
      disbursements: z.array(disbursement),
      fund: z.object({
        balance: rupees,
        requested: rupees.meta({ description: 'Requested and not decided yet' }),
        approvalAbove: rupees.meta({
          description: 'Above this a second person approves: APPROVAL_ABOVE less what the asking person decided alone in 24 hours',
        }),
      }),
      nextCursor,
    }),
    refusals: [],
  }),
  disbursementsCsv: endpoint({
    method: 'GET',
    path: '/admin/disbursements.csv',
    access: 'admin',
    roles: STAFF,
    summary: 'The list of disbursements as a table, with the same filters. The audit log records who fetched it.',
    query: z.object(helpNarrowing),
    output: 'csv',
    refusals: [],
  }),
  disbursementQuote: endpoint({
    method: 'GET',
    path: '/admin/disbursements/quote',
    access: 'admin',
    roles: STAFF,
    summary: 'The days whose open help an amount would take now, the oldest first.',
    query: z.object({
      amount: z
        .string('amount_invalid')
        .regex(/^\d+(\.\d{1,2})?$/, 'amount_invalid')
        .transform(Number)
        .pipe(rupeeAmount),
    }),
    output: z.object({ balance: rupees, days: z.array(part) }),
    refusals: ['insufficient_funds'],
  }),
  askDisbursement: endpoint({
    method: 'POST',
    path: '/admin/disbursements',
    access: 'admin',
    roles: HELPERS,
    stepUp: true,
    summary: `Requests a disbursement for a person whose consent is recorded. ${APPROVAL_ABOVE}`,
    body: z.strictObject({ ...asked, beneficiaryId: z.uuid('beneficiary_needed') }),
    output: z.object({ disbursement }),
    refusals: [
      'beneficiary_not_found',
      'consent_missing',
      'consent_revoked',
      'receipt_not_found',
      'receipt_used',
      'insufficient_funds',
      'idempotency_mismatch',
    ],
  }),
  approveDisbursement: endpoint({
    method: 'POST',
    path: '/admin/disbursements/{id}/approve',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: 'Approves and books a requested disbursement or correction; refused to the person who requested it.',
    params: id,
    body: seen,
    output: z.object({ disbursement }),
    refusals: [
      'outlay_not_found',
      'changed_since_seen',
      'outlay_final',
      'own_request',
      'own_consent',
      'own_money',
      'second_person_needed',
      'role_too_new',
      'beneficiary_not_found',
      'disbursement_not_found',
      'consent_missing',
      'consent_revoked',
      'purpose_names_person',
      'receipt_used',
      'insufficient_funds',
      'correction_too_large',
      'idempotency_mismatch',
    ],
  }),
  rejectDisbursement: endpoint({
    method: 'POST',
    path: '/admin/disbursements/{id}/reject',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: 'Rejects a requested disbursement with a reason; the money stays in the fund.',
    params: id,
    body: reasoned,
    output: z.object({ disbursement }),
    refusals: ['outlay_not_found', 'changed_since_seen', 'outlay_final', 'idempotency_mismatch'],
  }),
  correctDisbursement: endpoint({
    method: 'POST',
    path: '/admin/disbursements/{id}/correct',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: `Corrects a booked disbursement by a separate entry: money of it came back. ${APPROVAL_ABOVE}`,
    params: id,
    body: z.strictObject(asked),
    output: z.object({ disbursement }),
    refusals: ['disbursement_not_found', 'receipt_not_found', 'receipt_used', 'correction_too_large', 'idempotency_mismatch'],
  }),
  houseEntries: endpoint({
    method: 'GET',
    path: '/admin/house-entries',
    access: 'admin',
    roles: READERS,
    summary: 'Entries of the platform’s own accounts and settlements of the gateway, newest first; q searches the words.',
    query: z.object(filter),
    output: z.object({
      entries: z.array(houseEntry),
      payable: z.record(houseKind, rupees).meta({ description: 'The most that each kind of entry can take today' }),
      approvalAbove: rupees,
      nextCursor,
    }),
    refusals: [],
  }),
  houseEntriesCsv: endpoint({
    method: 'GET',
    path: '/admin/house-entries.csv',
    access: 'admin',
    roles: READERS,
    summary: 'The list of house entries as a table, with the same filters. The audit log records who fetched it.',
    query: z.object(narrowing),
    output: 'csv',
    refusals: [],
  }),
  askHouseEntry: endpoint({
    method: 'POST',
    path: '/admin/house-entries',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: `Requests an entry: the platform’s share paid out, tax remitted, or losses covered from the share. ${APPROVAL_ABOVE}`,
    body: z.strictObject({ ...asked, kind: houseKind }),
    output: z.object({ entry: houseEntry }),
    refusals: ['receipt_not_found', 'receipt_used', 'insufficient_funds', 'idempotency_mismatch'],
  }),
  askSettlement: endpoint({
    method: 'POST',
    path: '/admin/settlements',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: `Records a settlement of the gateway: the net amount that reached the bank, and the fee. Its report stays private. ${APPROVAL_ABOVE}`,
    body: z.strictObject({ reference: bankReference, day, amount: rupeeAmount, fee: rupeeAmount, receipts }),
    output: z.object({ entry: houseEntry }),
    refusals: ['receipt_not_found', 'receipt_used', 'settlement_known', 'settlement_exceeds_owed', 'idempotency_mismatch'],
  }),
  approveHouseEntry: endpoint({
    method: 'POST',
    path: '/admin/house-entries/{id}/approve',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: 'Approves and books a requested entry; refused to the person who requested it.',
    params: id,
    body: seen,
    output: z.object({ entry: houseEntry }),
    refusals: [
      'outlay_not_found',
      'changed_since_seen',
      'outlay_final',
      'own_request',
      'own_consent',
      'own_money',
      'second_person_needed',
      'role_too_new',
      'receipt_used',
      'insufficient_funds',
      'settlement_known',
      'settlement_exceeds_owed',
      'idempotency_mismatch',
    ],
  }),
  rejectHouseEntry: endpoint({
    method: 'POST',
    path: '/admin/house-entries/{id}/reject',
    access: 'admin',
    roles: TREASURY,
    stepUp: true,
    summary: 'Rejects a requested entry with a reason.',
    params: id,
    body: reasoned,
    output: z.object({ entry: houseEntry }),
    refusals: ['outlay_not_found', 'changed_since_seen', 'outlay_final', 'idempotency_mismatch'],
  }),
  reconciliation: endpoint({
    method: 'GET',
    path: '/admin/reconciliation',
    access: 'admin',
    roles: READERS,
    summary: 'The amounts that the gateway owes us and that our bank should have, and the changes of each day, newest first.',
    query: page,
    output: z.object({
      balances: z.object({
        gateway: rupees.meta({ description: 'What the gateway owes us; negative if we owe it' }),
        bank: rupees.meta({ description: 'What our bank account should hold of this money' }),
        fees: rupees.meta({ description: 'Fees with tax that the gateway has kept so far' }),
        payoutsPending: rupees,
        refundsPending: rupees,
        suspense: rupees,
      }),
      reconciliation: z.array(reconciledDay),
      approvalAbove: rupees,
      nextCursor,
    }),
    refusals: [],
  }),
  reconciliationCsv: endpoint({
    method: 'GET',
    path: '/admin/reconciliation.csv',
    access: 'admin',
    roles: READERS,
    summary: 'The days of the reconciliation as a table. The audit log records who fetched it.',
    output: 'csv',
    refusals: [],
  }),
} as const
