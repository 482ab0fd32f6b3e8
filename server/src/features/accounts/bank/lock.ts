/** The lock of the bank's statements: what changes their accounts, lines or matches runs one after the other. */
import { sql } from '../../../db/sql.ts'
import type { Tx } from '../../../db/transaction.ts'

export const lockBank = (tx: Tx): Promise<unknown> => tx.query(sql`select from bank_comparison for update`)
