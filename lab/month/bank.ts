/**
 * The bank of the outside world: one account, moved by what the gateway settles and pays out and by what the team pays by hand.
 * - It knows the gateway's records and nothing of our books.
 * - Its statement names payees and UPI IDs, as those of banks do.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { decimalText, paise } from '@roz/core/money.ts'
import type { GatewayBooks } from './gateway-books.ts'

type Line = { readonly day: IstDay; readonly paise: number; readonly words: string }
export type Bank = ReturnType<typeof openBank>

/** A REVERSED transfer was SUCCESS before. */
const ARRIVED: ReadonlySet<string> = new Set(['SUCCESS', 'REVERSED'])
const HEAD = 'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance'
const money = (amount: number): string => decimalText(paise(BigInt(amount)))
const dayCell = (day: IstDay): string => day.split('-').toReversed().join('/')

export function openBank(books: GatewayBooks, payeeOf: (beneficiaryId: string) => string) {
  const lines: Line[] = []
  const booked = new Set<string>()

  /** Books a movement once. */
  function book(key: string, line: Line): void {
    if (booked.has(key)) return
    booked.add(key)
    lines.push(line)
  }

  return {
    /** Takes over what the gateway has moved since the last time. */
    follow(day: IstDay): void {
      for (const { settlementId, utr, status, amountSettledPaise: amount } of books.settlement.values()) {
        if (!ARRIVED.has(status)) continue
        book(`settled ${settlementId}`, { day, paise: amount, words: `NEFT CR-YESB0000001-CASHFREE-${utr}` })
        if (status === 'REVERSED') book(`returned ${settlementId}`, { day, paise: -amount, words: `NEFT RETURN-${utr}` })
      }
      for (const { transferId, utr, status, amountPaise: amount, beneficiaryId } of books.transfer.values()) {
        if (!ARRIVED.has(status)) continue
        const payee = payeeOf(beneficiaryId)
        book(`paid ${transferId}`, { day, paise: -amount, words: `IMPS-${utr}-${payee}` })
        if (status === 'REVERSED') book(`reversed ${transferId}`, { day, paise: amount, words: `IMPS RETURN-${utr}-${payee}` })
      }
    },
    /** A payment that a person of the team makes. */
    payByHand: (key: string, line: Line): void => book(key, line),
    balance: (): number => lines.reduce((total, line) => total + line.paise, 0),
    lines: (): readonly Line[] => lines,
    /** The statement of whole days as CSV; undefined without a line. */
    statement(from: IstDay, until: IstDay, order: 'oldest' | 'newest'): string | undefined {
      let balance = 0
      const rows: string[] = []
      for (const { day, paise: amount, words } of lines) {
        balance += amount
        if (day < from || day > until) continue
        const [out, into] = amount < 0 ? [money(-amount), ''] : ['', money(amount)]
        rows.push(`${dayCell(day)},"${words}",,${out},${into},${money(balance)}`)
      }
      return rows.length === 0 ? undefined : [HEAD, ...(order === 'oldest' ? rows : rows.toReversed())].join('\n')
    },
  }
}
