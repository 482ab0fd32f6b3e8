/** Calls of disbursements: payments from the help fund, and their corrections. */
import { ARRIVAL_WAYS, arrivalCode } from '@roz/core/arrival-fields.ts'
import { rupeeAmount } from '@roz/core/fields.ts'
import { followUpWords } from '@roz/core/follow-up-fields.ts'
import { publicName } from '@roz/core/help-fields.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall, tableCall } from './endpoint.ts'
import { knownBy, uploaded } from './help.ts'
import {
  APPROVAL_ABOVE,
  APPROVAL_REFUSALS,
  asked,
  narrowing,
  outlay,
  outlayFilter,
  outlayId,
  reasoned,
  seenOutlay,
  translations,
} from './outlays.ts'
import { EDITORS, HELPERS, STAFF, TREASURY } from './roles.ts'
import { count, day, instant, newer, nextCursor, page, rupees } from './shapes.ts'

const language = z.enum(LANGUAGES, 'choice_invalid')
const part = z.object({ day, amount: rupees })
const disbursement = z.object({
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
  followUps: newer(
    z
      .array(
        z.object({
          id: z.string(),
          weeks: count,
          language: z.string(),
          words: z.string(),
          retoldBy: z.string().nullable().meta({ description: 'null: word for word' }),
          withheld: z.string().nullable().meta({ description: 'Why the public does not see it' }),
          hasPicture: z.boolean(),
        }),
      )
      .meta({ description: 'What the person said weeks after it arrived' }),
    { absent: [] },
  ),
  followUpDue: count.nullable().meta({ description: 'The weeks of the follow-up that is due' }),
  arrival: z
    .object({
      received: z.boolean(),
      how: z.enum(ARRIVAL_WAYS),
      on: day,
      reason: z.string().nullable().meta({ description: 'Why it did not arrive' }),
      paper: z.string().nullable().meta({ description: 'SHA-256 of the signed paper, which only the team sees' }),
      by: z.string(),
      at: instant,
    })
    .nullable()
    .meta({ description: 'The newest record of its arrival' }),
})
/** Help is also found by its story. */
export const helpState = z
  .enum(
    [...outlayFilter.options, 'untold', 'storyless', 'unconfirmed', 'not_received', 'follow_up_due', 'lacks_language'],
    'choice_invalid',
  )
  .meta({
    description:
      'untold: booked help without a published story; storyless: without a published story or a draft; unconfirmed: not confirmed as received in seven days; lacks_language: booked in the last 30 days, with words that a language lacks',
  })
const helpNarrowing = { ...narrowing, status: helpState.optional() }

/** The record of an arrival of help. */
export const arrivalFields = {
  received: z.boolean('wrong_type'),
  on: z.string('arrival_day').regex(/^\d{4}-\d{2}-\d{2}$/, 'arrival_day'),
  code: z.optional(arrivalCode).meta({ description: 'With how code: the digits that the receiver told' }),
  reason: z.optional(decisionReason).meta({ description: 'Needed where it was not received' }),
}
/** A follow-up, weeks later: the helped person's words, and a picture. */
export const followUpFields = {
  language,
  words: followUpWords,
  translation: z.strictObject({ language, words: followUpWords }).optional(),
  retoldBy: z.optional(publicName).meta({ description: 'Who retold it; without it the words are word for word' }),
  picture: z
    .strictObject({
      hash: z.string('wrong_type').regex(/^[0-9a-f]{64}$/, 'wrong_type'),
      agreed: z
        .literal(true, 'picture_agreed')
        .meta({ description: 'The person has seen the picture and agrees; for a child, the guardian' }),
    })
    .optional()
    .meta({ description: 'An uploaded picture of this payment' }),
}
/** An upload of a follow-up's picture, with its refusals. */
export const pictureUpload = {
  ...uploaded,
  output: z.object({ hash: z.string().meta({ description: 'SHA-256 of the stored picture' }), width: count, height: count }),
  refusals: ['picture_not_picture', ...uploaded.refusals, 'follow_up_consent', 'follow_up_not_due', 'own_arrival', 'follow_up_picture'],
} as const

/** Shared by the calls that change a disbursement or add to it. */
const change = {
  stepUp: true,
  params: outlayId,
  output: z.object({ disbursement }),
} as const

export const disbursementCalls = {
  disbursements: staffCall('GET /admin/disbursements', {
    roles: STAFF,
    summary: 'Disbursements from the help fund and their corrections, newest first; q searches words in every language and public name.',
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
  disbursementsCsv: tableCall('/admin/disbursements.csv', 'The list of disbursements', { roles: STAFF, query: z.object(helpNarrowing) }),
  disbursementQuote: staffCall('GET /admin/disbursements/quote', {
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
  askDisbursement: staffCall('POST /admin/disbursements', {
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
      'case_checks',
      'consent_missing',
      'consent_revoked',
      'receipt_not_found',
      'receipt_used',
      'insufficient_funds',
      'idempotency_mismatch',
    ],
  }),
  approveDisbursement: staffCall('POST /admin/disbursements/{id}/approve', {
    ...change,
    roles: TREASURY,
    summary: 'Approves and books a requested disbursement or correction; refused to the person who requested it.',
    body: seenOutlay,
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
  rejectDisbursement: staffCall('POST /admin/disbursements/{id}/reject', {
    ...change,
    roles: TREASURY,
    summary: 'Rejects a requested disbursement with a reason; the money stays in the fund.',
    body: reasoned,
    refusals: ['outlay_not_found', 'changed_since_seen', 'outlay_final', 'idempotency_mismatch'],
  }),
  correctDisbursement: staffCall('POST /admin/disbursements/{id}/correct', {
    ...change,
    roles: TREASURY,
    summary: `Corrects a booked disbursement by a separate entry: money of it came back. ${APPROVAL_ABOVE}`,
    body: z.strictObject(asked),
    refusals: ['disbursement_not_found', 'receipt_not_found', 'receipt_used', 'correction_too_large', 'idempotency_mismatch'],
  }),
  translateDisbursement: staffCall('POST /admin/disbursements/{id}/translations', {
    ...change,
    roles: HELPERS,
    summary:
      'Adds the public words of a disbursement or correction in other languages, or changes them, until it is rejected. Nothing else of it changes.',
    body: z.strictObject({ ...seenOutlay.shape, translations }),
    refusals: ['outlay_not_found', 'changed_since_seen', 'outlay_final', 'idempotency_mismatch'],
  }),
  recordArrival: staffCall('POST /admin/disbursements/{id}/arrival', {
    ...change,
    roles: HELPERS,
    summary:
      'Records that booked help was received, or was not. Nobody confirms what they requested or approved, nor the writer of the record while somebody else can. The owners are told of help that did not arrive.',
    body: z.strictObject({
      ...seenOutlay.shape,
      ...arrivalFields,
      how: z.enum(ARRIVAL_WAYS, 'choice_invalid'),
      paper: z
        .string('arrival_paper')
        .regex(/^[0-9a-f]{64}$/, 'arrival_paper')
        .optional()
        .meta({ description: 'With how papers: SHA-256 of an uploaded picture' }),
    }),
    refusals: [
      'disbursement_not_found',
      'changed_since_seen',
      'outlay_final',
      'own_arrival',
      'arrival_recorded',
      'receipt_not_found',
      'receipt_used',
      'too_many_requests',
      'idempotency_mismatch',
    ],
  }),
  recordFollowUp: staffCall('POST /admin/disbursements/{id}/follow-ups', {
    ...change,
    roles: HELPERS,
    summary:
      'Records what a helped person says 2, 4 or 12 weeks after the help arrived, whichever is due, with the consent to be asked again. The story shows it.',
    body: z.strictObject(followUpFields),
    refusals: ['disbursement_not_found', 'follow_up_consent', 'follow_up_not_due', 'own_arrival', 'follow_up_picture'],
  }),
  uploadFollowUpPicture: staffCall('POST /admin/disbursements/{id}/picture', {
    ...pictureUpload,
    roles: HELPERS,
    summary:
      'Stores the picture of the follow-up that is due, as WebP without its metadata. Public once a follow-up names it; else deleted after a day.',
    params: outlayId,
    refusals: [...pictureUpload.refusals, 'disbursement_not_found'],
  }),
  followUpPictureForTeam: staffCall('GET /admin/follow-ups/{id}/picture', {
    roles: STAFF,
    summary: 'The picture of a follow-up, also before its story is public.',
    params: outlayId,
    output: 'file',
    refusals: ['not_found'],
  }),
  followUpPicture: endpoint('GET /follow-ups/{id}/pictures/{hash}', {
    access: 'visitor',
    summary: 'The picture of a follow-up of a published story. Not found once it is withheld, or the consent ended.',
    params: z.object({ id: z.string().max(100), hash: z.string().max(100) }),
    output: 'file',
    refusals: ['not_found'],
  }),
  withholdFollowUp: staffCall('POST /admin/follow-ups/{id}/withhold', {
    ...change,
    roles: EDITORS,
    summary: 'Withholds a follow-up that tells personal data, for good, with a reason for the staff log. Its picture is deleted.',
    body: z.strictObject({ reason: decisionReason }),
    refusals: ['follow_up_not_found', 'follow_up_withheld', 'own_payment'],
  }),
  arrivalCode: staffCall('POST /admin/disbursements/{id}/arrival-code', {
    roles: HELPERS,
    stepUp: true,
    summary: 'Shows the payer the four digits to hand over with the help. The receiver tells them to somebody else.',
    params: outlayId,
    output: z.object({ code: z.string() }),
    refusals: ['disbursement_not_found', 'arrival_payer', 'arrival_recorded'],
  }),
} as const
