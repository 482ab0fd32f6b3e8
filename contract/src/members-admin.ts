/** Administrators' calls about members: the list, one member's page, and decisions about an account. */
import { staffNote } from '@roz/core/care-fields.ts'
import { decisionReason } from '@roz/core/money-fields.ts'
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { CARE, READERS } from './roles.ts'
import { signedInDevice } from './identity.ts'
import { count, day, instant, newer, nextCursor, page, rupees, seen, user } from './shapes.ts'
import { transaction } from './wallet.ts'

/** The hold of a member: the mail that the member answered with "This wasn't me". */
const hold = z.object({
  at: instant,
  about: z.string().meta({ description: 'The mail: withdrawal_requested' }),
  seen: newer(z.string().meta({ description: 'A fingerprint of the hold; its release may name it' })),
})

const listed = z.object({
  ...user.shape,
  walletBalance: rupees,
  totalParticipated: count,
  totalWon: rupees,
  hold: hold.nullable().meta({ description: 'Since this time withdrawals and refunds wait for an administrator' }),
  suspendedAt: instant.nullable(),
})

const moneyRow = z.object({
  id: z.string(),
  amount: rupees,
  status: z.string(),
  createdAt: instant,
  flags: z.array(z.string()),
  problem: z.string().nullable(),
})
const note = z.object({ id: z.string(), text: z.string(), author: z.string(), createdAt: instant })

/** Each list has only the newest rows. */
const memberPage = z.object({
  user: listed,
  devices: z.array(signedInDevice),
  flags: z.array(z.object({ kind: z.string(), about: z.string(), createdAt: instant })),
  notes: z.array(note),
  mails: z.array(
    z.object({
      kind: z.string().meta({ description: 'Its template, such as withdrawal_paid' }),
      outcome: z.enum(['sent', 'refused']),
      at: instant,
    }),
  ),
  withdrawals: z.array(moneyRow),
  refunds: z.array(moneyRow),
  debts: z.array(z.object({ amount: rupees, paid: rupees, isOpen: z.boolean(), createdAt: instant })),
  days: z
    .array(z.object({ day, status: z.string(), joined: z.boolean(), won: rupees.nullable() }))
    .meta({ description: 'The last 30 rounds, today included' }),
})

const params = z.object({ id: z.string().max(100) })
/** A decision about an account: with a reason, for the staff log. */
const decision = {
  roles: CARE,
  stepUp: true,
  params,
  body: z.strictObject({ reason: decisionReason }),
  output: z.object({ user: listed }),
} as const

const narrowing = {
  q: z.string().max(200).optional(),
  sort: z.enum(['newest', 'balance', 'joins', 'won'], 'choice_invalid').default('newest'),
  status: z.enum(['held', 'suspended'], 'choice_invalid').optional(),
}

export const memberAdminCalls = {
  adminUsers: staffCall('GET /admin/users', {
    roles: READERS,
    stepUp: true,
    summary: 'Members, newest first or by figures; q searches name, mail and phone.',
    query: z.object({ ...page.shape, ...narrowing }),
    output: z.object({
      users: z.array(listed),
      sortedAt: instant.nullable().meta({ description: 'The order by figures is of this time; null when newest first' }),
      nextCursor,
    }),
    refusals: [],
  }),
  adminUsersCsv: tableCall('/admin/users.csv', 'The list of members', { roles: READERS, stepUp: true, query: z.object(narrowing) }),
  adminUser: staffCall('GET /admin/users/{id}', {
    roles: READERS,
    summary: 'One member: account, devices, flags, notes, mails, and the newest of their money and rounds.',
    params,
    output: memberPage,
    refusals: ['member_not_found'],
  }),
  adminUserTransactions: staffCall('GET /admin/users/{id}/transactions', {
    roles: READERS,
    summary: "A member's transactions, newest first, as the member sees them.",
    params,
    query: page,
    output: z.object({ transactions: z.array(transaction), nextCursor }),
    refusals: ['member_not_found'],
  }),
  suspendUser: staffCall('POST /admin/users/{id}/suspend', {
    ...decision,
    summary: 'Suspends a member: joining, adding money, withdrawing, refunds and closing are refused. The member is mailed.',
    refusals: ['member_not_found', 'already_suspended'],
  }),
  reinstateUser: staffCall('POST /admin/users/{id}/reinstate', {
    ...decision,
    summary: 'Ends a suspension. The member is mailed.',
    refusals: ['member_not_found', 'not_suspended', 'own_money'],
  }),
  holdUser: staffCall('POST /admin/users/{id}/hold', {
    ...decision,
    summary: 'Holds the withdrawals and refunds of a member; joining and adding money go on. The member is mailed.',
    refusals: ['member_not_found', 'already_held'],
  }),
  releaseUser: staffCall('POST /admin/users/{id}/release', {
    ...decision,
    summary: 'Ends the hold of a member: withdrawals and refunds may be approved again. The member is mailed.',
    body: z.strictObject({ reason: decisionReason, seen }),
    refusals: ['member_not_found', 'not_held', 'own_money', 'changed_since_seen'],
  }),
  endUserSessions: staffCall('POST /admin/users/{id}/end-sessions', {
    ...decision,
    summary: 'Logs a member out of all devices.',
    output: z.object({ ended: count }),
    refusals: ['member_not_found'],
  }),
  noteUser: staffCall('POST /admin/users/{id}/notes', {
    roles: CARE,
    summary: 'Writes a note about a member for the staff. A note is never changed.',
    params,
    body: z.strictObject({ text: staffNote }),
    output: z.object({ note }),
    status: 201,
    refusals: ['member_not_found'],
  }),
} as const
