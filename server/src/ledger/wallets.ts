/**
 * Wallets: one per member, opened once.
 * - The same row keeps whether the member may move money and joins automatically.
 * - These two switches of a closed wallet never change.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

type Wallet = {
  readonly memberId: bigint
  readonly balance: Paise
  /** Debited from the balance for withdrawals and refunds that have not ended. */
  readonly held: Paise
  /** The day of the newest join; undefined before the first. */
  readonly lastRound: IstDay | undefined
  /** Rounds joined, ever. */
  readonly joins: number
  readonly mayMove: boolean
  readonly autoJoin: boolean
  /** The account is closed. */
  readonly isClosed: boolean
}

export async function openWallet(
  tx: Tx,
  memberId: bigint,
  options: { readonly mayMove?: boolean; readonly autoJoin?: boolean } = {},
): Promise<void> {
  await tx.query(sql`insert into wallet (member_id, may_move, auto_join)
        values (${memberId}::bigint, ${options.mayMove ?? false}::boolean, ${options.autoJoin ?? false}::boolean)
        on conflict (member_id) do nothing`)
}

/** True once the email is confirmed, while the member is not suspended (suspension.ts). The caller has locked the account. */
export async function setMayMove(tx: Tx, memberId: bigint, mayMove: boolean): Promise<void> {
  await tx.query(
    sql`update wallet set may_move = ${mayMove}::boolean where member_id = ${memberId}::bigint and may_move <> ${mayMove}::boolean and not is_closed`,
  )
}

export async function setAutoJoin(tx: Tx, memberId: bigint, autoJoin: boolean): Promise<void> {
  await tx.query(
    sql`update wallet set auto_join = ${autoJoin}::boolean where member_id = ${memberId}::bigint and auto_join <> ${autoJoin}::boolean and not is_closed`,
  )
}

/** Whether the member passes prizes on to the help fund from now on. */
export async function setPassesOn(tx: Tx, memberId: bigint, passesOn: boolean): Promise<void> {
  await tx.query(
    sql`update wallet set passes_on = ${passesOn}::boolean where member_id = ${memberId}::bigint and passes_on <> ${passesOn}::boolean and not is_closed`,
  )
}

/** Reads a wallet; undefined for staff, who have none. */
export async function readWallet(from: Queryable, memberId: bigint): Promise<Wallet | undefined> {
  const row = await from.maybeOne<Omit<Wallet, 'lastRound'> & { lastRound: IstDay | null }>(sql`
    select member_id as "memberId", balance, held, nullif(last_round, '-infinity') as "lastRound", joins,
               may_move as "mayMove", auto_join as "autoJoin", is_closed as "isClosed"
          from wallet where member_id = ${memberId}::bigint`)
  return row === undefined ? undefined : { ...row, lastRound: row.lastRound ?? undefined }
}

/** A page of wallets by the id of their member: where it ends, and how many wallets it has. */
type WalletPage = { readonly last: bigint; readonly count: number }

/**
 * The page after an id; undefined when there is none. A statement that reads a page's rows takes both ends as parameters. With a computed
 * end the planner expects a quarter of all rows and scans the whole table for each page.
 */
export async function findWalletPage(from: Queryable, after: bigint, limit: number): Promise<WalletPage | undefined> {
  const page = await from.maybeOne<{ last: bigint | null; count: number }>(sql`select max(member_id) as last, count(*)::int as count
          from (select member_id from wallet where member_id > ${after}::bigint order by member_id limit ${limit}::int) page`)
  return page === undefined || page.last === null ? undefined : { last: page.last, count: page.count }
}
