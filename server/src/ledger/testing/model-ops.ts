/**
 * The operations of money as plain data, and the ledger's answer to each.
 * - An operation names everything that it needs, ids included: the same operation can be repeated at any later time.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import type { SplitPolicy } from '@roz/core/split.ts'
import { type Db, DatabaseUnavailableError, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { autoJoinPage, joinAfterTopup, runAutoJoin, startAutoJoin } from '../auto-join.ts'
import { closeWallet, giveRest } from '../closing.ts'
import { bookDisbursement, correctDisbursement } from '../disbursements.ts'
import { bookDispute } from '../disputes.ts'
import { recordDraw } from '../draw.ts'
import { APPROVER, disputed, giveRoundBack, hashOf, makeDay } from './fixtures.ts'
import { bookSettlement } from '../gateway-settlements.ts'
import { bookHouseEntry, type HouseKind } from '../house-entries.ts'
import type { JoinBatcher } from '../join-batcher.ts'
import type { JoinOutcome } from '../join-outcome.ts'
import { passOn } from '../pass-on.ts'
import { approveRefund, bookRefund, rejectRefund, requestRefund, startRefund, stopRefund } from '../refunds.ts'
import { closeRound, recordSeal } from '../rounds.ts'
import { sealDay } from '../seal-day.ts'
import { settleRound } from '../settlement.ts'
import { reinstateMember, suspendMember } from '../suspension.ts'
import { creditSuspense, paySuspense, refundSuspense } from '../suspense.ts'
import { captureTopup, createTopup, markTopup } from '../topups.ts'
import { setAutoJoin, setPassesOn } from '../wallets.ts'
import {
  approveWithdrawal,
  bookPayout,
  completeWithdrawal,
  holdWithdrawal,
  type PayoutWord,
  rejectWithdrawal,
  showAccount,
  startSending,
  stopSending,
} from '../withdrawals.ts'

type Id = { readonly id: string }
type Member = { readonly memberId: bigint }
type Amount = { readonly amount: bigint }
type OfOrder = { readonly orderId: string }
type OfPayment = { readonly paymentId: string }
type Receipts = { readonly receipts: readonly string[] }
type OfDay = { readonly day: IstDay }
type Does<Name extends string, Body> = Name extends string ? { readonly do: Name } & Readonly<Body> : never
export type Op =
  | Does<'order', OfOrder & Member & Amount>
  | Does<'capture', OfOrder & OfPayment & Amount>
  | Does<'mark', OfOrder & { status: 'pending' | 'failed' | 'expired' }>
  | Does<'join', { members: readonly bigint[]; key: string | undefined }>
  | Does<'join after top-up', Member>
  | Does<'auto-join page' | 'auto-join all', OfDay & { size: number }>
  | Does<'hold', Id & Member & Amount & { bankAccountId: bigint }>
  | Does<'approve withdrawal' | 'reject withdrawal' | 'stop withdrawal' | 'show withdrawal' | 'complete withdrawal', Id>
  | Does<'send withdrawal' | 'send refund', Id & { again: boolean }>
  | Does<'payout word', Id & { word: PayoutWord }>
  | Does<'ask refund', Id & OfOrder & Member & Amount>
  | Does<'approve refund' | 'reject refund' | 'stop refund', Id>
  | Does<'refund word', Id & { word: 'paid' | 'failed' }>
  | Does<'credit item', OfPayment & Member>
  | Does<'refund item', OfPayment & Id>
  | Does<'pay item', OfPayment>
  | Does<'give rest', Member & Id>
  | Does<'pass on', Member & OfDay>
  | Does<'switch pass on', Member & { on: boolean }>
  | Does<'close wallet', Member>
  | Does<'dispute', OfOrder & OfPayment & Amount & { disputeId: string; isTaken: boolean }>
  | Does<'disburse', Id & Amount & Receipts>
  | Does<'correct', Id & Amount & Receipts & { corrects: string }>
  | Does<'house', Id & Amount & Receipts & { kind: HouseKind }>
  | Does<'gateway settlement', Id & Amount & Receipts & { reference: string; fee: bigint }>
  | Does<'auto participate', Member & { on: boolean }>
  | Does<'suspend' | 'reinstate', Member>
  | Does<'close', OfDay & { early: boolean }>
  | Does<'draw', OfDay & { winners: readonly bigint[]; taxPercent: bigint }>
  | Does<'settle' | 'void' | 'seal', OfDay>
  | Does<'new day', OfDay & { at: Date; policy: SplitPolicy }>
export type OpOf<Do extends Op['do']> = Extract<Op, { do: Do }>

/** The operation failed and changed nothing. */
export const FAULT = 'fault'

export type Ledger = { readonly db: Db; readonly setClock: (at: Date) => Promise<void>; readonly batcher: JoinBatcher }

/** The ledger's answer, without the ids that the database gave. */
export async function perform(ledger: Ledger, op: Op): Promise<unknown> {
  try {
    return await answerOf(ledger, op)
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    return FAULT
  }
}

/** The ledger's answer; throws what the ledger throws. */
export function answerOf({ db, setClock, batcher }: Ledger, op: Op): Promise<unknown> {
  switch (op.do) {
    case 'join':
      return Promise.all(op.members.map((memberId) => batcher.join({ memberId, idempotencyKey: op.key }))).then((all) =>
        all.map(joinAnswer),
      )
    case 'join after top-up':
      return joinAfterTopup(db, op.memberId).then(joinAnswer)
    case 'auto-join page':
      return startAutoJoin(db, op.day, 1).then(() => autoJoinPage(db, op.day, 0, op.size))
    case 'auto-join all':
      return runAutoJoin(db, op.day, { lanes: 1, pageSize: op.size })
    case 'new day':
      return makeDay(db, op.day, op.policy).then(() => setClock(op.at))
    default:
      return inTransaction(db, (tx) => inside(tx, op))
  }
}

const joinAnswer = (outcome: JoinOutcome): string =>
  outcome.ok ? `${outcome.value.replayed ? 'replayed' : 'joined'} ${outcome.value.day} ${outcome.value.balance}` : outcome.code

export type Inside = Exclude<Op, { do: 'join' | 'join after top-up' | 'auto-join page' | 'auto-join all' | 'new day' }>

/** Closes the wallet and erases the account, which is locked first, as a member who leaves does. */
async function closeAccount(tx: Tx, memberId: bigint) {
  await tx.query(sql`select from member where id = ${memberId}::bigint for update`)
  const closed = await closeWallet(tx, memberId)
  if (closed.ok) await tx.query(sql`update member set email = null, deleted_at = roz_now() where id = ${memberId}::bigint`)
  return closed
}

/** Runs an operation in the caller's transaction. */
export async function inside(tx: Tx, op: Inside): Promise<unknown> {
  switch (op.do) {
    case 'order':
      return createTopup(tx, { ...op, amount: paise(op.amount) })
    case 'capture':
      return captureTopup(tx, { ...op, orderAmount: paise(op.amount) })
    case 'mark':
      return markTopup(tx, op.orderId, op.status)
    case 'dispute':
      return bookDispute(tx, disputed(op.disputeId, op.orderId, paise(op.amount), op.isTaken, op.paymentId))
    case 'disburse':
      return bookDisbursement(tx, outlayOf(op))
    case 'correct':
      return correctDisbursement(tx, { ...outlayOf(op), corrects: op.corrects })
    case 'house':
      return bookHouseEntry(tx, { ...outlayOf(op), kind: op.kind })
    case 'gateway settlement':
      return bookSettlement(tx, { ...outlayOf(op), reference: op.reference, fee: paise(op.fee) })
    case 'auto participate':
      return setAutoJoin(tx, op.memberId, op.on)
    case 'suspend':
      return suspendMember(tx, op.memberId)
    case 'reinstate':
      return reinstateMember(tx, op.memberId)
    case 'close':
      return closeRound(tx, op.day, { early: op.early })
    case 'draw':
      await recordSeal(tx, op.day, { root: hashOf(op.day), drawAt: new Date() })
      return recordDraw(tx, {
        day: op.day,
        randomness: hashOf('randomness'),
        seed: hashOf('seed'),
        winners: op.winners,
        taxOn: (prize) => paise((prize * op.taxPercent) / 100n),
      })
    case 'settle':
      return settleRound(tx, op.day)
    case 'void':
      return giveRoundBack(tx, op.day)
    case 'seal':
      return sealDay(tx, op.day)
    default:
      return outside(tx, op)
  }
}

const outlayOf = ({ id, amount, receipts }: OpOf<'disburse' | 'correct' | 'house' | 'gateway settlement'>) => ({
  id,
  amount: paise(amount),
  evidence: receipts.map(hashOf),
})

type Outside = Exclude<
  Inside,
  {
    do:
      | 'order'
      | 'capture'
      | 'mark'
      | 'dispute'
      | 'disburse'
      | 'correct'
      | 'house'
      | 'gateway settlement'
      | 'auto participate'
      | 'suspend'
      | 'reinstate'
      | 'close'
      | 'draw'
      | 'settle'
      | 'void'
      | 'seal'
  }
>

async function outside(tx: Tx, op: Outside): Promise<unknown> {
  switch (op.do) {
    case 'hold':
      return holdWithdrawal(tx, { ...op, amount: paise(op.amount) })
    case 'approve withdrawal':
      return asInModel(await approveWithdrawal(tx, op.id, APPROVER))
    case 'reject withdrawal':
      return rejectWithdrawal(tx, { id: op.id, reason: 'no' })
    case 'send withdrawal':
      return startSending(tx, op.id, op)
    case 'stop withdrawal':
      return stopSending(tx, op.id, 'beneficiary_invalid')
    case 'show withdrawal':
      return showAccount(tx, { id: op.id, by: 1n })
    case 'complete withdrawal':
      return completeWithdrawal(tx, { id: op.id, by: 1n, reference: 'UTR1' })
    case 'payout word':
      return bookPayout(tx, op)
    case 'ask refund':
      return requestRefund(tx, { ...op, amount: paise(op.amount), reason: 'changed my mind' })
    case 'approve refund':
      return asInModel(await approveRefund(tx, op.id, APPROVER))
    case 'reject refund':
      return asInModel(await rejectRefund(tx, { id: op.id, reason: 'no' }))
    case 'send refund':
      return startRefund(tx, op.id, op)
    case 'stop refund':
      return stopRefund(tx, op.id, 'refund_amount_invalid')
    case 'refund word':
      return asInModel(await bookRefund(tx, op))
    case 'credit item':
      return creditSuspense(tx, { itemId: await itemOf(tx, op.paymentId), memberId: op.memberId, decidedBy: 1n })
    case 'pay item':
      return paySuspense(tx, { itemId: await itemOf(tx, op.paymentId), reference: 'UTR1', decidedBy: 1n })
    case 'give rest':
      return giveRest(tx, { memberId: op.memberId, ref: op.id })
    case 'pass on':
      return passOn(tx, op)
    case 'switch pass on':
      return setPassesOn(tx, op.memberId, op.on)
    case 'close wallet':
      return closeAccount(tx, op.memberId)
    case 'refund item':
      return asInModel(
        await refundSuspense(tx, { itemId: await itemOf(tx, op.paymentId), refundId: op.id, reason: 'nobody’s', approver: APPROVER }),
      )
  }
}

/** The database numbers the items; the model knows an item by its payment. */
const itemOf = async (tx: Tx, paymentId: string): Promise<bigint> =>
  (await tx.maybeOne<{ id: bigint }>(sql`select id from suspense_item where payment_id = ${paymentId}::text`))?.id ?? 0n

const NOT_IN_MODEL = new Set(['suspenseId', 'owner', 'firstApprovedBy', 'approval'])
function asInModel(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer ?? null, (name, value: unknown) => (NOT_IN_MODEL.has(name) ? undefined : plain(value))))
}
export const plain = (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)

/** The rows of these members and of later movements, one line each, sorted. */
export async function ledgerLines(db: Db, of: { readonly members: readonly bigint[]; readonly since: Since }): Promise<string[]> {
  const { members, since } = of
  const rows = await db.query<{ line: string }>(sql`
    select concat_ws(' ', 'member', member_id, 'balance', balance, 'held', held, 'seq', seq, 'joins', joins, 'last', last_round,
             'year', join_year, year_joins, case when may_move then 'may move' end, case when auto_join then 'auto' end, case when passes_on then 'passes on' end, case when is_closed then 'closed' end) as line
      from wallet where member_id = any(${members}::bigint[])
    union all select concat_ws(' ', 'order', order_id, status, payment_id, case when charged_back_at is not null then 'charged back' end)
      from topup where member_id = any(${members}::bigint[])
    union all select concat_ws(' ', 'withdrawal', id, member_id, amount, status, problem, case when shown_to is not null then 'shown' end) from withdrawal where member_id = any(${members}::bigint[])
    union all select concat_ws(' ', 'refund', r.id, r.order_id, coalesce(r.member_id::text, s.payment_id), r.amount, r.status, r.problem)
      from refund r left join suspense_item s on s.id = r.suspense_id where r.member_id = any(${members}::bigint[]) or s.id > ${since.item}::bigint
    union all select concat_ws(' ', 'dispute', id, order_id, payment_id, amount, case when is_taken then 'taken' end, problem)
      from dispute where starts_with(id, ${since.disputes}::text)
    union all select concat_ws(' ', 'debt', ref, member_id, amount, 'paid', paid, case when returned_at is not null then 'returned' end)
      from debt where member_id = any(${members}::bigint[])
    union all select concat_ws(' ', 'item', payment_id, order_id, amount, reason, status) from suspense_item where id > ${since.item}::bigint
    union all select concat_ws(' ', 'round', day, status, entries, pool, need_paise, reward_paise, platform_paise, tax_paise)
      from round where day >= ${since.day}::date
    union all select concat_ws(' ', 'sealed', day) from ledger_day where day >= ${since.day}::date and sealed_at is not null
    union all select concat_ws(' ', 'winner', day, rank, member_id, amount, tax) from draw_winner where day >= ${since.day}::date
    union all select concat_ws(' ', 'passed on', day || ':' || rank, amount) from prize_gift where day >= ${since.day}::date
    union all select concat_ws(' ', 'skipped', day, member_id, reason) from auto_skip where day >= ${since.day}::date
    union all select concat_ws(' ', 'join', day, member_id, wallet_seq, balance_after) from round_join where day >= ${since.day}::date
    union all select concat_ws(' ', 'allotment', a.entry_id, a.disbursement_id, a.day, a.paise, a.posted_on)
      from help_allotment a join transfer t on t.kind in ('disbursement', 'disbursement_back') and t.ref = a.entry_id where t.transfer_id > ${since.transfer}::bigint
    union all select concat_ws(' ', 'receipts', e.kind, e.ref, count(*))
      from evidence e join transfer t on t.kind = e.kind and t.ref = e.ref where t.transfer_id > ${since.transfer}::bigint group by e.kind, e.ref
    union all select concat_ws(' ', 'transfer', t.kind, coalesce(s.payment_id, t.ref), t.debit, t.credit, t.amount, t.day, t.wallet_seq, t.balance_after)
      from transfer t left join suspense_item s on t.kind in ('suspense_credit', 'suspense_paid') and s.id::text = t.ref where t.transfer_id > ${since.transfer}::bigint`)
  return rows.map(({ line }) => line).sort()
}

/** The start of a history: rows from before it are left out. */
export type Since = { readonly day: IstDay; readonly transfer: bigint; readonly item: bigint; readonly disputes: string }
