/** Calls of papers: a member's financial year on one page, and the tax that was withheld from rewards. */
import { parseQuarter } from '@roz/core/financial-year.ts'
import { certificateNumber, pan } from '@roz/core/tax-fields.ts'
import { z } from 'zod'
import { endpoint, staffCall, tableCall } from './endpoint.ts'
import { purposeLanguage } from './outlays.ts'
import { TAX_READERS, TREASURY } from './roles.ts'
import { count, day, nextCursor, page, rupees } from './shapes.ts'

const yearName = z.string().meta({ description: 'A financial year, 1 April to 31 March in IST, such as `2026-27`' })

const panShown = z.string().nullable().meta({ description: 'The last four characters of the PAN; the PAN itself is in no answer' })
const quarter = z
  .string('quarter_invalid')
  .refine((text) => parseQuarter(text) !== undefined, 'quarter_invalid')
  .meta({ description: 'A quarter of a financial year, such as `2026-27-Q3` for October to December 2026' })

export const ownTax = z.object({
  isWithheld: z.boolean().meta({ description: 'Tax was ever withheld from a reward: the PAN is then needed' }),
  pan: panShown,
  certificates: z
    .array(z.object({ quarter, number: z.string() }))
    .meta({ description: 'Numbers of certificates of withheld tax, newest first' }),
})

const memberYear = z.object({
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
        language: purposeLanguage,
        name: z.string().nullable().meta({ description: 'Null after a revoked consent' }),
        days: count.meta({ description: "The member's days of this year that paid for it" }),
        amount: rupees.meta({ description: "The part of the member's rupees" }),
        storyId: z.string().nullable(),
      }),
    )
    .meta({ description: 'Help that rupees of this year paid for, newest first' }),
  tax: ownTax,
})
export type MemberYear = z.infer<typeof memberYear>

const taxed = z.object({
  id: z.string().meta({ description: 'The member' }),
  name: z.string(),
  rewards: count,
  prize: rupees.meta({ description: 'Before tax' }),
  tax: rupees,
  pan: panShown,
  certificate: z.string().nullable(),
})

export const paperCalls = {
  memberYear: endpoint('GET /user/years/{year}', {
    access: 'member',
    summary: "A financial year of the member's wallet, prizes with tax, and help. 404 for a year before the membership or to come.",
    params: z.object({ year: z.string().max(20) }),
    output: memberYear,
    refusals: ['not_found'],
  }),
  setPan: endpoint('PUT /user/pan', {
    access: 'member',
    summary: 'Keeps the PAN, encrypted, under which withheld tax is reported. Refused before tax was ever withheld.',
    body: z.strictObject({ pan }),
    output: z.object({ tax: ownTax }),
    refusals: ['pan_not_needed'],
  }),
  taxWithheld: staffCall('GET /admin/tax', {
    roles: TAX_READERS,
    stepUp: true,
    summary: 'Members from whose rewards tax was withheld in a quarter, by the day of payment. The staff log records the read.',
    query: z.object({ ...page.shape, quarter: quarter.optional().meta({ description: 'The present one without it' }) }),
    output: z.object({
      quarter,
      quarters: z.array(quarter).meta({ description: 'The present quarter and those before it, newest first' }),
      sum: z.object({ prize: rupees, tax: rupees }).meta({ description: 'Of all members in the quarter' }),
      members: z.array(taxed),
      nextCursor,
    }),
    refusals: [],
  }),
  taxWithheldCsv: tableCall('/admin/tax.csv', 'The tax withheld, with each whole PAN,', {
    roles: TREASURY,
    stepUp: true,
    query: z.object({ quarter: quarter.optional() }),
  }),
  setCertificate: staffCall('PUT /admin/tax/{quarter}/{id}', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Keeps the number of the certificate of withheld tax of a member and quarter; the member sees it.',
    params: z.object({ quarter: z.string().max(20), id: z.string().max(36) }),
    body: z.strictObject({ number: certificateNumber }),
    output: z.object({ number: z.string() }),
    refusals: ['not_found'],
  }),
} as const
