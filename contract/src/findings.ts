/** Calls of what the gateway settled, as it was read, and of what does not fit between our books, the gateway and the bank. */
import { FINDING_KINDS, FINDING_MEANING } from '@roz/core/findings.ts'
import { rupeeAmount } from '@roz/core/fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { houseEntry } from './accounts.ts'
import { staffCall } from './endpoint.ts'
import { APPROVAL_ABOVE } from './outlays.ts'
import { READERS, TREASURY } from './roles.ts'
import { count, day, instant, newer, nextCursor, page, rupees, seen } from './shapes.ts'

const settlementState = z
  .enum(['reading', 'to_record', 'requested', 'recorded', 'covered', 'pending', 'failed', 'came_back', 'unknown'])
  .meta({
    description:
      'reading: its events are still read. to_record: it waits for a person. covered: it pays again what came back after it was recorded. ' +
      'came_back: it was recorded, and the money went back to the gateway. unknown: the gateway used another word',
  })
export const gatewaySettlement = z.object({
  id: z.string().meta({ description: "The gateway's number" }),
  utr: z.string().nullable().meta({ description: "The bank's number of the transfer" }),
  state: settlementState,
  status: z.string().meta({ description: "The gateway's own word" }),
  day: day.meta({ description: 'The day on which the gateway paid it, or on which we read it' }),
  paid: rupees.meta({ description: 'What reached the bank, as the gateway says' }),
  kept: rupees.meta({ description: 'Charges and taxes that the gateway kept' }),
  amount: rupees.meta({ description: 'The net amount to record: `paid`, less what came back of earlier settlements' }),
  fee: rupees.meta({ description: 'The fee to record' }),
  events: count,
  findings: count.meta({ description: 'Open findings of it' }),
})

const findingState = z.enum(['open', 'awaiting_second', 'closed', 'ended'], 'choice_invalid')
export const finding = z.object({
  id: z.string(),
  kind: z.enum(FINDING_KINDS).meta({
    description: Object.entries(FINDING_MEANING)
      .map(([kind, meaning]) => `${kind}: ${meaning}`)
      .join('. '),
  }),
  subject: z
    .string()
    .meta({ description: 'What it is about: an entry, a settlement, the place of an event in one, or a line of the bank' }),
  settlement: z.string().nullable(),
  amount: rupees.meta({ description: 'By how much more than our books was paid; below zero: less' }),
  detail: z.string().nullable(),
  status: findingState.meta({ description: 'ended: it fits by now' }),
  day: newer(day.nullable().meta({ description: 'The day of its settlement; null without one' }), { absent: null }),
  foundAt: instant,
  endedAt: instant.nullable(),
  closedBy: z.string().nullable().meta({ description: 'The person who closed it, or who wants to' }),
  reason: z.string().nullable(),
  seen: z.string().meta({ description: 'A fingerprint of amount and detail; a decision may name it' }),
})

const one = z.object({ id: z.string().min(1).max(100) })

export const findingCalls = {
  gatewaySettlements: staffCall('GET /admin/gateway-settlements', {
    roles: READERS,
    summary: 'The settlements that the gateway reported, newest first: what waits to be recorded, and what became of the others.',
    query: z.object({ ...page.shape, status: z.enum(['to_record'], 'choice_invalid').optional() }),
    output: z.object({ settlements: z.array(gatewaySettlement), nextCursor }),
    refusals: [],
  }),
  gatewaySettlement: staffCall('GET /admin/gateway-settlements/{id}', {
    roles: READERS,
    summary: 'The report of a settlement as JSON: what the gateway said of it and of each event, without the payers.',
    params: one,
    output: z.object({ settlement: gatewaySettlement, report: z.string().nullable() }),
    refusals: ['settlement_not_found'],
  }),
  recordSettlement: staffCall('POST /admin/gateway-settlements/{id}/record', {
    roles: TREASURY,
    stepUp: true,
    summary: `Records a settlement as the gateway reported it; the report is its evidence. The body has the amounts that the person saw. ${APPROVAL_ABOVE}`,
    params: one,
    body: z.strictObject({ amount: rupeeAmount, fee: rupeeAmount }),
    output: z.object({ entry: houseEntry }),
    refusals: [
      'settlement_not_found',
      'changed_since_seen',
      'receipt_not_found',
      'receipt_used',
      'settlement_known',
      'settlement_exceeds_owed',
      'idempotency_mismatch',
    ],
  }),
  findings: staffCall('GET /admin/findings', {
    roles: READERS,
    summary: 'What does not fit between our books, the gateway and the bank, newest first. By default what is open.',
    query: z.object({ ...page.shape, status: z.enum(['open', 'past'], 'choice_invalid').default('open') }),
    output: z.object({ findings: z.array(finding), nextCursor }),
    refusals: [],
  }),
  closeFinding: staffCall('POST /admin/findings/{id}/close', {
    roles: TREASURY,
    stepUp: true,
    summary:
      'Closes a finding with a reason; no money moves. Another person must close it too above APPROVAL_ABOVE (together with what the person decided alone in 24 hours).',
    params: one,
    body: z.strictObject({ status: findingState, seen, reason: decisionReason }),
    output: z.object({ finding }),
    refusals: [
      'finding_not_found',
      'finding_final',
      'changed_since_seen',
      'second_person_needed',
      'own_money',
      'role_too_new',
      'idempotency_mismatch',
    ],
  }),
} as const
