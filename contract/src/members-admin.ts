/** Administrators' calls about members: the list, one member's page, and decisions about an account. */
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { CARE, READERS } from './roles.ts'
import { count, instant, nextCursor, page, rupees, user } from './shapes.ts'

/** The hold of a member: the mail that the member answered with "This wasn't me". */
export const hold = z.object({ at: instant, about: z.string().meta({ description: 'The mail: withdrawal_requested' }) })

const listed = z.object({
  ...user.shape,
  walletBalance: rupees,
  totalParticipated: count,
  totalWon: rupees,
  hold: hold.nullable().meta({ description: 'Since this time withdrawals and refunds wait for an administrator' }),
  suspendedAt: instant.nullable(),
})

const narrowing = {
  q: z.string().max(200).optional(),
  sort: z.enum(['newest', 'balance', 'joins', 'won'], 'choice_invalid').default('newest'),
  status: z.enum(['held', 'suspended'], 'choice_invalid').optional(),
}

export const memberAdminCalls = {
  adminUsers: endpoint({
    method: 'GET',
    path: '/admin/users',
    access: 'admin',
    roles: READERS,
    summary: 'Members, newest first or by figures; q searches name, mail and phone.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({
      users: z.array(listed),
      sortedAt: instant.nullable().meta({ description: 'The order by figures is of this time; null when newest first' }),
      nextCursor,
    }),
    refusals: [],
  }),
  adminUsersCsv: endpoint({
    method: 'GET',
    path: '/admin/users.csv',
    access: 'admin',
    roles: READERS,
    summary: 'The list of members as a table, with the same filters. The audit log records who fetched it.',
    query: z.object(narrowing),
    output: 'csv',
    refusals: [],
  }),
  releaseUser: endpoint({
    method: 'POST',
    path: '/admin/users/{id}/release',
    access: 'admin',
    roles: CARE,
    stepUp: true,
    summary: 'Ends the hold of a member, by owner, finance or support: withdrawals and refunds may be approved again.',
    params: z.object({ id: z.string().max(100) }),
    body: z.strictObject({ reason: decisionReason }),
    output: z.object({ id: z.string() }),
    refusals: ['member_not_found', 'not_held'],
  }),
} as const
