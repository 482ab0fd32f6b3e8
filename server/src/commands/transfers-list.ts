/**
 * Reads the gateway's list of transfers (CSV).
 * One unreadable line that may be ours rejects the whole list: a skipped transfer could be sent twice.
 */
import { readCells } from '@roz/core/csv-reader.ts'
import { type Paise, paise } from '@roz/core/money.ts'
import { uuidOf } from '@roz/core/gateway-id.ts'

/** `id` is the withdrawal's; the amount is in paise. */
export type Sent = { readonly id: string; readonly amount: Paise; readonly beneficiaryId: string }
type Listed = { readonly sent: readonly Sent[] } | { readonly problem: string }
/** The names of a column, in small letters without anything between them: “Transfer ID”, “transfer_id”. */
const COLUMNS = [['transferid'], ['amount', 'transferamount'], ['beneficiaryid', 'beneid']] as const

/** Transfers that are not ours are left out. */
export function transfersIn(text: string): Listed {
  const [head = [], ...rows] = readCells(text, ',') ?? []
  const names = head.map((name) => name.toLowerCase().replaceAll(/[^a-z]/g, ''))
  const found = COLUMNS.map((known) => names.flatMap((name, column) => ((known as readonly string[]).includes(name) ? [column] : [])))
  if (found.some(({ length }) => length !== 1))
    return { problem: 'a first line with the columns transfer_id, amount and beneficiary_id is needed, each once, and every quote closed.' }
  const [transfer, amount, beneficiary] = found.flat() as [number, number, number]
  const sent: Sent[] = []
  for (const [index, cells] of rows.entries()) {
    const row = cells.map((cell) => cell.trim())
    if (row.join() === '') continue
    const id = uuidOf(row[transfer] ?? '')
    // A transfer that is not ours, such as one made in the gateway's own dashboard.
    if (row.length === names.length && id === undefined) continue
    const [, rupees, part = ''] = /^(\d{1,9})(?:\.(\d{1,2})0*)?$/.exec((row[amount] ?? '').replaceAll(',', '')) ?? []
    if (row.length !== names.length || id === undefined || rupees === undefined)
      return { problem: `line ${index + 2} is not understood; nothing of the list was used.` }
    sent.push({ id, amount: paise(BigInt(rupees) * 100n + BigInt(part.padEnd(2, '0'))), beneficiaryId: row[beneficiary] ?? '' })
  }
  return sent.length > 0 ? { sent } : { problem: 'none of its transfers is of this database.' }
}
