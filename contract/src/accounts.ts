/** Calls of our accounts: platform entries, settlements of the gateway, reconciliation. */
import { rupeeAmount } from '@roz/core/fields.ts'
import { bankReference } from '@roz/core/reference-fields.ts'
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { APPROVAL_ABOVE, APPROVAL_REFUSALS, asked, narrowing, outlay, outlayId, reasoned, receipts, seenOutlay } from './outlays.ts'
import { READERS, TREASURY } from './roles.ts'
import { count, day, instant, newer, nextCursor, page, rupees } from './shapes.ts'

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
  captured: rupees.meta({
    description: 'Payments that the gateway took for us, or bank transfers that were confirmed; those in suspense included',
  }),
  refunded: rupees.meta({ description: 'Refunds that it paid, less those that came back' }),
  disputed: rupees.meta({ description: 'Disputed payments that it took back, less those that it returned' }),
  settled: rupees.meta({ description: 'What reached our bank: net amounts of its settlements, and bank transfers' }),
  fee: rupees,
  owed: rupees.meta({ description: 'What it owes us at the end of the day. A bank transfer is owed by nobody' }),
})

/** Whether our books had what gateway and bank say, when it was last compared. */
export const moneyCheck = z.object({
  readAt: instant.nullable().meta({ description: 'When the gateway was last read; null: never' }),
  isLate: z.boolean().meta({ description: 'Nothing was read this morning' }),
  open: count.meta({ description: 'Open findings about the gateway' }),
  difference: rupees.meta({ description: 'What they come to' }),
  toRecord: count.meta({ description: 'Settlements that wait to be recorded' }),
})

const explanation = z.object({
  part: z.enum(['opening', 'lines', 'entries', 'other_day', 'unexplained']).meta({
    description:
      'opening: the first balance of an account. lines: lines without an entry. entries: entries without a line. ' +
      'other_day: bank and books have it on different days. unexplained: the next comparison looks for it',
  }),
  amount: rupees.meta({ description: 'By how much more than our books this makes the bank' }),
  count,
})
/** Bank and books at the end of one day. */
export const bankCheck = z.object({
  day: day.meta({ description: 'The last whole day that the statements of all accounts have' }),
  isLate: z.boolean().meta({ description: 'The statements end more than three bank days ago' }),
  bank: rupees.meta({ description: 'What the bank had' }),
  books: rupees.meta({ description: 'What the account BANK of our books had' }),
  difference: rupees,
  unsettled: rupees.meta({ description: 'The difference without what findings explain that somebody closed' }),
  open: count.meta({ description: 'Findings that nobody closed, also where their sums cancel each other out' }),
  explained: z.array(explanation),
})

export const accountCalls = {
  houseEntries: staffCall('GET /admin/house-entries', {
    roles: READERS,
    summary: 'Entries of the platform’s own accounts and settlements of the gateway, newest first; q searches the words.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({
      entries: z.array(houseEntry),
      payable: z.record(houseKind, rupees).meta({ description: 'The most that each kind of entry can take today' }),
      approvalAbove: rupees,
      nextCursor,
    }),
    refusals: [],
  }),
  houseEntriesCsv: tableCall('/admin/house-entries.csv', 'The list of house entries', { roles: READERS, query: z.object(narrowing) }),
  askHouseEntry: staffCall('POST /admin/house-entries', {
    roles: TREASURY,
    stepUp: true,
    summary: `Requests an entry: the platform’s share paid out, tax remitted, or losses covered from the share. ${APPROVAL_ABOVE}`,
    body: z.strictObject({ ...asked, kind: houseKind }),
    output: z.object({ entry: houseEntry }),
    refusals: ['receipt_not_found', 'receipt_used', 'insufficient_funds', 'idempotency_mismatch'],
  }),
  askSettlement: staffCall('POST /admin/settlements', {
    roles: TREASURY,
    stepUp: true,
    summary: `Records a settlement of the gateway: the net amount that reached the bank, and the fee. Its report stays private. ${APPROVAL_ABOVE}`,
    body: z.strictObject({ reference: bankReference, day, amount: rupeeAmount, fee: rupeeAmount, receipts }),
    output: z.object({ entry: houseEntry }),
    refusals: ['receipt_not_found', 'receipt_used', 'settlement_known', 'settlement_exceeds_owed', 'idempotency_mismatch'],
  }),
  approveHouseEntry: staffCall('POST /admin/house-entries/{id}/approve', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Approves and books a requested entry; refused to the person who requested it.',
    params: outlayId,
    body: seenOutlay,
    output: z.object({ entry: houseEntry }),
    refusals: [
      ...APPROVAL_REFUSALS,
      'receipt_used',
      'insufficient_funds',
      'settlement_known',
      'settlement_exceeds_owed',
      'idempotency_mismatch',
    ],
  }),
  rejectHouseEntry: staffCall('POST /admin/house-entries/{id}/reject', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Rejects a requested entry with a reason.',
    params: outlayId,
    body: reasoned,
    output: z.object({ entry: houseEntry }),
    refusals: ['outlay_not_found', 'changed_since_seen', 'outlay_final', 'idempotency_mismatch'],
  }),
  reconciliation: staffCall('GET /admin/reconciliation', {
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
      check: newer(moneyCheck, { absent: { readAt: null, isLate: false, open: 0, difference: 0, toRecord: 0 } }),
      bankCheck: bankCheck.nullable().meta({ description: 'null: no statement of the bank was imported' }),
      approvalAbove: rupees,
      nextCursor,
    }),
    refusals: [],
  }),
  reconciliationCsv: tableCall('/admin/reconciliation.csv', 'The days of the reconciliation', { roles: READERS }),
} as const
