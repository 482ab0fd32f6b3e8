/**
 * Debts: the part of a chargeback that the member's wallet could not pay. LOSSES bears it until it is paid.
 * - A debt changes only under its member's wallet lock.
 * - Money that is released from a hold, won or returned pays debts in the same transaction, the oldest debt first.
 * - Money that a member adds pays no debt.
 * - A debt is paid at most once. If the bank returns a dispute's turn, the debt of that turn ends.
 */
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import type { TransferKind } from './accounts.ts'
import { creditMember, debitMember, type Moved } from './transfer.ts'

/** Neither paid nor returned; the same condition as the index `debt_open`. */
const IS_OPEN = sql`paid < amount and returned_at is null`

/** `ref`: the turn of the dispute that caused the loss. */
export async function openDebt(tx: Tx, debt: { readonly ref: string; readonly memberId: bigint; readonly amount: Paise }): Promise<void> {
  await tx.query(sql`
    insert into debt (ref, member_id, amount) values (${debt.ref}::text, ${debt.memberId}::bigint, ${debt.amount}::bigint)`)
}

/** The amount that a member owes, as SQL for lists of members. */
export const owedOf = (memberId: Sql): Sql => sql`
  coalesce((select sum(amount - paid) from debt where member_id = ${memberId} and ${IS_OPEN}), 0)::bigint`

/** The amount that a member owes. Call it under the wallet's lock if a decision follows from it. */
export const readDebt = async (from: Queryable, memberId: bigint): Promise<Paise> =>
  (await from.one<{ owed: Paise }>(sql`select ${owedOf(sql`${memberId}::bigint`)} as owed`)).owed

/** Books one payment of a debt under this ref. */
type Pay = (ref: string, amount: Paise) => Promise<unknown>

/** Pays the member's debts up to `atMost`, and returns the amount paid. By default from the wallet, which the caller has locked. */
export async function payDebts(
  tx: Tx,
  memberId: bigint,
  atMost: Paise,
  pay: Pay = (ref, amount) => debitMember(tx, { kind: 'debt_paid', ref, memberId, amount, to: 'LOSSES' }),
): Promise<Paise> {
  const debts = await tx.query<{ id: bigint; ref: string; owed: Paise; payments: number }>(sql`
    select id, ref, amount - paid as owed,
      (select count(*) from transfer t where t.kind = 'debt_paid' and subject_of(t.ref) = subject_of(debt.ref)
          and starts_with(t.ref, debt.ref || '#debt'))::int as payments
      from debt where member_id = ${memberId}::bigint and ${IS_OPEN} order by id`)
  let left = atMost
  for (const { id, ref, owed, payments } of debts) {
    if (left === ZERO) break
    const part = paise(owed < left ? owed : left)
    await tx.query(sql`update debt set paid = paid + ${part}::bigint where id = ${id}::bigint`)
    await pay(`${ref}#debt${payments + 1}`, part)
    left = paise(left - part)
  }
  return paise(atMost - left)
}

/** Credits a locked wallet and pays the member's debts from the amount. `balance` is the balance after both. */
export async function giveBackToMember(tx: Tx, move: Parameters<typeof creditMember>[1]): Promise<Moved & { readonly debtPaid: Paise }> {
  const moved = await creditMember(tx, move)
  const paid = await payDebts(tx, move.memberId, move.amount)
  return { ...moved, balance: paise(moved.balance - paid), debtPaid: paid }
}

/** The debts that the money of a transfer `c` to a member paid: the payments that follow it at once in the wallet. Zero without a transfer. */
export const debtPaidFrom = (c: Sql): Sql => sql`
  (select coalesce(sum(p.amount), 0)::bigint
     from (select amount, wallet_seq - row_number() over (order by wallet_seq) as follows from transfer
            where debit = ${c}.credit and debit > 1000 and kind = 'debt_paid' and wallet_seq > ${c}.wallet_seq) p
    where p.follows = ${c}.wallet_seq)`

export const readDebtPaid = async (from: Queryable, kinds: readonly TransferKind[], ref: string): Promise<Paise> =>
  (
    await from.one<{ paid: Paise }>(
      sql`select coalesce(sum(${debtPaidFrom(sql`c`)}), 0)::bigint as paid from transfer c where c.kind = any (${kinds}::text[]) and c.ref = ${ref}::text`,
    )
  ).paid

/** Pays the debts of members whose locked wallets were just credited. `given` selects `member_id` and `amount`. */
export async function payDebtsAmong(tx: Tx, given: Sql): Promise<void> {
  const owing = await tx.query<{ memberId: bigint; amount: Paise }>(sql`
    select g.member_id as "memberId", g.amount from (${given}) g
     where g.member_id in (select member_id from debt where ${IS_OPEN}) order by g.member_id`)
  for (const { memberId, amount } of owing) await payDebts(tx, memberId, amount)
}

/** Ends the debt of a turn that the bank has returned. Returns the debt's payments, which the caller gives back. */
export async function endDebt(tx: Tx, ref: string): Promise<{ readonly ref: string; readonly amount: Paise }[]> {
  const ended = await tx.query(sql`update debt set returned_at = roz_now() where ref = ${ref}::text and returned_at is null returning id`)
  if (ended.length === 0) return []
  return tx.query(sql`
    select ref, amount from transfer
     where kind = 'debt_paid' and subject_of(ref) = subject_of(${ref}::text) and starts_with(ref, ${ref}::text || '#debt') order by transfer_id`)
}
