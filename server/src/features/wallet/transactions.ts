/**
 * The wallet's movements as the member's list of transactions.
 *
 * - An order is one line whose id stays the same, whether it is open, failed or paid.
 * - A payment that waits in SUSPENSE is never `completed`: the completed lines add up to the balance. One in another currency
 *   has no amount in rupees; its description names the sum.
 * - A rejection carries its reason, a withdrawal to a UPI ID what the bank said of its name.
 */
import type { transaction } from '@roz/contract/wallet.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { CURRENCY, type Paise, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Queryable, sql } from '../../db/sql.ts'
import { readPages } from '../../lists/cursor.ts'
import { listMovements, type Movement, type WaitingStatus } from '../../ledger/movements.ts'
import { accountInText, nameMatchOf } from '../../members/bank-accounts.ts'
import type { WithdrawalStatus } from '../../ledger/withdrawals.ts'
import { describe } from './descriptions.ts'
import { SHOWN_STATUS } from './withdraw.ts'

type Transaction = z.infer<typeof transaction>

/** Details of referenced rows: the order of a payment, the bank of a withdrawal, the reason of a rejection, the tax on a reward. */
type Details = {
  readonly orderByPayment: ReadonlyMap<string, string>
  readonly bankByWithdrawal: ReadonlyMap<string, string>
  readonly nameByWithdrawal: ReadonlyMap<string, Transaction['nameMatch']>
  readonly reasons: ReadonlyMap<string, string>
  readonly taxByPrize: ReadonlyMap<string, Paise>
  /** The orders among them that are debits of AutoPay. */
  readonly debits: ReadonlySet<string>
}

export async function showTransactions(
  from: Queryable,
  memberId: bigint,
  movements: readonly Movement[],
  language: Language,
): Promise<Transaction[]> {
  const details = await readDetails(from, memberId, movements)
  return movements.map((movement) => transactionOf(movement, details, language))
}

/** All of a member's transactions, newest first. */
export const listAllTransactions = (from: Queryable, memberId: bigint, language: Language): Promise<Transaction[]> =>
  readPages<Transaction, string>(async (cursor, limit) => {
    const page = await listMovements(from, { memberId, cursor, limit })
    if (!page.ok) throw new Error('a cursor of our own was refused')
    const rows = await showTransactions(from, memberId, page.value.movements, language)
    return { rows, next: page.value.nextCursor ?? undefined }
  })

const WITHDRAWAL_KINDS: ReadonlySet<string> = new Set(['wd_hold', 'wd_back', 'wd_reversed'])
const REFUND_KINDS: ReadonlySet<string> = new Set(['refund_hold', 'refund_failed'])
const NOTHING: ReadonlyMap<string, string> = new Map()

/** Reads only what is missing: most pages have no withdrawal, and a list brings its orders along. */
async function readDetails(from: Queryable, memberId: bigint, movements: readonly Movement[]): Promise<Details> {
  const refs = (of: (movement: Movement) => boolean): string[] => movements.filter(of).map((movement) => movement.ref)
  const payments = refs(({ kind, orderId }) => kind === 'topup' && orderId === undefined)
  const withdrawals = refs(({ kind }) => WITHDRAWAL_KINDS.has(kind))
  const refunds = refs(({ kind }) => REFUND_KINDS.has(kind))
  const prizes = refs(({ kind }) => kind === 'prize')
  const [orderByPayment, known, decided, taxByPrize] = await Promise.all([
    payments.length === 0 ? NOTHING : readOrders(from, memberId, payments),
    withdrawals.length === 0 ? [] : readWithdrawals(from, memberId, withdrawals),
    refunds.length === 0 ? [] : readRejections(from, memberId, refunds),
    prizes.length === 0 ? NO_TAX : readTaxes(from, memberId, prizes),
  ])
  const reasons = [...known, ...decided].flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason] as const]))
  const debits = await readDebits(
    from,
    movements.flatMap((movement) => orderOf(movement, orderByPayment) ?? []),
  )
  const bankByWithdrawal = new Map(known.map(({ id, bank }) => [id, bank]))
  const nameByWithdrawal = new Map(known.map(({ id, nameMatch }) => [id, nameMatch]))
  return { orderByPayment, bankByWithdrawal, nameByWithdrawal, reasons: new Map(reasons), debits, taxByPrize }
}

const orderOf = ({ kind, ref, orderId }: Movement, byPayment: ReadonlyMap<string, string>): string | undefined =>
  kind === 'order' ? ref : (orderId ?? byPayment.get(ref))

async function readDebits(from: Queryable, orderIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (orderIds.length === 0) return NO_DEBITS
  const rows = await from.query<{ id: string }>(sql`select order_id as id from autopay_charge where order_id = any (${orderIds}::text[])`)
  return new Set(rows.map(({ id }) => id))
}
const NO_DEBITS: ReadonlySet<string> = new Set()

const NO_TAX: ReadonlyMap<string, Paise> = new Map()

async function readTaxes(from: Queryable, memberId: bigint, refs: readonly string[]): Promise<ReadonlyMap<string, Paise>> {
  const days = refs.map((ref) => ref.slice(0, 10))
  const rows = await from.query<{ ref: string; tax: Paise }>(sql`
    select day || ':' || rank as ref, tax from draw_winner where member_id = ${memberId}::bigint and day = any (${days}::date[]) and tax > 0`)
  return new Map(rows.map(({ ref, tax }) => [ref, tax]))
}

async function readOrders(from: Queryable, memberId: bigint, payments: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const orders = await from.query<{ paymentId: string; orderId: string }>(sql`
    select payment_id as "paymentId", order_id as "orderId" from topup
    where member_id = ${memberId}::bigint and payment_id = any (${payments}::text[])`)
  return new Map(orders.map((row) => [row.paymentId, row.orderId]))
}

/** Only reasons of rejections: the gateway's codes of failures are not texts for members. */
const readWithdrawals = (from: Queryable, memberId: bigint, ids: readonly string[]) =>
  from.query<{ id: string; bank: string; nameMatch: Transaction['nameMatch']; reason: string | null }>(sql`
    select w.id, ${accountInText(sql`b`)} as bank, ${nameMatchOf(sql`b`)} as "nameMatch", case when w.status = 'rejected' then w.reason end as reason
      from withdrawal w join bank_account b on b.id = w.bank_account_id
     where w.member_id = ${memberId}::bigint and w.id = any (${ids}::uuid[])`)

const readRejections = (from: Queryable, memberId: bigint, ids: readonly string[]) =>
  from.query<{ id: string; reason: string | null }>(sql`
    select id, decision as reason from refund
     where member_id = ${memberId}::bigint and id = any (${ids}::uuid[]) and status = 'rejected'`)

function transactionOf(movement: Movement, details: Details, language: Language): Transaction {
  const { kind, ref, currency, amount } = movement
  const orderId = orderOf(movement, details.orderByPayment)
  const isAutopay = orderId !== undefined && details.debits.has(orderId)
  const foreign = kind === 'waiting' && currency !== CURRENCY ? ` (${currency} ${rupeesFromPaise(amount)})` : ''
  // A join's reference is its day; a pool's payment has day and rank, or day and member.
  const about = {
    kind: described(movement),
    day: /^\d{4}-\d{2}-\d{2}/.exec(ref)?.[0],
    bank: details.bankByWithdrawal.get(ref),
    isAutopay,
    tax: details.taxByPrize.get(ref),
  }
  return {
    id: kind === 'waiting' ? movement.id : (orderId ?? movement.id),
    type: movement.direction,
    description: `${describe(about, language)}${foreign}`,
    createdAt: isoIst(movement.at.getTime()),
    amount: rupeesFromPaise(foreign === '' ? amount : ZERO),
    status: statusOf(movement),
    reason: details.reasons.get(ref) ?? null,
    nameMatch: kind === 'wd_hold' ? (details.nameByWithdrawal.get(ref) ?? null) : null,
  }
}

/** The description of a waiting payment follows its state. */
const described = ({ kind, status }: Movement) => (kind === 'waiting' ? (`waiting_${status as WaitingStatus}` as const) : kind)

const WAITING = { checking: 'pending', returning: 'processing', returned: 'returned', elsewhere: 'closed' } as const satisfies Record<
  WaitingStatus,
  string
>

/** The status that screens colour: success green, pending yellow, failed red. */
function statusOf({ kind, status }: Movement): string {
  if (kind === 'order') return status === 'created' || status === null ? 'pending' : status
  if (kind === 'waiting') return WAITING[status as WaitingStatus]
  const isHold = kind === 'wd_hold' || kind === 'refund_hold'
  // Every state of a refund is also a state of a withdrawal.
  return isHold && status !== null ? SHOWN_STATUS[status as WithdrawalStatus] : 'completed'
}
