/** Calls of our bank accounts: the import of their statements, and the matching of their lines with our books. */
import { bankAccountName, bankLastFour, statementMapping } from '@roz/core/statement-fields.ts'
import { z } from 'zod'
import { staffCall } from './endpoint.ts'
import { READERS, TAX_READERS, TREASURY } from './roles.ts'
import { count, day, newer, nextCursor, page, rupees, seen } from './shapes.ts'

const account = z.object({
  id: z.string(),
  name: z.string(),
  lastFour: z.string(),
  mapping: statementMapping,
  lines: count,
  until: day.nullable().meta({ description: 'The last day that its statements cover' }),
  closing: rupees.nullable().meta({ description: 'The balance after its newest line' }),
})
const line = z.object({
  id: z.string(),
  account: z.string().meta({ description: 'The name of the account' }),
  day,
  amount: rupees.meta({ description: 'Above zero: it came in' }),
  balance: rupees.meta({ description: 'After the line' }),
  status: z.enum(['open', 'matched', 'decided', 'closed']).meta({
    description: 'matched: by its reference and amount. decided: by a person. closed: it has no entry, and somebody gave the reason',
  }),
  subject: z.string().nullable().meta({ description: 'The entry of our books that it is' }),
  seen: newer(z.string().meta({ description: 'A fingerprint of subject; a decision may name it' })),
})
const movement = z.object({
  subject: z.string(),
  kind: z.string(),
  day,
  amount: rupees,
  reference: z.string().nullable(),
  hasReference: z.boolean().meta({ description: 'The line has its reference' }),
})
const accountId = z.object({ id: z.uuid() })
const lineId = z.object({ id: z.string().min(1).max(100) })
const upload = { field: 'file', bytesMax: 2 * 1024 * 1024, tooLarge: 'statement_too_large' } as const
const UNREAD = [
  'bank_account_not_found',
  'statement_too_large',
  'statement_no_table',
  'statement_no_header',
  'statement_empty',
  'statement_date',
  'statement_amount',
  'statement_order',
  'statement_balance',
  'statement_after_end',
  'statement_either_way',
  'statement_gap',
  'statement_gap_before',
  'statement_differs',
  'too_many_requests',
  'invalid_input',
  'unsupported_media_type',
] as const

export const bankCalls = {
  bankAccounts: staffCall('GET /admin/bank-accounts', {
    roles: READERS,
    summary: 'Our bank accounts, each with the columns of its statement.',
    output: z.object({ accounts: z.array(account) }),
    refusals: [],
  }),
  saveBankAccount: staffCall('PUT /admin/bank-accounts/{id}', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Adds a bank account under an id that the client chose, or changes its name and mapping.',
    params: accountId,
    body: z.strictObject({ name: bankAccountName, lastFour: bankLastFour, mapping: statementMapping }),
    output: z.object({ account }),
    refusals: ['bank_account_exists'],
  }),
  previewStatement: staffCall('POST /admin/bank-accounts/{id}/preview', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Reads a statement as CSV by the mapping of its account, and stores nothing.',
    params: accountId,
    upload,
    output: z.object({
      lines: count,
      known: count.meta({ description: 'Lines that are stored already' }),
      from: day,
      until: day,
      opening: rupees,
      closing: rupees,
      sample: z
        .array(z.object({ day, amount: rupees, balance: rupees, words: z.string() }))
        .meta({ description: 'The first lines that are new' }),
      seen: z.string().meta({ description: 'Names these lines in the import' }),
    }),
    refusals: UNREAD,
  }),
  importStatement: staffCall('POST /admin/bank-accounts/{id}/import', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Stores the lines of a statement that are new. The same file again stores nothing.',
    params: accountId,
    query: z.object({
      seen: z.string().min(1).max(64),
      until: day.meta({ description: 'The last day that the file covers; today is not over' }),
    }),
    upload,
    output: z.object({ stored: count, known: count, matched: count.meta({ description: 'Lines matched by reference and amount' }) }),
    refusals: [...UNREAD, 'changed_since_seen'],
  }),
  bankLines: staffCall('GET /admin/bank-lines', {
    roles: READERS,
    summary: 'The lines of all statements, newest import first, without their words.',
    query: z.object({
      ...page.shape,
      status: z.enum(['open'], 'choice_invalid').optional(),
      returnOf: z
        .string()
        .max(100)
        .optional()
        .meta({ description: 'The id of a withdrawal: lines without an entry by which its payment by hand may have come back' }),
    }),
    output: z.object({ lines: z.array(line), nextCursor }),
    refusals: [],
  }),
  bankLine: staffCall('GET /admin/bank-lines/{id}', {
    roles: TAX_READERS,
    stepUp: true,
    summary: 'A line with the words of the bank, and the entries of our books that it may be. The staff log records who read it.',
    params: lineId,
    output: z.object({ line, words: z.string(), candidates: z.array(movement) }),
    refusals: ['bank_line_not_found'],
  }),
  matchBankLine: staffCall('POST /admin/bank-lines/{id}/match', {
    roles: TREASURY,
    stepUp: true,
    summary: 'Matches a line with an entry of the same amount, or takes a match back (`subject` null). No money moves.',
    params: lineId,
    body: z.strictObject({ status: line.shape.status, seen, subject: z.string().min(1).max(200).nullable() }),
    output: z.object({ bankLine: line }),
    refusals: ['bank_line_not_found', 'changed_since_seen', 'bank_match_refused'],
  }),
} as const
