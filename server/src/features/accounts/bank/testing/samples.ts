/** Statements as four Indian banks write them, with invented people. */
import type { StatementMapping } from '@roz/core/statement-fields.ts'
import { STATEMENT_PRESETS } from '@roz/core/statement-presets.ts'

export const { SBI, HDFC, ICICI } = STATEMENT_PRESETS
/** One column of amounts, with suffixes. */
export const AXIS: StatementMapping = { ...STATEMENT_PRESETS.Axis, debit: '', credit: '', amount: 'AMOUNT' }

/** Columns divided by tabs, titles above, a note below. */
export const SBI_FILE = [
  'Account Name       :\tMr. ROZ COMMUNITY',
  'Account Number     :\t_00000012345678901',
  'Start Date         :\t1 Nov 2026',
  '',
  'Txn Date\tValue Date\tDescription\tRef No./Cheque No.\tDebit\tCredit\tBalance',
  '1 Nov 2026\t1 Nov 2026\tBY TRANSFER-NEFT*YESB0000001*YESBN12026110112345*CASHFREE PAYMENTS--\tTRANSFER FROM 3199\t \t1,23,456.78\t1,24,456.78',
  '02-Nov-2026\t02-Nov-2026\tTO TRANSFER-UPI/DR/630512345678/ASHA VERMA/HDFC/asha@okhdfc--\t\t500.00\t \t1,23,956.78',
  '**This is a computer generated statement and does not require a signature.',
].join('\r\n')

/** A row of stars below the header, years of two digits, quoted amounts, and a summary with amounts below. */
export const HDFC_FILE = [
  'HDFC BANK Ltd.,,,,,,',
  'Statement From : 01/11/26 To : 02/11/26,,,,,,',
  'Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance',
  '********,**********************,************,********,******,******,******',
  '01/11/26,"NEFT CR-YESB0000001-CASHFREE PAYMENTS, ROZ-YESBN12026110112345",0000YESBN12026110112345,01/11/26,,"1,23,456.78","1,24,456.78"',
  '02/11/26,UPI-ASHA VERMA-ASHA@OKHDFC-630512345678,0000630512345678,02/11/26,500.00,,"1,23,956.78"',
  '********,**********************,************,********,******,******,******',
  'STATEMENT SUMMARY :-,,,,,,',
  'Opening Balance,,,Dr Count,Cr Count,Debits,Closing Bal',
  '"1,000.00",,,1,1,500.00,"1,23,956.78"',
].join('\n')

/** Newest first, one column of amounts with Cr or Dr beside it, and a time of day. */
export const ICICI_FILE = [
  'DETAILED STATEMENT',
  '',
  'S.N.,Tran. Id,Value Date,Transaction Date,Cheque Number,Transaction Remarks,Cr/Dr,Transaction Amount(INR),Available Balance(INR)',
  '1,S2,02/11/2026,02/11/2026 06:12:31 PM,-,UPI/630512345678/Asha Verma/asha@okicici,DR,500.00,"1,23,956.78"',
  '2,S1,01/11/2026,01/11/2026 10:02:11 AM,-,NEFT-YESBN12026110112345-CASHFREE PAYMENTS,CR,"1,23,456.78","1,24,456.78"',
].join('\n')

/** Semicolons, dashes in the days, Dr and Cr as suffixes, and rows that only say a balance. */
export const AXIS_FILE = [
  'Name :- ROZ COMMUNITY;;;;;',
  'Tran Date;CHQNO;PARTICULARS;AMOUNT;BAL;SOL',
  '01-11-2026;;OPENING BALANCE;;1,000.00Cr;',
  '01-11-2026;-;NEFT/YESBN12026110112345/CASHFREE PAYMENTS;1,23,456.78 Cr;1,24,456.78 Cr;0004',
  '02-11-2026;-;UPI/P2A/630512345678/ASHA VERMA;₹500.00 Dr;1,23,956.78 Cr;0004',
  '02-11-2026;;CLOSING BALANCE;;1,23,956.78Cr;',
  ';;;;;',
  'Unless the constituent notifies the bank, this statement is correct;;;;;',
].join('\n')
