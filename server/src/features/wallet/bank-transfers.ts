/** How a member adds money by a transfer to our bank account: the account, and orders with the reference of each: those that wait, then the newest. */
import type { bankTransferCalls } from '@roz/contract/bank-transfers.ts'
import type { Output } from '@roz/contract/api.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import type { TopupStatus } from '../../ledger/topups.ts'
import { instantOf } from '../../lists/listing.ts'
import { ORDER_STATUS_OF } from './orders.ts'

/** Our bank account, by the settings. */
export type TransferAccount = NonNullable<Output<(typeof bankTransferCalls)['bankTransfers']>['account']>
type Shown = Output<(typeof bankTransferCalls)['bankTransfers']>['transfers'][number]

const SHOWN = 10
type Row = {
  readonly orderId: string
  readonly reference: string
  readonly amount: Paise
  readonly status: TopupStatus
  readonly createdAt: Date
  readonly expiresAt: Date
}

export async function listTransfers(from: Queryable, memberId: bigint): Promise<Shown[]> {
  const rows = await from.query<Row>(sql`
    select o.order_id as "orderId", f.reference, f.amount, o.status, o.created_at as "createdAt", f.expires_at as "expiresAt"
      from topup o join bank_transfer_order f on f.order_id = o.order_id
     where o.member_id = ${memberId}::bigint order by o.status in ('created', 'pending') desc, o.created_at desc, o.order_id desc limit ${SHOWN}::int`)
  return rows.map(({ orderId, reference, amount, status, createdAt, expiresAt }) => ({
    order_id: orderId,
    reference,
    amount: rupeesFromPaise(amount),
    status: ORDER_STATUS_OF[status],
    createdAt: instantOf(createdAt),
    expiresAt: instantOf(expiresAt),
  }))
}
