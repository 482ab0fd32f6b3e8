/** The statement of a bank account that a test writes, and a line that came in without one. */
import { randomUUID } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { decimalText, paise, wholeRupees } from '@roz/core/money.ts'
import { type Db, sql } from '../db/sql.ts'
import { testSecrets } from './calls.ts'

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

/** The only line of an account of its own. Answers its id. */
export async function insertLine(db: Db, rupees: number, words: string): Promise<string> {
  const [account, id, amount] = [randomUUID(), randomUUID(), wholeRupees(rupees)]
  await db.query(sql`
    insert into statement_account (id, name, last_four, mapping, lines, opening, first_day, closing, last_day, complete_until)
    select ${account}::uuid, ${account}::text, '8901', '{}'::jsonb, 1, 0, today, ${amount}::bigint, today, today
      from (select ist_day(roz_now()) as today) t`)
  await db.query(sql`
    insert into bank_line (id, account_id, position, day, amount, balance, sealed_words)
    values (${id}::uuid, ${account}::uuid, 1, ist_day(roz_now()), ${amount}::bigint, ${amount}::bigint,
      ${testSecrets.encrypt(Buffer.from(words), `bank_line:${id}`)}::bytea)`)
  return id
}
