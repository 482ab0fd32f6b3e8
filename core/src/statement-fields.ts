/** Fields of a bank account of ours in the portal: its name, and which columns of its statement mean what. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { asciiDigits } from './typed.ts'
import { oneLine } from './written.ts'

export const STATEMENT_TEXTS = {
  bank_name: texts('Please enter a name of 2 to 60 characters'),
  bank_last_four: texts('Please enter the last four digits of the account number'),
  column_name: texts('Please enter the name of the column as in the file, at most 60 characters'),
  column_amount: texts('Please enter either the columns of debits and credits, or the column of amounts'),
  statement_until: texts('Please enter a day from the newest line of the file to today'),
} as const satisfies Words
type Problem = keyof typeof STATEMENT_TEXTS

/** How a statement writes its days. Separators, and years of two digits, are read either way. */
export const DATE_FORMATS = ['dd/mm/yyyy', 'dd-MMM-yyyy', 'yyyy-mm-dd'] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

const NAME: Problem = 'bank_name'
export const bankAccountName = z.string(NAME).check(oneLine, z.minLength(2, { error: NAME }), z.maxLength(60, { error: NAME }))
export const bankLastFour = z
  .string('bank_last_four' satisfies Problem)
  .check(z.trim(), z.overwrite(asciiDigits), z.regex(/^\d{4}$/, { error: 'bank_last_four' satisfies Problem }))

const COLUMN: Problem = 'column_name'
const optionalColumn = z.string(COLUMN).check(z.trim(), z.maxLength(60, { error: COLUMN }))
const column = optionalColumn.check(z.minLength(1, { error: COLUMN }))

/** Empty: the statement has no such column. Either debit and credit, or amount, whose sign, suffix or `mark` says Dr or Cr. */
export const statementMapping = z
  .strictObject({
    date: column,
    description: column,
    reference: optionalColumn,
    debit: optionalColumn,
    credit: optionalColumn,
    amount: optionalColumn,
    mark: optionalColumn,
    balance: column,
    dateFormat: z.enum(DATE_FORMATS, 'choice_invalid'),
  })
  .check(
    z.refine(({ debit, credit, amount }) => (amount === '' ? debit !== '' && credit !== '' : debit === '' && credit === ''), {
      error: 'column_amount' satisfies Problem,
      path: ['amount'],
    }),
  )
export type StatementMapping = z.infer<typeof statementMapping>
