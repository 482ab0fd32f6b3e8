/** The statement of a bank account that a test writes. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { decimalText, paise } from '@roz/core/money.ts'

export type Line = { readonly day: IstDay; readonly amount: bigint; readonly words: string }

const HEAD = 'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance'
const money = (amount: bigint): string => decimalText(paise(amount))
const dayCell = (day: IstDay): string => day.split('-').toReversed().join('/')

/** A statement as HDFC writes it; `opening` is the balance before its first line. */
export function statementText(lines: readonly Line[], opening: bigint, order: 'oldest' | 'newest' = 'oldest'): string {
  let balance = opening
  const rows = lines.map(({ day, amount, words }) => {
    balance += amount
    const [out, into] = amount < 0n ? [money(-amount), ''] : ['', money(amount)]
    return `${dayCell(day)},"${words}",,${out},${into},${money(balance)}`
  })
  return [HEAD, ...(order === 'oldest' ? rows : rows.toReversed())].join('\n')
}
