/** Administrators' calls about signals: signs that accounts belong together. */
import { staffNote } from '@roz/core/care-fields.ts'
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { CARE, READERS } from './roles.ts'
import { count, instant, newer, nextCursor, page } from './shapes.ts'

const flag = z.object({
  id: z.string(),
  kind: z
    .enum(['phone', 'bank', 'device', 'network', 'mailbox', 'young_money'])
    .meta({ description: 'What the accounts share; or an account of less than 7 days that withdrew money added less than 72 h before' }),
  count: count.meta({ description: 'Accounts' }),
  members: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        createdAt: instant,
        since: newer(instant.nullable().meta({ description: 'Since when the account has it; null: not recorded' }), { absent: null }),
        isLater: newer(z.boolean().meta({ description: 'Phones: another account had it before' }), { absent: true }),
      }),
    )
    .meta({ description: 'The ten newest accounts of them' }),
  isReviewed: z.boolean(),
  note: z.string().nullable(),
  reviewedBy: z.string().nullable(),
  reviewedAt: instant.nullable(),
  changedAt: instant.meta({ description: 'When its newest account came' }),
})

const narrowing = {
  status: z.enum(['unreviewed', 'reviewed'], 'choice_invalid').optional(),
  q: z.string().max(200).optional(),
}

export const reviewCalls = {
  flags: staffCall('GET /admin/flags', {
    roles: READERS,
    summary:
      'Signals: accounts that share a phone, bank account, device or network, or withdrew early. A signal refuses nothing. q searches the accounts.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({ flags: z.array(flag), nextCursor }),
    refusals: [],
  }),
  flagsCsv: tableCall('/admin/flags.csv', 'The flags', { roles: READERS, stepUp: true, query: z.object(narrowing) }),
  reviewFlag: staffCall('PUT /admin/flags/{id}', {
    roles: CARE,
    summary: 'Marks a flag as reviewed, or not, with a note. `count` is the number of accounts that were seen.',
    params: z.object({ id: z.string().max(100) }),
    body: z.strictObject({ isReviewed: z.boolean('wrong_type'), count, note: z.optional(staffNote) }),
    output: z.object({ flag }),
    refusals: ['flag_not_found', 'changed_since_seen'],
  }),
} as const
