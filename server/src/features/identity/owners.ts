/** The owners: one of them always remains. Every change of the owners, and every act as an owner, takes their lock first. */
import { lockInTransaction } from '../../db/advisory-locks.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'

/** Takes the owners' lock; false where the account is no longer an owner, whatever its session said. */
export async function lockAsOwner(tx: Tx, memberId: bigint): Promise<boolean> {
  await lockInTransaction(tx, 'owners')
  const owner = await tx.maybeOne(sql`select 1 from member where id = ${memberId}::bigint and staff_role = 'owner' and deleted_at is null`)
  return owner !== undefined
}

/** Whether there is an owner beside this one; call it under the owners' lock. */
export async function hasOtherOwner(tx: Tx, memberId: bigint): Promise<boolean> {
  const other = await tx.maybeOne(
    sql`select 1 from member where staff_role = 'owner' and deleted_at is null and id <> ${memberId}::bigint limit 1`,
  )
  return other !== undefined
}
