/** Administrators' calls of disputes. */
import { z } from 'zod'
import { staffCall, tableCall } from './endpoint.ts'
import { payee, search } from './payouts.ts'
import { READERS } from './roles.ts'
import { count, instant, nextCursor, order, page, rupees } from './shapes.ts'

const disputeState = z.enum(['open', 'won', 'lost'], 'choice_invalid')
/** Work that waits for the team, as the to-do list counts it for the caller. */
const disputeFilter = z.enum([...disputeState.options, 'to_answer'], 'choice_invalid')

export const dispute = z.object({
  id: z.string().meta({ description: "The gateway's own id" }),
  order_id: z.string(),
  paymentId: z.string(),
  amount: rupees,
  type: z.string(),
  status: z.string().meta({ description: "The gateway's own status" }),
  state: disputeState,
  needsAnswer: z.boolean().meta({ description: 'The bank waits for our answer, until respondBy' }),
  waitingHours: count.nullable().meta({ description: 'Whole hours since we heard of it, while it needs our answer' }),
  respondBy: instant.nullable(),
  isTaken: z.boolean().meta({ description: "The money is with the payer's bank now" }),
  loss: rupees.meta({
    description: 'The part that is our loss now: neither the member nor SUSPENSE had it, and the member has not paid it since',
  }),
  problem: z.enum(['unknown_payment', 'more_than_paid', 'other_currency']).nullable().meta({ description: 'Why nothing was booked' }),
  createdAt: instant,
  updatedAt: instant,
  member: payee.nullable().meta({ description: 'The member who paid' }),
})

const disputeNarrowing = { status: disputeFilter.optional(), q: search, order }

export const disputeCalls = {
  disputes: staffCall('GET /admin/disputes', {
    roles: READERS,
    summary:
      "Disputes of payments, newest first or, by `order`, oldest first; q searches the member's name and mail, dispute, order and payment.",
    query: z.object({ ...page.shape, ...disputeNarrowing }),
    output: z.object({ disputes: z.array(dispute), nextCursor }),
    refusals: [],
  }),
  disputesCsv: tableCall('/admin/disputes.csv', 'The disputes', { roles: READERS, stepUp: true, query: z.object(disputeNarrowing) }),
} as const
