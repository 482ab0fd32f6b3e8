/** The columns of statements as some banks name them in their CSV: a start for the mapping of an account, which people correct. */
import type { StatementMapping } from './statement-fields.ts'

const NONE = { reference: '', debit: '', credit: '', amount: '', mark: '' }

export type StatementPreset = 'SBI' | 'HDFC' | 'ICICI' | 'Axis'
export const STATEMENT_PRESETS: Readonly<Record<StatementPreset, StatementMapping>> = {
  SBI: {
    ...NONE,
    date: 'Txn Date',
    description: 'Description',
    reference: 'Ref No./Cheque No.',
    debit: 'Debit',
    credit: 'Credit',
    balance: 'Balance',
    dateFormat: 'dd-MMM-yyyy',
  },
  HDFC: {
    ...NONE,
    date: 'Date',
    description: 'Narration',
    reference: 'Chq./Ref.No.',
    debit: 'Withdrawal Amt.',
    credit: 'Deposit Amt.',
    balance: 'Closing Balance',
    dateFormat: 'dd/mm/yyyy',
  },
  ICICI: {
    ...NONE,
    date: 'Transaction Date',
    description: 'Transaction Remarks',
    reference: 'Cheque Number',
    amount: 'Transaction Amount(INR)',
    mark: 'Cr/Dr',
    balance: 'Available Balance(INR)',
    dateFormat: 'dd/mm/yyyy',
  },
  Axis: {
    ...NONE,
    date: 'Tran Date',
    description: 'PARTICULARS',
    reference: 'CHQNO',
    debit: 'DR',
    credit: 'CR',
    balance: 'BAL',
    dateFormat: 'dd/mm/yyyy',
  },
}
