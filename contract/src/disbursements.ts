/** Calls of disbursements: payments from the help fund, and their corrections. */
import { rupeeAmount } from '@roz/core/fields.ts'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { knownBy } from './help.ts'
import { APPROVAL_ABOVE, APPROVAL_REFUSALS, asked, narrowing, outlay, outlayFilter, outlayId, reasoned, seenOutlay } from './outlays.ts'
import { HELPERS, STAFF, TREASURY } from './roles.ts'
import { day, nextCursor, page, rupees } from './shapes.ts'

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
/** Help is also found by its story. */
export const helpState = z
  .enum([...outlayFilter.options, 'untold', 'storyless'], 'choice_invalid')
  .meta({ description: 'untold: booked help without a published story; storyless: without a published story or a draft' })
const helpNarrowing = { ...narrowing, status: helpState.optional() }

export const disbursementCalls = {
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
    summary: 'The list of disbursements as a table, with the same filters. The staff log records who fetched it.',
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
    body: z.strictObject({
      ...asked,
      beneficiaryId: z.uuid('beneficiary_needed'),
      helpCase: z.string().max(20).optional().meta({ description: 'The number of the agreed request that this pays' }),
    }),
    output: z.object({ disbursement }),
    refusals: [
      'beneficiary_not_found',
      'case_not_found',
      'case_not_agreed',
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
    params: outlayId,
    body: seenOutlay,
    output: z.object({ disbursement }),
    refusals: [
      ...APPROVAL_REFUSALS,
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
    params: outlayId,
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
    params: outlayId,
    body: z.strictObject(asked),
    output: z.object({ disbursement }),
    refusals: ['disbursement_not_found', 'receipt_not_found', 'receipt_used', 'correction_too_large', 'idempotency_mismatch'],
  }),
} as const
