/** Calls of a member's papers: a financial year on one page. */
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { count, day, rupees } from './shapes.ts'

const yearName = z.string().meta({ description: 'A financial year, 1 April to 31 March in IST, such as `2026-27`' })

export const memberYear = z.object({
  year: yearName,
  from: day,
  to: day.meta({ description: 'The last day of the year; in the present year the figures end today' }),
  years: z.array(yearName).meta({ description: 'Every year of the membership, newest first' }),
  opening: rupees.meta({ description: 'The balance before the first day. Opening and all of `movements` add up to `closing`' }),
  closing: rupees.meta({ description: 'The balance after the last day, or now' }),
  movements: z.object({
    added: rupees,
    joined: rupees.meta({ description: 'Put into rounds; negative, as all that leaves the wallet' }),
    returned: rupees.meta({ description: 'Returned from rounds without a draw' }),
    won: rupees.meta({ description: 'Paid, after tax' }),
    withdrawn: rupees.meta({ description: 'With withdrawals on their way, less what came back' }),
    refunded: rupees.meta({ description: 'Sent back to the payment method, less what came back' }),
    given: rupees.meta({ description: 'Donated to the help fund' }),
    takenBack: rupees.meta({ description: 'Taken back by the bank, and debts for it, less what was returned' }),
  }),
  rounds: count.meta({ description: 'Rounds joined' }),
  prizes: z.array(z.object({ day, paidOn: day, prize: rupees.meta({ description: 'Before tax' }), tax: rupees, paid: rupees })),
  help: z
    .array(
      z.object({
        on: day,
        purpose: z.string(),
        name: z.string().nullable().meta({ description: 'Null after a revoked consent' }),
        days: count.meta({ description: "The member's days of this year that paid for it" }),
        amount: rupees.meta({ description: "The part of the member's rupees" }),
        storyId: z.string().nullable(),
      }),
    )
    .meta({ description: 'Help that rupees of this year paid for, newest first' }),
})
export type MemberYear = z.infer<typeof memberYear>

export const paperCalls = {
  memberYear: endpoint({
    method: 'GET',
    path: '/user/years/{year}',
    access: 'member',
    summary: "A financial year of the member's wallet, prizes with tax, and help. 404 for a year before the membership or to come.",
    params: z.object({ year: z.string().max(20) }),
    output: memberYear,
    refusals: ['not_found'],
  }),
} as const
