/**
 * Writes transfers and the wallets that they move.
 * - A wallet is locked before its new balance is computed. On an unlocked row the CHECK would judge an outdated version.
 * - Each movement of a wallet takes the next `seq` and keeps the balance after it.
 * - The day fence, `posting_day()`, dates every transfer.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS, type AccountName, type TransferKind } from './accounts.ts'

type LockedWallet = {
  readonly balance: Paise
  readonly held: Paise
  readonly mayMove: boolean
  readonly autoJoin: boolean
  /** The account is closed: the wallet takes no money. */
  readonly isClosed: boolean
}

/** Locks a member's wallet until the transaction ends. A caller that locks several takes them in ascending id. */
export function lockWallet(tx: Tx, memberId: bigint): Promise<LockedWallet | undefined> {
  return tx.maybeOne<LockedWallet>(sql`
    select balance, held, may_move as "mayMove", auto_join as "autoJoin", is_closed as "isClosed" from wallet
         where member_id = ${memberId}::bigint for no key update`)
}

type MemberMove = {
  readonly kind: TransferKind
  readonly ref: string
  readonly memberId: bigint
  readonly amount: Paise
}
export type Moved = { readonly balance: Paise; readonly day: IstDay }

/** Credits a member. The caller has locked the wallet. */
export function creditMember(tx: Tx, move: MemberMove & { readonly from: AccountName; readonly releases?: Paise }): Promise<Moved> {
  return tx.one<Moved>(sql`with fence as materialized (select posting_day() as day),
      moved as (
        update wallet set balance = balance + ${move.amount}::bigint, held = held - ${move.releases ?? 0n}::bigint, seq = seq + 1
         where member_id = ${move.memberId}::bigint returning seq, balance)
      insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
      select ${move.kind}::text, ${move.ref}::text, ${ACCOUNTS[move.from]}::bigint, ${move.memberId}::bigint, ${move.amount}::bigint,
             moved.seq, moved.balance, fence.day
        from moved cross join fence
      returning balance_after as balance, day`)
}

/** Debits a member. The caller has locked the wallet and judged its balance. */
export function debitMember(tx: Tx, move: MemberMove & { readonly to: AccountName; readonly holds?: Paise }): Promise<Moved> {
  return tx.one<Moved>(sql`with fence as materialized (select posting_day() as day),
      moved as (
        update wallet set balance = balance - ${move.amount}::bigint, held = held + ${move.holds ?? 0n}::bigint, seq = seq + 1
         where member_id = ${move.memberId}::bigint returning seq, balance)
      insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
      select ${move.kind}::text, ${move.ref}::text, ${move.memberId}::bigint, ${ACCOUNTS[move.to]}::bigint, ${move.amount}::bigint,
             moved.seq, moved.balance, fence.day
        from moved cross join fence
      returning balance_after as balance, day`)
}

/** Ends a hold whose money has left. The balance was debited when the hold began. */
export async function releaseHeld(tx: Tx, memberId: bigint, amount: Paise): Promise<void> {
  await tx.one(sql`update wallet set held = held - ${amount}::bigint where member_id = ${memberId}::bigint returning member_id`)
}

/** Moves money between accounts that belong to no member. False: this kind and ref are booked already. */
export async function moveSystem(
  tx: Tx,
  move: { readonly kind: TransferKind; readonly ref: string; readonly debit: bigint; readonly credit: bigint; readonly amount: Paise },
): Promise<boolean> {
  const written = await tx.query(sql`insert into transfer (kind, ref, debit, credit, amount, day)
        values (${move.kind}::text, ${move.ref}::text, ${move.debit}::bigint, ${move.credit}::bigint, ${move.amount}::bigint, posting_day())
        on conflict do nothing returning transfer_id`)
  return written.length === 1
}
