/**
 * Withdrawals as far as the member's money goes: held when asked, given back when rejected. Invariants:
 * parallel requests never overdraw, because each judges the locked balance; the same id is the same
 * withdrawal or a mistake; a withdrawal is given back once, and only before it was sent.
 */
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { creditMember, debitMember, lockWallet } from './transfer.ts'

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

export type Rejected = { readonly memberId: bigint; readonly amount: Paise; readonly balance: Paise }

/** An administrator's no before the money was sent: the hold goes back. `withdrawal_final`: too late, or done before. */
export async function rejectWithdrawal(
  tx: Tx,
  rejection: { readonly id: string; readonly reason: string },
): Promise<Outcome<Rejected, 'withdrawal_not_found' | 'withdrawal_final'>> {
  const found = await maybeOne<{ memberId: bigint; amount: Paise; status: WithdrawalStatus }>(
    tx,
    sql`select member_id as "memberId", amount, status from withdrawal where id = ${rejection.id}::uuid for update`,
  )
  if (found === undefined) return refused('withdrawal_not_found')
  if (found.status !== 'requested' && found.status !== 'approved') return refused('withdrawal_final')
  const { memberId, amount } = found
  await lockWallet(tx, memberId)
  const { balance } = await creditMember(tx, {
    kind: 'wd_back',
    ref: rejection.id,
    memberId,
    amount,
    from: 'PAYOUTS_PENDING',
    releases: amount,
  })
  await tx.query(
    sql`update withdrawal set status = 'rejected', reason = ${rejection.reason}::text, ended_at = roz_now() where id = ${rejection.id}::uuid`,
  )
  return accepted({ memberId, amount, balance })
}
