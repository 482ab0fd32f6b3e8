/**
 * Withdrawals: held when asked, given back when rejected, sent after the commit that approved them,
 * ended by the gateway's word. Invariants: parallel requests never overdraw, because each judges the
 * locked balance; the same id is the same withdrawal or a mistake; once it was sent only the gateway
 * ends it, and its final word is always booked, also when it contradicts ours: what was given back and
 * paid all the same is a loss (`wd_conflict`), never a silent nothing; what comes back for an account
 * that was closed since stands in SUSPENSE. By hand: once somebody was shown the bank account the
 * money may have left, so only that person ends it, as paid or as not paid, and no gateway is given
 * it; an owner may take it over. Nothing of a member on hold is sent, shown or noted as paid; nothing of
 * a member in debt is approved, sent or shown.
 */
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { moveConflict } from './conflicts.ts'
import { giveBackToMember, readDebt } from './debts.ts'
import { gatewayIdOf } from './gateway-id.ts'
import { isOnHold, ON_HOLD } from './holds.ts'
import { suspendReturn } from './suspense.ts'
import { debitMember, lockWallet, moveSystem, releaseHeld } from './transfer.ts'

export type WithdrawalStatus = 'requested' | 'approved' | 'sending' | 'paid' | 'rejected' | 'failed' | 'reversed'

export type WithdrawalRequest = {
  /** A random UUID; without its dashes it is the transfer's id at the gateway. */
  readonly id: string
  readonly memberId: bigint
  readonly amount: Paise
  readonly bankAccountId: bigint
  /** Reasons for a second look by the admin; never a refusal. */
  readonly flags?: readonly string[]
}

export async function holdWithdrawal(
  tx: Tx,
  request: WithdrawalRequest,
): Promise<
  Outcome<{ readonly balance: Paise; readonly replayed: boolean }, 'insufficient_funds' | 'may_not_move' | 'idempotency_mismatch'>
> {
  const wallet = await lockWallet(tx, request.memberId)
  const known = await maybeOne<{ same: boolean; balance: Paise | null }>(
    tx,
    sql`select w.member_id = ${request.memberId}::bigint and w.amount = ${request.amount}::bigint and w.bank_account_id = ${request.bankAccountId}::bigint as same,
               t.balance_after as balance
          from withdrawal w left join transfer t on t.kind = 'wd_hold' and t.ref = w.id::text
         where w.id = ${request.id}::uuid`,
  )
  if (known !== undefined)
    return known.same && known.balance !== null ? accepted({ balance: known.balance, replayed: true }) : refused('idempotency_mismatch')
  if (wallet === undefined || !wallet.mayMove) return refused('may_not_move')
  if (wallet.balance < request.amount) return refused('insufficient_funds')
  const { id, memberId, amount } = request
  await tx.query(
    sql`insert into withdrawal (id, member_id, amount, bank_account_id, flags)
        values (${id}::uuid, ${memberId}::bigint, ${amount}::bigint, ${request.bankAccountId}::bigint, ${request.flags ?? []}::text[])`,
  )
  const { balance } = await debitMember(tx, { kind: 'wd_hold', ref: id, memberId, amount, to: 'PAYOUTS_PENDING', holds: amount })
  return accepted({ balance, replayed: false })
}

type Row = { readonly memberId: bigint; readonly amount: Paise; readonly status: WithdrawalStatus }
/** `shownTo`: who was shown the bank account, to pay it by hand. */
type Locked = Row & { readonly shownTo: bigint | null }

/** Every decision about one withdrawal waits here for the others. */
const lockWithdrawal = (tx: Tx, id: string): Promise<Locked | undefined> =>
  maybeOne<Locked>(
    tx,
    sql`select member_id as "memberId", amount, status, shown_to as "shownTo" from withdrawal where id = ${id}::uuid for update`,
  )

export type WithdrawalRefusal = 'withdrawal_not_found' | 'withdrawal_final'
/** Somebody was shown the bank account: only that person ends it. */
type ByHandRefusal = WithdrawalRefusal | 'being_paid_by_hand'
type Approved = Omit<Row, 'status'>
export type Rejected = { readonly memberId: bigint; readonly amount: Paise; readonly balance: Paise }

/** An administrator's no before the money was sent: the hold goes back. `withdrawal_final`: too late, or done before. */
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

/** Why nothing of this member may leave now: a debt is judged under the wallet's lock, which whoever makes or pays one takes too. */
async function whyStopped(tx: Tx, memberId: bigint): Promise<Stopped | undefined> {
  if (await isOnHold(tx, memberId)) return ON_HOLD
  await lockWallet(tx, memberId)
  return (await readDebt(tx, memberId)) > 0n ? 'member_in_debt' : undefined
}

/** An administrator's yes. Nothing moves: the money is held, and is sent after the commit. */
export async function approveWithdrawal(tx: Tx, id: string): Promise<Outcome<Approved, WithdrawalRefusal | Stopped>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'requested') return refused('withdrawal_final')
  const stopped = await whyStopped(tx, found.memberId)
  if (stopped !== undefined) return refused(stopped)
  await tx.query(sql`update withdrawal set status = 'approved', approved_at = roz_now() where id = ${id}::uuid`)
  return accepted({ memberId: found.memberId, amount: found.amount })
}

/** Whether the gateway may be given it once more, or asked about it. A question is allowed on hold: it sends nothing. */
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
 * From here on only the gateway ends it. `again`: one that is being sent already, and surely never arrived,
 * may be sent once more under its id. False: nothing may be sent now. A hold is kept as the reason and waited
 * for; of a member in debt it stands as approved, so that it can be rejected.
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

/** The gateway took no transfer, and none is on its way: it stands as before the sending, with its reason for the administrator. */
export async function stopSending(tx: Tx, id: string, problem: string): Promise<void> {
  const found = await lockWithdrawal(tx, id)
  if (found?.status !== 'sending' && found?.status !== 'approved') return
  await tx.query(sql`update withdrawal set status = 'approved', problem = ${problem}::text where id = ${id}::uuid`)
}

type ByHand = { readonly id: string; readonly by: bigint }

/** An approved withdrawal that `by` may go on with by hand: nobody else was shown its account. */
async function lockByHand(tx: Tx, { id, by }: ByHand): Promise<Outcome<Locked, ByHandRefusal>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'approved') return refused('withdrawal_final')
  return found.shownTo === null || found.shownTo === by ? accepted(found) : refused('being_paid_by_hand')
}

/** Whoever is shown the bank account has the withdrawal from now on: to be answered in this transaction. */
export async function showAccount(tx: Tx, { id, by }: ByHand): Promise<Outcome<Approved, ByHandRefusal | Stopped>> {
  const found = await lockByHand(tx, { id, by })
  if (!found.ok) return found
  const stopped = await whyStopped(tx, found.value.memberId)
  if (stopped !== undefined) return refused(stopped)
  await giveTo(tx, id, by)
  const { memberId, amount } = found.value
  return accepted({ memberId, amount })
}

/** An owner takes it from somebody who cannot end it any more. */
export async function takeOver(tx: Tx, { id, by }: ByHand): Promise<Outcome<{ readonly from: bigint }, WithdrawalRefusal>> {
  const found = await lockWithdrawal(tx, id)
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'approved' || found.shownTo === null || found.shownTo === by) return refused('withdrawal_final')
  await giveTo(tx, id, by)
  return accepted({ from: found.shownTo })
}

/** When it was shown first stays: another look at it changes nothing. */
const giveTo = (tx: Tx, id: string, to: bigint) =>
  tx.query(sql`
    update withdrawal set shown_to = ${to}::bigint, shown_at = roz_now()
     where id = ${id}::uuid and shown_to is distinct from ${to}::bigint`)

/** Paid by hand, with the bank's reference: only what was approved and never given to a gateway. */
export async function completeWithdrawal(
  tx: Tx,
  payment: ByHand & { readonly reference: string },
): Promise<Outcome<Approved, ByHandRefusal | 'member_on_hold'>> {
  const found = await lockByHand(tx, payment)
  if (!found.ok) return found
  if (await isOnHold(tx, found.value.memberId)) return refused('member_on_hold')
  const { memberId, amount } = found.value
  await pay(tx, payment.id, found.value, payment.reference)
  return accepted({ memberId, amount })
}

/** Whoever was shown the account says that it was not paid: the hold goes back. */
export async function sayNotPaid(
  tx: Tx,
  { id, by, reason }: ByHand & { readonly reason: string },
): Promise<Outcome<Rejected, ByHandRefusal>> {
  const found = await lockByHand(tx, { id, by })
  if (!found.ok) return found
  if (found.value.shownTo === null) return refused('withdrawal_final')
  const balance = await giveBack(tx, id, found.value)
  await end(tx, id, { status: 'rejected', reason, notPaidBy: by })
  return accepted({ memberId: found.value.memberId, amount: found.value.amount, balance })
}

/** paid: the money left · failed: it never did · reversed: it left and came back. */
export type PayoutWord = 'paid' | 'failed' | 'reversed'
export type PayoutBooked = {
  readonly result: 'paid' | 'failed' | 'reversed' | 'conflict' | 'conflict_back' | 'unchanged'
  /** The gateway says what our own state did not allow for: somebody should look. */
  readonly contradicts: boolean
} & Row

type Told = {
  readonly id: string
  readonly word: PayoutWord
  readonly reference?: string | undefined
  readonly reason?: string | undefined
}

/** Books the gateway's final word, whatever state it meets. Undefined: no such withdrawal. */
export async function bookPayout(tx: Tx, told: Told): Promise<PayoutBooked | undefined> {
  const locked = await lockWithdrawal(tx, told.id)
  if (locked === undefined) return undefined
  // Who pays by hand is no part of what the gateway's word answers.
  const { memberId, amount, status } = locked
  const found: Row = { memberId, amount, status }
  switch (found.status) {
    case 'requested':
    case 'approved':
    case 'sending': {
      // Before we sent it nobody should know of it; what is held covers it all the same.
      const contradicts = found.status !== 'sending'
      if (told.word === 'paid') await pay(tx, told.id, found, told.reference)
      else await fail(tx, told, found)
      return { ...found, result: told.word === 'paid' ? 'paid' : 'failed', contradicts }
    }
    case 'paid': {
      if (told.word === 'paid') return { ...found, result: 'unchanged', contradicts: false }
      await reverse(tx, told, found)
      // Failed means that it never left, though we were told that it did.
      return { ...found, result: 'reversed', contradicts: told.word === 'failed' }
    }
    case 'rejected':
    case 'failed':
    case 'reversed':
      return bookAfterBack(tx, told, found)
  }
}

/** The member has the money back. If it left as well, LOSSES pays; if that comes back too, LOSSES gets it. */
async function bookAfterBack(tx: Tx, { id, word }: Told, found: Row): Promise<PayoutBooked> {
  const moved = await moveConflict(tx, { id, amount: found.amount, out: 'wd_conflict', asset: 'BANK', isOut: word === 'paid' })
  if (moved === 'conflict')
    await tx.query(
      sql`update withdrawal set flags = array_append(array_remove(flags, 'gateway_conflict'), 'gateway_conflict') where id = ${id}::uuid`,
    )
  return { ...found, result: moved ?? 'unchanged', contradicts: moved !== undefined }
}

async function pay(tx: Tx, id: string, { memberId, amount }: Row, reference: string | undefined): Promise<void> {
  const { PAYOUTS_PENDING, BANK } = ACCOUNTS
  await releaseHeld(tx, memberId, amount)
  const booked = await moveSystem(tx, { kind: 'wd_paid', ref: id, debit: PAYOUTS_PENDING, credit: BANK, amount })
  if (!booked) throw new Error(`withdrawal ${id} is open and ended at once`)
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
  readonly notPaidBy?: bigint
}
async function end(tx: Tx, id: string, { status, reference, reason, notPaidBy }: End): Promise<void> {
  await tx.query(
    sql`update withdrawal set status = ${status}::text, ended_at = roz_now(), problem = null, not_paid_by = ${notPaidBy ?? null}::bigint,
          reference = coalesce(${reference ?? null}::text, reference), reason = coalesce(${reason ?? null}::text, reason)
         where id = ${id}::uuid`,
  )
}
