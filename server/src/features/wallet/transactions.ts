/**
 * The wallet's movements as the member reads them, ready to print. Invariant: one order is one line
 * whose id stays the same, open, failed or paid.
 */
import type { transaction } from '@roz/contract/wallet.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Queryable, sql } from '../../db/sql.ts'
import { readPages } from '../../http/cursor.ts'
import { listMovements, type Movement } from '../../ledger/movements.ts'
import type { WithdrawalStatus } from '../../ledger/withdrawals.ts'
import { describe } from './descriptions.ts'
import { SHOWN_STATUS } from './withdraw.ts'

export type Transaction = z.infer<typeof transaction>

/** The details that movements name by reference: the order of a payment, the bank of a withdrawal. */
type Details = { readonly orderByPayment: ReadonlyMap<string, string>; readonly bankByWithdrawal: ReadonlyMap<string, string> }

export async function showTransactions(
  from: Queryable,
  memberId: bigint,
  movements: readonly Movement[],
  language: Language,
): Promise<Transaction[]> {
  const details = await readDetails(from, memberId, movements)
  return movements.map((movement) => transactionOf(movement, details, language))
}

/** All of them, newest first. */
export const listAllTransactions = (from: Queryable, memberId: bigint, language: Language): Promise<Transaction[]> =>
  readPages<Transaction, string>(async (cursor, limit) => {
    const page = await listMovements(from, { memberId, cursor, limit })
    if (!page.ok) throw new Error('a cursor of our own was refused')
    const rows = await showTransactions(from, memberId, page.value.movements, language)
    return { rows, next: page.value.nextCursor ?? undefined }
  })

const WITHDRAWAL_KINDS: ReadonlySet<string> = new Set(['wd_hold', 'wd_back', 'wd_reversed'])
const NOBODY: ReadonlyMap<string, string> = new Map()

/** Most pages name no bank, and a list has brought its orders along: then nothing is asked. */
async function readDetails(from: Queryable, memberId: bigint, movements: readonly Movement[]): Promise<Details> {
  const refs = (of: (movement: Movement) => boolean): string[] => movements.filter(of).map((movement) => movement.ref)
  const payments = refs(({ kind, orderId }) => kind === 'topup' && orderId === undefined)
  const withdrawals = refs(({ kind }) => WITHDRAWAL_KINDS.has(kind))
  const [orderByPayment, bankByWithdrawal] = await Promise.all([
    payments.length === 0 ? NOBODY : readOrders(from, memberId, payments),
    withdrawals.length === 0 ? NOBODY : readBanks(from, memberId, withdrawals),
  ])
  return { orderByPayment, bankByWithdrawal }
}

async function readOrders(from: Queryable, memberId: bigint, payments: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const orders = await from.query<{ paymentId: string; orderId: string }>(sql`
    select payment_id as "paymentId", order_id as "orderId" from topup
    where member_id = ${memberId}::bigint and payment_id = any (${payments}::text[])`)
  return new Map(orders.map((row) => [row.paymentId, row.orderId]))
}

async function readBanks(from: Queryable, memberId: bigint, withdrawals: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const banks = await from.query<{ id: string; bank: string }>(sql`
    select w.id, b.bank_name || ' ••' || b.last_four as bank from withdrawal w join bank_account b on b.id = w.bank_account_id
    where w.member_id = ${memberId}::bigint and w.id = any (${withdrawals}::uuid[])`)
  return new Map(banks.map((row) => [row.id, row.bank]))
}

function transactionOf(movement: Movement, details: Details, language: Language): Transaction {
  const { kind, ref } = movement
  const orderId = kind === 'order' ? ref : (movement.orderId ?? details.orderByPayment.get(ref))
  return {
    id: orderId ?? movement.id,
    type: movement.direction,
    // A join names its day; what a pool pays names day and rank, or day and member.
    description: describe({ kind, day: /^\d{4}-\d{2}-\d{2}/.exec(ref)?.[0], bank: details.bankByWithdrawal.get(ref) }, language),
    createdAt: isoIst(movement.at.getTime()),
    amount: rupeesFromPaise(movement.amount),
    status: statusOf(movement),
  }
}

/** The words of the spec for how a movement stands: success green, pending yellow, failed red. */
function statusOf({ kind, status }: Movement): string {
  if (kind === 'order') return status === 'created' || status === null ? 'pending' : status
  const isHold = kind === 'wd_hold' || kind === 'refund_hold'
  // A refund's states are words that a withdrawal has too.
  return isHold && status !== null ? SHOWN_STATUS[status as WithdrawalStatus] : 'completed'
}
