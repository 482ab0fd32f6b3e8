/** Calls of requests for help: the public form, its stage, and the team's desk. */
import { ARRIVAL_WAYS, CASE_ARRIVAL_WAYS } from '@roz/core/arrival-fields.ts'
import {
  askedCase,
  CASE_FOR,
  CASE_KINDS,
  CASE_REASON_CODES,
  CASE_STAGES,
  CASE_STEPS,
  CASE_URGENCIES,
  CASE_WAYS,
  caseNote,
  STATES,
} from '@roz/core/case-fields.ts'
import { CASE_ORDER_MAX } from '@roz/core/case-order.ts'
import { rupeeAmount } from '@roz/core/fields.ts'
import { email, phone } from '@roz/core/person-fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { arrivalFields, followUpFields, pictureUpload } from './disbursements.ts'
import { endpoint, staffCall, tableCall } from './endpoint.ts'
import { beneficiaryFields } from './help.ts'
import { CASE_READERS, CASE_WORKERS, CASE_WITNESSES, HELPERS, STAFF } from './roles.ts'
import { count, day, instant, newer, nextCursor, page, rupees, seen as seenList } from './shapes.ts'

const number = z.string().meta({ description: 'The number of the request, such as 3F9A' })
const numbered = z.object({ number: z.string().max(20) })
const stage = z.enum(CASE_STAGES)
const reason = z.enum(CASE_REASON_CODES, 'case_reason')
const person = z.object({ id: z.string(), name: z.string() })
/** Every change contains the version that the person saw; another one is refused with `changed_since_seen`. */
const seen = { version: count }

/** A request in the desk's list: nothing that names a person. */
const listedCase = z.object({
  number,
  kind: z.enum(CASE_KINDS),
  for: z.enum(CASE_FOR),
  district: z.string(),
  state: z.string().meta({ description: 'The letters of its vehicle numbers, such as MH' }),
  asked: rupees.nullable().meta({ description: 'The amount that was asked for' }),
  agreed: rupees.nullable(),
  until: day.nullable(),
  stage,
  urgency: z.enum(CASE_URGENCIES).nullable().meta({ description: 'Set at a check' }),
  assignedTo: person.nullable(),
  beneficiaryId: z.string().nullable(),
  isUntouched: z.boolean().meta({ description: 'Open, and nobody did anything for three days' }),
  askedAt: instant,
  stageAt: instant,
  version: count,
  order: z
    .object({ day, of: count, place: count.nullable().meta({ description: 'null: the day has no draw yet' }) })
    .nullable()
    .meta({ description: 'The newest list of a day that has this request: its place in the order of that day' }),
})
const caseInFull = z.object({
  ...listedCase.shape,
  contact: z
    .object({ name: z.string(), phone: z.string(), email: z.string(), words: z.string(), knows: z.boolean() })
    .nullable()
    .meta({ description: 'null once it is deleted. The staff log names each reader' }),
  steps: z.array(
    z.object({
      step: z.enum([...CASE_STEPS, 'agreed', 'waiting', 'helped', 'received', 'not_received']),
      how: z.enum(ARRIVAL_WAYS).nullable(),
      note: z.string().nullable(),
      by: z.string().nullable().meta({ description: 'null: the person who asked' }),
      at: instant,
    }),
  ),
  help: z
    .object({
      paid: newer(rupees.nullable().meta({ description: 'May be another amount than the agreed one' }), { absent: null }),
      received: z.boolean().nullable().meta({ description: 'The newest answer about its arrival; null: none yet' }),
      followUpDue: count.nullable().meta({ description: 'The weeks of the follow-up that is due now' }),
      mayRecord: z.boolean().meta({ description: 'false: the caller checked, requested, approved or recorded the person' }),
    })
    .nullable()
    .meta({ description: 'The booked payment; null: none yet' }),
  isPayable: newer(z.boolean().meta({ description: 'Agreed, and no payment of it waits for a decision or is booked' }), { absent: true }),
  samePhone: z.array(number).meta({ description: 'Other requests from this phone number' }),
})
const caseAnswer = z.object({ case: caseInFull })

const narrowing = {
  status: z.enum([...CASE_STAGES, 'open', 'untouched', 'mine'], 'choice_invalid').optional(),
  state: z.enum(STATES, 'case_state').optional(),
  q: z.string().max(200).optional(),
}

/** Shared by the calls that change a request. */
const work = {
  stepUp: true,
  params: numbered,
  output: caseAnswer,
} as const

export const caseCalls = {
  askForHelp: endpoint('POST /ask-for-help', {
    access: 'visitor',
    summary:
      'Asks for help, for oneself or for somebody else. The answer is the number of the request; the same form from the same phone is the same request, and with a correction a new one.',
    body: z.strictObject({
      ...askedCase,
      amount: z.optional(askedCase.amount),
      until: z.optional(askedCase.until),
      email: z.optional(email),
      knows: z.literal('yes', 'wrong_type').optional().meta({ description: 'The person in need knows of the request' }),
    }),
    output: z.object({ number }),
    status: 201,
    refusals: ['too_many_requests'],
  }),
  askedHelp: endpoint('POST /ask-for-help/{number}', {
    access: 'visitor',
    summary: 'The stage of a request, for somebody who knows its number and phone number.',
    params: numbered,
    body: z.strictObject({ phone }),
    output: z.object({
      number,
      stage,
      askedAt: instant,
      reason: reason.nullable(),
      answer: z.string().nullable().meta({ description: 'Further words of the team with a refusal' }),
    }),
    refusals: ['case_not_found', 'too_many_requests'],
  }),
  withdrawAskedHelp: endpoint('POST /ask-for-help/{number}/withdraw', {
    access: 'visitor',
    summary:
      'Withdraws a request that is not agreed yet, for somebody who knows its number and phone number. Words, contact and notes are deleted at once; kind, place, stage, days and amounts stay.',
    params: numbered,
    body: z.strictObject({ phone }),
    output: z.object({ number }),
    refusals: ['case_not_found', 'case_too_late', 'too_many_requests'],
  }),
  helpCasesCsv: tableCall('/admin/help-cases.csv', 'The requests for help without words, contact and notes', {
    roles: STAFF,
    stepUp: true,
    query: z.object(narrowing),
  }),
  helpCases: staffCall('GET /admin/help-cases', {
    roles: CASE_READERS,
    summary:
      'Requests for help without names: the most urgent first, then the oldest; q searches number and district. A volunteer gets those assigned to them.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({
      cases: z.array(listedCase),
      team: z.array(person).meta({ description: 'Who can take care of a request' }),
      nextCursor,
    }),
    refusals: [],
  }),
  helpOrder: staffCall('GET /admin/help-order', {
    roles: HELPERS,
    summary: 'The requests whose order today’s draw can decide: agreed ones without a payment, and the list of today.',
    output: z.object({
      day: day.nullable().meta({ description: 'The day whose round is open; null: none takes joins now' }),
      numbers: z.array(number).meta({ description: 'The list of that day so far' }),
      agreed: z.array(listedCase).meta({ description: 'At most 100, the most urgent first, then the oldest' }),
      seen: newer(z.string().meta({ description: 'A fingerprint of numbers; the next list may name it' })),
    }),
    refusals: [],
  }),
  freezeHelpOrder: staffCall('PUT /admin/help-order/{day}', {
    roles: HELPERS,
    stepUp: true,
    summary: 'Let the day decide: its draw orders these agreed requests. The numbers are public at once, and final when the round closes.',
    params: z.object({ day: z.string().max(20) }),
    body: z.strictObject({ numbers: z.array(z.string().max(20)).max(CASE_ORDER_MAX), seen: seenList }),
    output: z.object({ day, numbers: z.array(number) }),
    refusals: ['round_closed', 'changed_since_seen', 'case_not_found', 'case_not_agreed', 'case_ordered'],
  }),
  helpCase: staffCall('GET /admin/help-cases/{number}', {
    roles: CASE_WORKERS,
    stepUp: true,
    summary: 'A request with its words, contact and history. The staff log names the reader.',
    params: numbered,
    output: caseAnswer,
    refusals: ['case_not_found'],
  }),
  assignHelpCase: staffCall('PUT /admin/help-cases/{number}', {
    roles: HELPERS,
    stepUp: true,
    summary: 'Says who takes care of a request, or nobody, and how urgent it is.',
    params: numbered,
    body: z.strictObject({
      assignedTo: z.string().max(20).nullable().optional(),
      urgency: z.enum(CASE_URGENCIES, 'choice_invalid').nullable().optional(),
      ...seen,
    }),
    output: caseAnswer,
    refusals: ['case_not_found', 'changed_since_seen', 'staff_not_found'],
  }),
  stepHelpCase: staffCall('POST /admin/help-cases/{number}/steps', {
    ...work,
    roles: CASE_WORKERS,
    summary: 'Records what was done: a call, a check, a follow-up, an attempt, or the end of a request. Support and volunteers end none.',
    body: z.strictObject({
      step: z.enum(CASE_STEPS, 'choice_invalid'),
      how: z.enum(CASE_WAYS, 'choice_invalid').nullable(),
      note: caseNote,
      urgency: z.enum(CASE_URGENCIES, 'choice_invalid').nullable().optional(),
      reason: reason.optional().meta({ description: 'Of a refusal: the person reads it' }),
      answer: z.optional(decisionReason),
      ...seen,
    }),
    refusals: ['case_not_found', 'case_stage', 'case_tries', 'changed_since_seen', 'forbidden'],
  }),
  arriveHelpCase: staffCall('POST /admin/help-cases/{number}/arrival', {
    ...work,
    roles: CASE_WITNESSES,
    summary:
      'Records that the help of a request was received, or was not. A volunteer confirms only requests that are assigned to them and that they did not check; nobody confirms what they requested or approved.',
    body: z.strictObject({ ...arrivalFields, how: z.enum(CASE_ARRIVAL_WAYS, 'choice_invalid'), ...seen }),
    refusals: ['case_not_found', 'changed_since_seen', 'case_stage', 'own_check', 'own_arrival', 'arrival_recorded', 'too_many_requests'],
  }),
  followUpHelpCase: staffCall('POST /admin/help-cases/{number}/follow-ups', {
    ...work,
    roles: CASE_WITNESSES,
    summary:
      'Records what the helped person of a request says 2, 4 or 12 weeks after the help arrived, whichever is due. The story shows it. Limits as for the arrival.',
    body: z.strictObject({ ...followUpFields, ...seen }),
    refusals: [
      'case_not_found',
      'changed_since_seen',
      'case_stage',
      'own_check',
      'own_arrival',
      'follow_up_consent',
      'follow_up_not_due',
      'follow_up_picture',
    ],
  }),
  uploadCaseFollowUpPicture: staffCall('POST /admin/help-cases/{number}/picture', {
    ...pictureUpload,
    roles: CASE_WITNESSES,
    summary: 'Stores the picture of the follow-up of a request that is due, as at its payment. Limits as for the follow-up.',
    params: numbered,
    refusals: [...pictureUpload.refusals, 'case_not_found', 'case_stage', 'own_check'],
  }),
  agreeHelpCase: staffCall('POST /admin/help-cases/{number}/agree', {
    ...work,
    roles: HELPERS,
    summary:
      'Agrees to help with an amount, and records the person with the consent. Above APPROVAL_ABOVE two different people must have checked.',
    body: z.strictObject({ amount: rupeeAmount, note: caseNote, beneficiary: z.strictObject(beneficiaryFields), ...seen }),
    refusals: ['case_not_found', 'case_stage', 'case_checks', 'consent_missing', 'changed_since_seen'],
  }),
} as const
