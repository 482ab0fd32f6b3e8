/**
 * Finance confirms that money for a wallet reached our bank account: by a line of the statement, or by the bank's number.
 * - A line is an order's only if its words have the order's reference. Any other line, another amount and a second transfer go to SUSPENSE.
 * - Orders of a time before PAYMENTS named a gateway are confirmed too. A line without their reference is then no transfer.
 * - A number is typed with the amount of its order: a typing error books no money that never came.
 * - Credit and arrival at the bank are one transaction: the gateway's account owes nothing after it.
 * - A line, and a number of the bank, are booked once; a number that was typed and the line that has it exclude each other.
 * - Above the limit two persons confirm; nobody confirms money of their own.
 * - Lock order: the bank, outlays, the transfer, decisions, the order, wallets.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { formatPaise, type Paise, paiseFromRupees, rupeesFromPaise } from '@roz/core/money.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { type Queryable, sql } from '../../../db/sql.ts'
import { inTransaction, type Tx } from '../../../db/transaction.ts'
import { type Handlers, invalid, type Refusal } from '../../../http/route.ts'
import { type Approver, judgeApprover, recordAlone } from '../../../ledger/approvals.ts'
import { lockOutlays } from '../../../ledger/evidence.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { bookArrival } from '../../../ledger/gateway-settlements.ts'
import { CURSOR_PARTS } from '../../../lists/cursor.ts'
import { logStaff } from '../../../staff/staff-log.ts'
import type { AccountsDeps, Transfers } from '../deps.ts'
import { compareBank } from './compare.ts'
import { lockBank } from './lock.ts'
import { findOrders, referenceOf, seenOfLine, type ShownTransfer, viewTransfer } from './transfer-lists.ts'
import { findLine, isKnownNumber, isTakenElsewhere, isTypedAlready, lookForNumber, lookForTransfer } from './transfer-matches.ts'

type New = {
  readonly id: string
  /** Of a line without a known reference: an id that no order has. */
  readonly orderId: string
  readonly amount: Paise
  readonly day: IstDay
  readonly lineId: string | null
  readonly bankNumber: string | null
}
type Refused = 'transfer_known' | ApprovalRefusal
type Answered<C extends RefusalCode> = { readonly ok: true; readonly value: { readonly transfer: ShownTransfer } } | Refusal<C>
type Names = 'confirmTransferLine' | 'confirmTransfer' | 'approveTransfer' | 'rejectTransfer'

export function transferHandlers(deps: AccountsDeps): Handlers<Names> {
  const { transfers } = deps
  const approverOf = (by: bigint): Approver => ({ by, limit: deps.approvalAbove })
  return {
    confirmTransferLine: ({ session, params: { id }, body: { reference, seen } }) =>
      underLocks(deps, async (tx) => {
        const line = CURSOR_PARTS.uuid(id) ? await findLine(tx, deps.secrets, id) : undefined
        if (line === undefined) return { ok: false, code: 'bank_line_not_found' }
        if (line.isTaken || (await isTypedAlready(tx, line))) return { ok: false, code: 'transfer_known' }
        const found = referenceOf(line.words, await findOrders(tx, [line.words]))
        const now = seenOfLine(found?.reference, line.isClosed)
        if ((found?.reference ?? null) !== reference || (seen ?? now) !== now) return { ok: false, code: 'changed_since_seen' }
        if (found === undefined && !transfers.areOffered) return { ok: false, code: 'other_way_to_pay' }
        const orderId = found?.orderId ?? gatewayIdOf(randomUUID())
        const { amount, day } = line
        return ask(tx, transfers, approverOf(session.memberId), { id: randomUUID(), orderId, amount, day, lineId: id, bankNumber: null })
      }),
    confirmTransfer: async ({ session, body: { reference, bankReference: bankNumber, ...typed } }) => {
      const amount = paiseFromRupees(typed.amount)
      const day = parseDay(typed.day)
      if (amount === undefined || amount <= 0n) return invalid({ amount: 'amount_invalid' })
      if (day === undefined) return invalid({ day: 'day_invalid' })
      const looked = await lookForNumber(deps.db, deps.secrets, bankNumber)
      return underLocks(deps, async (tx) => {
        if (await isAhead(tx, day)) return invalid({ day: 'settlement_day_future' })
        const order = await findOrder(tx, reference)
        if (order === undefined) return { ok: false, code: 'transfer_no_order' }
        if (order.amount !== amount) return { ok: false, code: 'transfer_other_amount', values: { amount: formatPaise(order.amount) } }
        if (await isKnownNumber(tx, bankNumber)) return { ok: false, code: 'transfer_known' }
        if ((await lookForNumber(tx, deps.secrets, bankNumber, looked)).hasNumber) return { ok: false, code: 'transfer_has_line' }
        return ask(tx, transfers, approverOf(session.memberId), { ...order, id: randomUUID(), day, lineId: null, bankNumber })
      })
    },
    approveTransfer: async ({ session, params: { id } }) => {
      if (!CURSOR_PARTS.uuid(id)) return { ok: false, code: 'transfer_not_found' }
      const looked = await lookForTransfer(deps.db, deps.secrets, id)
      return underLocks(deps, async (tx) => {
        const found = await lockTransfer(tx, id)
        if (!found.ok) return found
        const transfer = found.value
        const judged = await judge(tx, approverOf(session.memberId), transfer, transfer.askedBy)
        if (!judged.ok) return judged
        if (await isTakenElsewhere(tx, deps.secrets, transfer, looked)) return { ok: false, code: 'transfer_known' }
        await decide(tx, id, { status: 'confirmed', by: session.memberId })
        await book(tx, transfers, transfer)
        return answer(tx, transfer, { by: session.memberId, action: 'transfer.approve' })
      })
    },
    rejectTransfer: ({ session, params: { id }, body: { reason } }) =>
      underLocks(deps, async (tx) => {
        const found = await lockTransfer(tx, id)
        if (!found.ok) return found
        await decide(tx, id, { status: 'rejected', by: session.memberId, reason })
        return answer(tx, found.value, { by: session.memberId, action: 'transfer.reject', reason })
      }),
  }
}

/** One decision after the other: each sees what the one before it booked. */
const underLocks = <A>({ db }: AccountsDeps, work: (tx: Tx) => Promise<A>): Promise<A> =>
  inTransaction(db, async (tx) => {
    await lockBank(tx)
    await lockOutlays(tx)
    return work(tx)
  })

/** Records the first voice, or books where one person is enough. */
async function ask(tx: Tx, transfers: Transfers, approver: Approver, transfer: New): Promise<Answered<Refused>> {
  const { by } = approver
  const judged = await judge(tx, approver, transfer, null)
  if (!judged.ok) return judged
  const isAlone = judged.value === 'alone'
  const { id, orderId, amount, day, lineId, bankNumber } = transfer
  await tx.query(sql`
    insert into bank_transfer (id, order_id, amount, day, line_id, bank_number, status, asked_by, decided_by, decided_at)
    values (${id}::uuid, ${orderId}::text, ${amount}::bigint, ${day}::date, ${lineId}::uuid, ${bankNumber}::text,
      ${isAlone ? 'confirmed' : 'asked'}::text, ${by}::bigint, ${isAlone ? by : null}::bigint, case when ${isAlone}::boolean then roz_now() end)`)
  if (isAlone) {
    await recordAlone(tx, { by, kind: 'bank_transfer', subject: id, amount })
    await book(tx, transfers, transfer)
  }
  return answer(tx, transfer, { by, action: isAlone ? 'transfer.confirm' : 'transfer.ask' })
}

async function judge(tx: Tx, approver: Approver, { orderId, amount }: New, firstApprovedBy: bigint | null) {
  const order = await tx.maybeOne<{ owner: bigint }>(sql`select member_id as owner from topup where order_id = ${orderId}::text`)
  return judgeApprover(tx, approver, { amount, owner: order?.owner ?? null, firstApprovedBy })
}

/** Credits the payment, and books that its money is at the bank; a line is its entry's from now on. */
async function book(tx: Tx, { credit }: Transfers, { id, orderId, amount, lineId, bankNumber }: New): Promise<void> {
  if (!(await credit(tx, { orderId, paymentId: gatewayIdOf(id), amount }))) throw new Error(`the bank transfer ${id} is booked already`)
  const reference = bankNumber ?? `LINE ${lineId ?? ''}`.toUpperCase()
  const evidence = [
    createHash('sha256')
      .update(JSON.stringify(['bank_transfer', id, reference, String(amount)]))
      .digest(),
  ]
  await bookArrival(tx, { id, reference, amount, evidence })
  if (lineId !== null)
    await tx.query(sql`
      update bank_line set subject = ${`gateway_settled:${id}`}::text, matched_at = roz_now(),
             matched_day = (select day from transfer where kind = 'gateway_settled' and ref = ${id}::text)
       where id = ${lineId}::uuid`)
  await compareBank(tx)
}

type Logged = { readonly by: bigint; readonly action: string; readonly reason?: string }
async function answer(tx: Tx, { id, amount, lineId, bankNumber }: New, { by, action, reason }: Logged) {
  const after = {
    amount: rupeesFromPaise(amount),
    ...(lineId === null ? { bankReference: bankNumber } : { line: lineId }),
    ...(reason === undefined ? {} : { reason }),
  }
  await logStaff(tx, { actorId: by, action, subject: `bank_transfer:${id}`, after })
  return { ok: true as const, value: { transfer: await viewTransfer(tx, id) } }
}

type Decided = { readonly status: 'confirmed' | 'rejected'; readonly by: bigint; readonly reason?: string }
const decide = (tx: Tx, id: string, { status, by, reason }: Decided): Promise<unknown> =>
  tx.query(sql`
    update bank_transfer set status = ${status}::text, decided_by = ${by}::bigint, decided_at = roz_now(), reason = ${reason ?? null}::text
     where id = ${id}::uuid`)

type Waiting = New & { readonly status: string; readonly askedBy: bigint }
type Locked = { readonly ok: true; readonly value: Waiting } | Refusal<'transfer_not_found' | 'transfer_final'>
async function lockTransfer(tx: Tx, id: string): Promise<Locked> {
  if (!CURSOR_PARTS.uuid(id)) return { ok: false, code: 'transfer_not_found' }
  const found = await tx.maybeOne<Waiting>(sql`
    select id, order_id as "orderId", amount, day::text as day, line_id as "lineId", bank_number as "bankNumber", status, asked_by as "askedBy"
          from bank_transfer where id = ${id}::uuid for update`)
  if (found === undefined) return { ok: false, code: 'transfer_not_found' }
  return found.status === 'asked' ? { ok: true, value: found } : { ok: false, code: 'transfer_final' }
}

const findOrder = (from: Queryable, reference: string): Promise<Pick<New, 'orderId' | 'amount'> | undefined> =>
  from.maybeOne(sql`select order_id as "orderId", amount from bank_transfer_order where reference = ${reference}::text`)

const isAhead = async (tx: Tx, day: IstDay): Promise<boolean> =>
  (await tx.one<{ isAhead: boolean }>(sql`select ${day}::date > ist_day(roz_now()) as "isAhead"`)).isAhead
