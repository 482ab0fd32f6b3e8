/**
 * Withdrawals: held on request, given back on rejection, sent after the commit of the approval, ended by the gateway's status.
 * - Parallel requests never overdraw: each request judges the locked balance.
 * - A repeated id is the same withdrawal; other content under it is refused.
 * - After sending only the gateway ends a withdrawal.
 * - The gateway's final status is always booked, even against our state. An amount given back and paid as well is a loss (`wd_conflict`).
 *   But a person who was shown the account may have paid: then its word is of another payment, and gives nothing back.
 * - A payout that is reversed after the account was closed is booked to SUSPENSE.
 * - By hand: the administrator who was shown the bank account may have paid. Only this person ends the withdrawal, as paid or not paid,
 *   and the gateway no longer receives it. Nobody pays or ends a withdrawal of their own.
 * - A payout by hand that was not paid, came back, or never left, is given back by the team's word: no gateway can tell. Above the limit
 *   two persons say so. That it was not paid, the person who was shown the account says first.
 * - An owner may take a shown withdrawal over, and names the administrator who has it. If another one has it by now, that is refused.
 * - Above a limit two persons approve; the first approval leaves it `requested`.
 * - A withdrawal of a member on hold is not approved, sent, shown or marked as paid.
 * - A withdrawal of a member in debt is not approved, sent or shown. A debt that begins after the showing does not stop "paid": the
 *   administrator may have paid before.
 */
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { squeezed } from '@roz/core/reference-fields.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { type Approver, isOwnMoney, judgeApprover, judgeReturn, recordAlone, recordFirstApproval } from './approvals.ts'
import { moveConflict } from './conflicts.ts'
import { giveBackToMember, readDebt } from './debts.ts'
import { gatewayIdOf } from '@roz/core/gateway-id.ts'
import { isOnHold, ON_HOLD } from './holds.ts'
import { suspendReturn } from './suspense.ts'
import { debitMember, lockWallet, moveSystem, releaseHeld } from './transfer.ts'

export type WithdrawalStatus = 'requested' | 'approved' | 'sending' | 'paid' | 'rejected' | 'failed' | 'reversed'

type WithdrawalRequest = {
  /** A random UUID; without its dashes it is the transfer's id at the gateway. */
  readonly id: string
  readonly memberId: bigint
  readonly amount: Paise
  readonly bankAccountId: bigint
  /** Reasons for an administrator to look twice; never a refusal. */
  readonly flags?: readonly string[]
}

export async function holdWithdrawal(
  tx: Tx,
  request: WithdrawalRequest,
): Promise<
  Outcome<{ readonly balance: Paise; readonly replayed: boolean }, 'insufficient_funds' | 'may_not_move' | 'idempotency_mismatch'>
> {
  const wallet = await lockWallet(tx, request.memberId)
  const known = await tx.maybeOne<{ same: boolean; balance: Paise | null }>(sql`
    select w.member_id = ${request.memberId}::bigint and w.amount = ${request.amount}::bigint and w.bank_account_id = ${request.bankAccountId}::bigint as same,
               t.balance_after as balance
          from withdrawal w left join transfer t on t.kind = 'wd_hold' and t.ref = w.id::text
         where w.id = ${request.id}::uuid`)
  if (known !== undefined)
    return known.same && known.balance !== null ? accepted({ balance: known.balance, replayed: true }) : refused('idempotency_mismatch')
  if (wallet === undefined || !wallet.mayMove) return refused('may_not_move')
  if (wallet.balance < request.amount) return refused('insufficient_funds')
  const { id, memberId, amount } = request
  await tx.query(sql`insert into withdrawal (id, member_id, amount, bank_account_id, flags)
        values (${id}::uuid, ${memberId}::bigint, ${amount}::bigint, ${request.bankAccountId}::bigint, ${request.flags ?? []}::text[])`)
  const { balance } = await debitMember(tx, { kind: 'wd_hold', ref: id, memberId, amount, to: 'PAYOUTS_PENDING', holds: amount })
  return accepted({ balance, replayed: false })
}

type Row = { readonly memberId: bigint; readonly amount: Paise; readonly status: WithdrawalStatus }
/** `shownTo`: the administrator who was shown the bank account, to pay by hand. */
type Locked = Row & Readonly<Record<'shownTo' | 'firstApprovedBy' | 'returnFirstBy', bigint | null>> & { readonly reference: string | null }

/**
 * The first person to say that the payout by hand `w` was not paid, or came back, while a second person has not confirmed it.
 * It lapses after seven days: a mistake needs nobody to take it back.
 */
export const RETURN_VOICE: Sql = sql`
  case when w.status in ('approved', 'paid') and w.return_first_at > (select roz_now()) - interval '7 days' then w.return_first_by end`

/** Locks a withdrawal, so that decisions about it run one after the other. */
const lockWithdrawal = (tx: Tx, id: string): Promise<Locked | undefined> =>
  tx.maybeOne<Locked>(sql`
    select member_id as "memberId", amount, status, shown_to as "shownTo", reference, first_approved_by as "firstApprovedBy", ${RETURN_VOICE} as "returnFirstBy"
          from withdrawal w where id = ${id}::uuid for update`)

type WithdrawalRefusal = 'withdrawal_not_found' | 'withdrawal_final'
/** `being_paid_by_hand`: an administrator was shown the bank account, and only that person ends the withdrawal. */
type ByHandRefusal = WithdrawalRefusal | 'being_paid_by_hand'
type Approved = Omit<Row, 'status'>
type Rejected = { readonly memberId: bigint; readonly amount: Paise; readonly balance: Paise }

/** An administrator rejects a withdrawal before it is sent: the amount is given back. `withdrawal_final`: sent or ended. */
export async function rejectWithdrawal(
  tx: Tx,
  rejection: { readonly id: string; readonly reason: string },
): Promise<Outcome<Rejected, ByHandRefusal>> {
  const { id, reason } = rejection
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'requested' && found.status !== 'approved') return refused('withdrawal_final')
  if (found.shownTo !== null) return refused('being_paid_by_hand')
  const balance = await giveBack(tx, id, found)
  await end(tx, id, { status: 'rejected', reason })
  return accepted({ memberId: found.memberId, amount: found.amount, balance })
}

type Stopped = typeof ON_HOLD | 'member_in_debt'

/** The reason why none of the member's money may leave now. Every change of a debt, a hold or a suspension needs the wallet's lock taken here. */
async function whyStopped(tx: Tx, memberId: bigint): Promise<Stopped | undefined> {
  // First the lock: a suspension or hold that it waited for is seen.
  await lockWallet(tx, memberId)
  if (await isOnHold(tx, memberId)) return ON_HOLD
  return (await readDebt(tx, memberId)) > 0n ? 'member_in_debt' : undefined
}

/**
 * An administrator approves. No money moves: the amount stays held, and is sent after the commit of the final approval.
 * - `first`: the approval is recorded, and another person must approve too.
 */
export async function approveWithdrawal(
  tx: Tx,
  id: string,
  approver: Approver,
): Promise<Outcome<Approved & { readonly approval: 'first' | 'final' }, WithdrawalRefusal | Stopped | ApprovalRefusal>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'requested') return refused('withdrawal_final')
  const { memberId, amount } = found
  const judged = await judgeApprover(tx, approver, { amount, owner: memberId, firstApprovedBy: found.firstApprovedBy })
  if (!judged.ok) return judged
  const stopped = await whyStopped(tx, memberId)
  if (stopped !== undefined) return refused(stopped)
  const { by } = approver
  if (judged.value === 'alone') await recordAlone(tx, { by, kind: 'withdrawal', subject: id, amount })
  if (judged.value === 'first') await recordFirstApproval(tx, 'withdrawal', id, by)
  else
    await tx.query(sql`
      update withdrawal set status = 'approved', approved_at = roz_now(), approved_by = ${by}::bigint where id = ${id}::uuid`)
  return accepted({ memberId, amount, approval: judged.value === 'first' ? 'first' : 'final' })
}

/** Whether the gateway may receive the withdrawal again, or be asked about it. A question sends nothing, so a hold allows it. */
export async function judgeRetry(tx: Tx, id: string): Promise<Outcome<undefined, ByHandRefusal | Stopped>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status === 'sending') return accepted(undefined)
  if (found.status !== 'approved') return refused('withdrawal_final')
  if (found.shownTo !== null) return refused('being_paid_by_hand')
  const stopped = await whyStopped(tx, found.memberId)
  return stopped === undefined ? accepted(undefined) : refused(stopped)
}

/**
 * Marks a withdrawal as `sending`; from then on only the gateway's status ends it. False: it cannot be sent now.
 * - `again`: a withdrawal that is `sending` already, and certainly never reached the gateway, is sent again under its id.
 * - A hold is recorded as the problem, and the withdrawal waits for its end.
 * - A debt puts the withdrawal back to `approved`, so that it can be rejected.
 */
export async function startSending(tx: Tx, id: string, options: { readonly again: boolean }): Promise<boolean> {
  const found = await lockWithdrawal(tx, id)
  if (found?.status !== 'approved' && !(found?.status === 'sending' && options.again)) return false
  if (found.shownTo !== null) return false
  const stopped = await whyStopped(tx, found.memberId)
  if (stopped !== undefined) {
    const status = stopped === 'member_in_debt' ? 'approved' : found.status
    await tx.query(sql`update withdrawal set status = ${status}::text, problem = ${stopped}::text where id = ${id}::uuid`)
    return false
  }
  await tx.query(sql`
    update withdrawal set status = 'sending', problem = case when status = 'sending' then nullif(problem, ${ON_HOLD}::text) end
     where id = ${id}::uuid`)
  return true
}

/** The gateway declined the transfer, and none is on its way: back to `approved`, with the reason for the administrator. */
export async function stopSending(tx: Tx, id: string, problem: string): Promise<void> {
  const found = await lockWithdrawal(tx, id)
  if (found?.status !== 'sending' && found?.status !== 'approved') return
  await tx.query(sql`update withdrawal set status = 'approved', problem = ${problem}::text where id = ${id}::uuid`)
}

type ByHand = { readonly id: string; readonly by: bigint }

/** Locks an approved withdrawal that `by` may handle by hand: no other administrator was shown its account. */
async function lockByHand(tx: Tx, { id, by }: ByHand): Promise<Outcome<Locked, ByHandRefusal | 'withdrawal_not_approved'>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status === 'requested') return refused('withdrawal_not_approved')
  if (found.status !== 'approved') return refused('withdrawal_final')
  return found.shownTo === null || found.shownTo === by ? accepted(found) : refused('being_paid_by_hand')
}

/** Gives the withdrawal to the administrator who is shown the bank account. Read the account in this transaction. */
export async function showAccount(
  tx: Tx,
  { id, by }: ByHand,
): Promise<Outcome<Approved, ByHandRefusal | 'withdrawal_not_approved' | Stopped | 'own_money'>> {
  const found = await lockByHand(tx, { id, by })
  if (!found.ok) return found
  if (await isOwnMoney(tx, by, found.value.memberId)) return refused('own_money')
  const stopped = await whyStopped(tx, found.value.memberId)
  if (stopped !== undefined) return refused(stopped)
  await giveTo(tx, id, by)
  const { memberId, amount } = found.value
  return accepted({ memberId, amount })
}

/** An owner takes the withdrawal over from an administrator who cannot end it. `from`: the public id of the person whom the owner saw. */
export async function takeOver(
  tx: Tx,
  { id, by, from }: ByHand & { readonly from: string },
): Promise<Outcome<{ readonly from: bigint }, WithdrawalRefusal | 'changed_since_seen' | 'own_money'>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'approved' || found.shownTo === null || found.shownTo === by) return refused('withdrawal_final')
  const seen = sql`select 1 from member where id = ${found.shownTo}::bigint and public_id::text = ${from}::text`
  if ((await tx.maybeOne(seen)) === undefined) return refused('changed_since_seen')
  if (await isOwnMoney(tx, by, found.memberId)) return refused('own_money')
  await giveTo(tx, id, by)
  return accepted({ from: found.shownTo })
}

/** A second look by the same administrator keeps the first `shown_at`. */
const giveTo = (tx: Tx, id: string, to: bigint) =>
  tx.query(sql`
    update withdrawal set shown_to = ${to}::bigint, shown_at = roz_now()
     where id = ${id}::uuid and shown_to is distinct from ${to}::bigint`)

type EndRefusal = ByHandRefusal | 'withdrawal_not_approved' | 'bank_not_shown' | 'own_money'

/** Locks a withdrawal that `by` may end by hand: this person was shown its account, and the money is not theirs now. */
async function lockShown(tx: Tx, { id, by }: ByHand): Promise<Outcome<Locked, EndRefusal>> {
  const found = await lockByHand(tx, { id, by })
  if (!found.ok) return found
  if (found.value.shownTo !== by) return refused('bank_not_shown')
  return (await isOwnMoney(tx, by, found.value.memberId)) ? refused('own_money') : found
}

/** Records an approved withdrawal as paid by hand, with the bank's reference. The showing judged the debt; a hold is judged again. */
export async function completeWithdrawal(
  tx: Tx,
  payment: ByHand & { readonly reference: string },
): Promise<Outcome<Approved, EndRefusal | 'member_on_hold'>> {
  const found = await lockShown(tx, payment)
  if (!found.ok) return found
  const { memberId, amount } = found.value
  await lockWallet(tx, memberId)
  if (await isOnHold(tx, memberId)) return refused('member_on_hold')
  await pay(tx, payment.id, found.value, payment.reference)
  return accepted({ memberId, amount })
}

type Saying = { readonly id: string; readonly approver: Approver; readonly reason: string }

/** The administrator who was shown the account reports it as not paid: the amount is given back. `first`: another person must say so too. */
export async function sayNotPaid(
  tx: Tx,
  { id, approver, reason }: Saying,
): Promise<Outcome<Rejected | 'first', EndRefusal | ApprovalRefusal>> {
  const locked = await lockWithdrawal(tx, id)
  const isSaid = locked?.status === 'approved' && locked.shownTo !== null && locked.returnFirstBy === locked.shownTo
  const found = isSaid ? accepted(locked) : await lockShown(tx, { id, by: approver.by })
  if (!found.ok) return found
  const { memberId, amount, shownTo } = found.value
  const voice = await judgeReturn(tx, approver, { id, ...found.value })
  if (!voice.ok) return voice
  if (voice.value === 'first') return accepted('first')
  const balance = await giveBack(tx, id, found.value)
  await end(tx, id, { status: 'rejected', reason, notPaidBy: shownTo })
  return accepted({ memberId, amount, balance })
}

/** A payout by hand came back. The caller has judged what the bank's statement says. `first`: nothing moves until another person says so too. */
export async function sayCameBack(
  tx: Tx,
  { id, approver, reason }: Saying,
): Promise<Outcome<PayoutBooked | 'first', WithdrawalRefusal | 'payouts_by_gateway' | ApprovalRefusal>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'paid') return refused('withdrawal_final')
  if (found.shownTo === null) return refused('payouts_by_gateway')
  const voice = await judgeReturn(tx, approver, { id, ...found })
  if (!voice.ok) return voice
  if (voice.value === 'first') return accepted('first')
  const { memberId, amount, status } = found
  await reverse(tx, { id, word: 'reversed', reason }, { memberId, amount, status })
  return accepted({ memberId, amount, status, result: 'reversed', contradicts: false })
}

/** `paid`: the money left. `failed`: it never left. `reversed`: it left and came back. */
export type PayoutWord = 'paid' | 'failed' | 'reversed'
export type PayoutBooked = {
  readonly result: 'paid' | 'failed' | 'reversed' | 'conflict' | 'conflict_back' | 'unchanged'
  /** The gateway's status contradicts our state: an administrator must look. */
  readonly contradicts: boolean
} & Row

type Told = {
  readonly id: string
  readonly word: PayoutWord
  readonly reference?: string | undefined
  readonly reason?: string | undefined
}

/** Books the gateway's final status in any state. Undefined: no such withdrawal. */
export async function bookPayout(tx: Tx, told: Told): Promise<PayoutBooked | undefined> {
  const locked = await lockWithdrawal(tx, told.id)
  if (locked === undefined) return undefined
  const { memberId, amount, status } = locked
  const found: Row = { memberId, amount, status }
  if (isOfAnotherPayment(locked, told)) {
    await flagConflict(tx, told.id, told.word === 'paid')
    return { ...found, result: 'unchanged', contradicts: true }
  }
  switch (found.status) {
    case 'requested':
    case 'approved':
    case 'sending': {
      // The gateway should not know a withdrawal that we never sent. The hold covers the withdrawal all the same.
      const contradicts = found.status !== 'sending'
      if (told.word === 'paid') await pay(tx, told.id, found, told.reference)
      else await fail(tx, told, found)
      return { ...found, result: told.word === 'paid' ? 'paid' : 'failed', contradicts }
    }
    case 'paid': {
      if (told.word === 'paid') return { ...found, result: 'unchanged', contradicts: false }
      await reverse(tx, told, found)
      // `failed` means that the money never left, which contradicts the earlier `paid`.
      return { ...found, result: 'reversed', contradicts: told.word === 'failed' }
    }
    case 'rejected':
    case 'failed':
    case 'reversed':
      return bookAfterBack(tx, told, found)
  }
}

/** Whether a person paid by hand or may have. Who typed the gateway's own number meant the gateway's payment. */
function isOfAnotherPayment({ status, shownTo, reference }: Locked, told: Told): boolean {
  if (status === 'approved') return shownTo !== null && told.word !== 'paid'
  return status === 'paid' && reference !== null && shownTo !== null && squeezed(reference) !== squeezed(told.reference ?? '')
}

/** The flag stays while the gateway has paid what was given back, or paid by hand. */
const flagConflict = (tx: Tx, id: string, isPaid: boolean): Promise<unknown> =>
  tx.query(
    sql`update withdrawal set flags = array_remove(flags, 'gateway_conflict') || ${isPaid ? ['gateway_conflict'] : []}::text[] where id = ${id}::uuid`,
  )

/** The member has the money back. If it left as well, LOSSES bears it until it returns. */
async function bookAfterBack(tx: Tx, { id, word }: Told, found: Row): Promise<PayoutBooked> {
  const moved = await moveConflict(tx, { id, amount: found.amount, out: 'wd_conflict', asset: 'BANK', isOut: word === 'paid' })
  if (moved !== undefined) await flagConflict(tx, id, moved === 'conflict')
  return { ...found, result: moved ?? 'unchanged', contradicts: moved !== undefined }
}

async function pay(tx: Tx, id: string, { memberId, amount }: Row, reference: string | undefined): Promise<void> {
  const { PAYOUTS_PENDING, BANK } = ACCOUNTS
  await releaseHeld(tx, memberId, amount)
  const booked = await moveSystem(tx, { kind: 'wd_paid', ref: id, debit: PAYOUTS_PENDING, credit: BANK, amount })
  if (!booked) throw new Error(`withdrawal ${id} is open, but its end is booked already`)
  await end(tx, id, { status: 'paid', reference })
}

async function fail(tx: Tx, { id, reason, reference }: Told, found: Row): Promise<void> {
  await giveBack(tx, id, found)
  await end(tx, id, { status: 'failed', reason, reference })
}

async function reverse(tx: Tx, { id, reason }: Told, { memberId, amount }: Row): Promise<void> {
  const wallet = await lockWallet(tx, memberId)
  if (wallet?.isClosed === true)
    await suspendReturn(tx, { kind: 'wd_reversed', ref: id, from: 'BANK', orderId: gatewayIdOf(id), amount, memberId })
  else await giveBackToMember(tx, { kind: 'wd_reversed', ref: id, memberId, amount, from: 'BANK' })
  await end(tx, id, { status: 'reversed', reason })
}

async function giveBack(tx: Tx, id: string, { memberId, amount }: Row): Promise<Paise> {
  await lockWallet(tx, memberId)
  const { balance } = await giveBackToMember(tx, { kind: 'wd_back', ref: id, memberId, amount, from: 'PAYOUTS_PENDING', releases: amount })
  return balance
}

type End = {
  readonly status: 'paid' | 'rejected' | 'failed' | 'reversed'
  readonly reference?: string | undefined
  readonly reason?: string | undefined
  readonly notPaidBy?: bigint | null
}
async function end(tx: Tx, id: string, { status, reference, reason, notPaidBy }: End): Promise<void> {
  await tx.query(
    sql`update withdrawal set status = ${status}::text, ended_at = roz_now(), problem = null, not_paid_by = ${notPaidBy ?? null}::bigint,
          reference = coalesce(${reference ?? null}::text, reference), reason = coalesce(${reason ?? null}::text, reason),
          -- Of one that was paid after all, the word that it was not says nothing of a return.
          return_first_by = case when ${status}::text <> 'paid' then return_first_by end,
          return_first_at = case when ${status}::text <> 'paid' then return_first_at end
         where id = ${id}::uuid`,
  )
}
