/** The common parts of all outlays' calls: payments from our accounts that staff decide (disbursements.ts, accounts.ts). */
import { rupeeAmount } from '@roz/core/fields.ts'
import { purpose, BILL_PAGES_MAX } from '@roz/core/help-fields.ts'
import { inEach, LANGUAGES } from '@roz/core/language.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { bill } from './help.ts'
import { instant, newer, rupees, seen } from './shapes.ts'

const language = z.enum(LANGUAGES, 'choice_invalid')
export const purposes = z.partialRecord(language, z.string()).meta({ description: 'The same words in other languages' })
/** The language of `purpose` in a reader's answer. */
export const purposeLanguage = language.nullable().meta({ description: 'The language of `purpose`; null: not recorded' })
const person = z.object({ id: z.string(), name: z.string() })

export const outlayState = z.enum(['requested', 'booked', 'rejected'], 'choice_invalid')
/** An outlay, as the portal shows it. */
export const outlay = {
  id: z.string(),
  amount: rupees,
  purpose: z.string().meta({ description: 'Public words' }),
  language: newer(language.meta({ description: 'The language of `purpose`' })),
  translations: newer(purposes, { absent: {} }),
  status: outlayState,
  needsSecond: z.boolean().meta({ description: 'A second person must approve it, not the one who requested it' }),
  askedBy: person,
  askedAt: instant,
  decidedBy: person.nullable(),
  decidedAt: instant.nullable(),
  reason: z.string().nullable().meta({ description: 'Why it was rejected' }),
  receipts: z.array(bill).meta({ description: 'In the order of their pages' }),
  seen: z.string().meta({ description: 'A fingerprint of what the row shows of payment, bills and beneficiary; a decision may name it' }),
}
export const outlayId = z.object({ id: z.string().max(100) })
export const receipts = z
  .array(z.string('receipts_needed').regex(/^[0-9a-f]{64}$/, 'receipts_needed'), 'receipts_needed')
  .min(1, 'receipts_needed')
  .max(BILL_PAGES_MAX, 'receipts_many')
/** Words in other languages than those of `purpose`. */
export const translations = z.strictObject(inEach(() => z.optional(purpose)))
export const asked = {
  amount: rupeeAmount,
  purpose,
  language: language.optional().meta({ description: 'The language of `purpose`; English without it' }),
  translations: translations.optional(),
  receipts,
}
/** Every decision contains the state that the administrator saw; another state is refused with `changed_since_seen`. */
export const seenOutlay = z.strictObject({ status: outlayState, seen })
/** Why the approval of a requested outlay is refused, whatever its kind. */
export const APPROVAL_REFUSALS = [
  'outlay_not_found',
  'changed_since_seen',
  'outlay_final',
  'own_request',
  'own_consent',
  'own_money',
  'second_person_needed',
  'role_too_new',
] as const
export const reasoned = z.strictObject({ ...seenOutlay.shape, reason: decisionReason })
/** `to_approve`: waits for the person who asks, as their to-do list counts it. */
export const outlayFilter = z.enum([...outlayState.options, 'to_approve'], 'choice_invalid')
export const narrowing = { status: outlayFilter.optional(), q: z.string().max(200).optional() }
export const APPROVAL_ABOVE =
  'Another person must approve it above APPROVAL_ABOVE (together with what the person decided alone in 24 hours), if an editor requested it, or if the person wrote the record of who is helped; otherwise it is booked at once.'
