/** Administrators' calls of AutoPay. Nobody of the team can raise a debit. */
import { AUTOPAY_STATES } from '@roz/core/autopay.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { debit } from './autopay.ts'
import { staffCall, tableCall } from './endpoint.ts'
import { payee, search } from './payouts.ts'
import { CARE, READERS } from './roles.ts'
import { count, day, instant, nextCursor, order, page, rupees } from './shapes.ts'

const status = z.enum(AUTOPAY_STATES, 'choice_invalid')

export const adminMandate = z.object({
  id: z.string().meta({ description: "The mandate's id without dashes: its id at the gateway" }),
  status,
  amount: rupees.meta({ description: 'Each debit is exactly this' }),
  payer: z.string().nullable().meta({ description: 'The UPI ID that pays, without its middle' }),
  gatewayStatus: z.string().nullable().meta({ description: "The gateway's own status" }),
  failures: count.meta({ description: 'Failed debits in a row' }),
  open: z.object({ day, orderId: z.string() }).nullable().meta({ description: 'The debit without an end, and its day' }),
  last: debit.nullable().meta({ description: 'The newest paid debit' }),
  failed: z
    .object({ day, reason: z.string().nullable().meta({ description: "The bank's words" }) })
    .nullable()
    .meta({ description: 'The newest failed debit' }),
  isLate: z.boolean().meta({ description: 'The debit has no end five days after its day' }),
  isUnknown: z.boolean().meta({ description: 'The gateway names a status that we do not know' }),
  isUncancelled: z.boolean().meta({ description: 'The gateway has not confirmed the stop for a day' }),
  createdAt: instant,
  expiresAt: instant,
  member: payee.nullable(),
})

const narrowing = { status: z.enum([...AUTOPAY_STATES, 'late', 'unknown', 'uncancelled'], 'choice_invalid').optional(), q: search, order }

export const autopayAdminCalls = {
  adminAutopay: staffCall('GET /admin/autopay', {
    roles: READERS,
    summary:
      "Mandates of AutoPay, newest first or, by `order`, oldest first; q searches the member's name and mail, and the ids of mandate and debits.",
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({ mandates: z.array(adminMandate), nextCursor }),
    refusals: [],
  }),
  adminAutopayCsv: tableCall('/admin/autopay.csv', 'The mandates', { roles: READERS, stepUp: true, query: z.object(narrowing) }),
  adminAutopayFigures: staffCall('GET /admin/autopay/figures', {
    roles: READERS,
    summary: 'AutoPay in numbers: mandates by state, debits without an end, and the debits of the last 14 days.',
    output: z.object({
      states: z.array(z.object({ status, count })),
      open: count,
      late: count,
      days: z.array(
        z.object({
          day,
          paid: count,
          failed: count,
          amount: rupees.meta({ description: 'Paid' }),
          fee: rupees.meta({ description: 'What the gateway kept of it, tax included, as far as it is settled' }),
        }),
      ),
    }),
    refusals: [],
  }),
  adminStopAutopay: staffCall('POST /admin/autopay/{id}/stop', {
    roles: CARE,
    stepUp: true,
    summary: 'Stops a mandate, with a reason for the staff log. The member is told. `status` is the state that was seen.',
    params: z.object({ id: z.string().max(100) }),
    body: z.strictObject({ status, reason: decisionReason }),
    output: z.object({ mandate: adminMandate }),
    refusals: ['not_found', 'changed_since_seen'],
  }),
} as const
