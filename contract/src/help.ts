/** Calls of the help desk: beneficiaries and the pictures of bills. */
import { CONSENT_WAYS, GUARDIANS, privateNote, publicName } from '@roz/core/help-fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall, tableCall } from './endpoint.ts'
import { HELPERS, STAFF, TREASURY } from './roles.ts'
import { count, day, instant, nextCursor, page, rupees } from './shapes.ts'

/** The limits and refusals of every upload of a picture; a call adds its own refusals. */
export const uploaded = {
  upload: { field: 'file', bytesMax: 10 * 1024 * 1024, tooLarge: 'receipt_too_large' },
  status: 201,
  refusals: ['receipt_too_large', 'picture_heic', 'picture_pixels', 'invalid_input', 'unsupported_media_type', 'too_many_requests'],
} as const

const hash = z.string().meta({ description: 'SHA-256 of the published picture, 64 hex digits' })
const billPicture = z.object({ hash, width: count, height: count })
const withheld = z.object({
  reason: z.string(),
  by: z.string().meta({ description: 'The name of the person who withheld it' }),
  at: instant,
})
/** A bill of a payment, as the portal shows it. */
export const bill = z.object({
  ...billPicture.shape,
  withheld: withheld.nullable().meta({ description: 'If set, only staff can see the picture' }),
})
const id = z.object({ id: z.string().max(100) })

const beneficiaryState = z.enum(['waiting', 'consented', 'revoked'], 'choice_invalid')
/** Tells two beneficiaries of one public name apart. */
export const knownBy = {
  id: z.string(),
  publicName: z.string(),
  guardian: z.enum(GUARDIANS).nullable().meta({ description: 'Who gave the consent for a child' }),
  consent: z.object({ how: z.enum(CONSENT_WAYS), on: day }).nullable(),
  helped: rupees.meta({ description: 'Disbursed so far, less what came back' }),
}
const beneficiary = z.object({
  ...knownBy,
  status: beneficiaryState.meta({ description: 'waiting: no consent is recorded yet; revoked: nothing public names them any more' }),
  isChild: z.boolean(),
  followUps: z.object({ on: day }).nullable().meta({ description: 'The consent to be asked again, with its own day' }),
  note: z.string().nullable().meta({ description: 'Only for owner, finance and editor; encrypted at rest' }),
  revokedAt: instant.nullable(),
  createdAt: instant,
})

export const beneficiaryFields = {
  publicName,
  isChild: z.boolean('wrong_type'),
  guardian: z.enum(GUARDIANS, 'choice_invalid').nullable(),
  consent: z
    .strictObject({ how: z.enum(CONSENT_WAYS, 'choice_invalid'), on: z.string('consent_day').regex(/^\d{4}-\d{2}-\d{2}$/, 'consent_day') })
    .nullable(),
  followUps: z
    .strictObject({ on: z.string('follow_up_day').regex(/^\d{4}-\d{2}-\d{2}$/, 'follow_up_day') })
    .nullable()
    .optional()
    .meta({ description: 'The consent to be asked again; null ends it, and deletes what was told' }),
  note: privateNote,
}
const beneficiaryAnswer = z.object({ beneficiary })
const narrowing = { status: beneficiaryState.optional(), q: z.string().max(200).optional() }

export const helpCalls = {
  beneficiaries: staffCall('GET /admin/beneficiaries', {
    roles: STAFF,
    stepUp: true,
    summary: 'Beneficiaries, newest first, or the one with this id; q searches the public name.',
    query: z.object({ ...page.shape, ...narrowing, id: z.uuid('wrong_type').optional() }),
    output: z.object({ beneficiaries: z.array(beneficiary), nextCursor }),
    refusals: [],
  }),
  beneficiariesCsv: tableCall('/admin/beneficiaries.csv', 'The beneficiaries without the private notes', {
    roles: STAFF,
    stepUp: true,
    query: z.object(narrowing),
  }),
  createBeneficiary: staffCall('POST /admin/beneficiaries', {
    roles: HELPERS,
    summary: 'Adds a person or family to help: a public name without a surname, and the consent if it is given already.',
    body: z.strictObject(beneficiaryFields),
    output: beneficiaryAnswer,
    status: 201,
    refusals: [],
  }),
  updateBeneficiary: staffCall('PUT /admin/beneficiaries/{id}', {
    roles: HELPERS,
    stepUp: true,
    summary:
      'Edits a beneficiary, or revokes the consent for good ({revoked: true}): then nothing public shows the person. The money stays in the books.',
    params: id,
    body: z.strictObject({ ...beneficiaryFields, revoked: z.literal(true, 'wrong_type').optional() }).partial(),
    output: beneficiaryAnswer,
    refusals: ['beneficiary_not_found', 'consent_revoked', 'request_waiting', 'own_payment'],
  }),
  uploadReceipt: staffCall('POST /admin/uploads', {
    roles: HELPERS,
    summary: 'Stores a picture of a bill as WebP, without its metadata. The picture becomes public when its entry is booked.',
    ...uploaded,
    output: z.object({ ...billPicture.shape, url: z.string().meta({ description: 'Its public address once it is booked' }) }),
    refusals: ['receipt_not_picture', ...uploaded.refusals],
  }),
  adminReceipt: staffCall('GET /admin/receipts/{hash}', {
    roles: STAFF,
    summary: 'The picture of a bill, also before it is public.',
    params: z.object({ hash: z.string().max(100) }),
    output: 'file',
    refusals: ['receipt_not_found'],
  }),
  publicReceipt: endpoint('GET /receipts/{hash}', {
    access: 'visitor',
    summary: 'The picture of a bill of a booked entry. Not found once it is withheld, or the consent is revoked.',
    params: z.object({ hash: z.string().max(100) }),
    output: 'file',
    refusals: ['receipt_not_found'],
  }),
  withholdReceipt: staffCall('POST /admin/receipts/{hash}/withhold', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Withholds the picture of a bill from the public for good, with a reason for the staff log. Its hash stays in the books.',
    params: z.object({ hash: z.string().max(100) }),
    body: z.strictObject({ reason: decisionReason }),
    output: z.object({ withheld }),
    refusals: ['receipt_not_found', 'receipt_withheld', 'own_payment'],
  }),
} as const
