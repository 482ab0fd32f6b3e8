/**
 * Closes the wallet of a member who leaves.
 * - A wallet is closed only if it is empty and the member has no open withdrawal, refund or round.
 * - This is judged under the wallet's lock, which every join, top-up and withdrawal takes too.
 * - A closed wallet takes no money: money that still arrives is booked to SUSPENSE.
 * - A debt does not prevent the closing. The debt stays, and money that still arrives pays it first.
 */
import { type Paise, paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { payDebts } from './debts.ts'
import { debitMember, lockWallet } from './transfer.ts'

/** Pays the member's debts from the wallet and gives the rest to the help fund. Zero: nothing was left. `ref` is a random UUID. */
export async function giveRest(tx: Tx, gift: { readonly memberId: bigint; readonly ref: string }): Promise<Outcome<Paise, 'may_not_move'>> {
  const { memberId, ref } = gift
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined || !wallet.mayMove) return refused('may_not_move')
  const amount = paise(wallet.balance - (await payDebts(tx, memberId, wallet.balance)))
  if (amount > 0n) await debitMember(tx, { kind: 'gift', ref, memberId, amount, to: 'HELP_FUND' })
  return accepted(amount)
}

type ClosingRefusal = 'payout_pending' | 'refund_pending' | 'round_pending' | 'money_left'

/** Closes the wallet for good, or names the first obstacle. */
export async function closeWallet(tx: Tx, memberId: bigint): Promise<Outcome<undefined, ClosingRefusal>> {
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined) throw new Error(`member ${memberId} has no wallet`)
  // A later statement than the lock: its snapshot sees every movement that the lock waited for.
  const open = await tx.one<{ payout: boolean; refund: boolean; round: boolean }>(sql`select
      exists (select from withdrawal where member_id = ${memberId}::bigint and status in ('requested', 'approved', 'sending')) as payout,
      exists (select from refund where member_id = ${memberId}::bigint and status in ('requested', 'approved', 'sending')) as refund,
      exists (select from round r join round_join j on j.day = r.day and j.member_id = ${memberId}::bigint
               where r.status in ('open', 'closed', 'drawn')) as round`)
  if (open.payout) return refused('payout_pending')
  if (open.refund) return refused('refund_pending')
  if (open.round) return refused('round_pending')
  if (wallet.balance > 0n || wallet.held > 0n) return refused('money_left')
  await tx.query(sql`
    update wallet set is_closed = true, may_move = false, auto_join = false where member_id = ${memberId}::bigint`)
  return accepted(undefined)
}
