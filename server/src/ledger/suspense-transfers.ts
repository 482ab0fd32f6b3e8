/**
 * Bank transfers in SUSPENSE. They have no payment to refund.
 * - Once the owner of its order has closed the account, an item is money of a closed account, whatever brought it here: no wallet of the
 *   owner can take it.
 */
import { CURRENCY } from '@roz/core/money.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

/** The payment whose items these are: an item that is made of another one keeps its name, with a suffix. */
export const ROOT = sql`split_part(s.payment_id, '#', 1)`

/** The payment of a transfer has its id without dashes (`gatewayIdOf`), which PostgreSQL reads as the same UUID. */
export const IS_BANK_TRANSFER: Sql = sql`exists (
  select from bank_transfer b where b.id = case when ${ROOT} ~ '^[0-9a-f]{32}$' then ${ROOT}::uuid end)`

export const isBankTransfer = async (tx: Tx, { paymentId }: { readonly paymentId: string }): Promise<boolean> =>
  (await tx.maybeOne(sql`select from (select ${paymentId}::text as payment_id) s where ${IS_BANK_TRANSFER}`)) !== undefined

/** The reason of the item `s` as it is now. A closed wallet stays closed, so nothing needs a lock. */
export const REASON_NOW: Sql = sql`
  case when s.status = 'open' and s.currency = ${CURRENCY}::text and ${IS_BANK_TRANSFER} and exists (
         select from topup own join wallet w on w.member_id = own.member_id where own.order_id = s.order_id and w.is_closed)
       then 'closed_account' else s.reason end`
