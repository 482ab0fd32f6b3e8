/**
 * Whether a member's money may move: suspension and hold.
 * - Suspended: the member can move no money, and withdrawals and refunds wait. Money that arrives is credited.
 * - On hold: withdrawals and refunds wait; everything else continues.
 * - Both are written under the lock of the account, then of the wallet. A join, withdrawal or approval that waited for the
 *   lock sees them.
 * - A wallet whose address is not confirmed stays closed to movements when its member is reinstated.
 */
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { cancelOpenCharge } from './autopay.ts'
import { lockWallet } from './transfer.ts'
import { setMayMove } from './wallets.ts'

/** The value of `held_about` for a hold by the staff. */
export const BY_STAFF = 'staff'

export type Standing = {
  readonly isConfirmed: boolean
  readonly suspendedAt: Date | null
  readonly heldAt: Date | null
  /** The mail that the member answered with "This wasn't me", or `BY_STAFF`. */
  readonly heldAbout: string | null
}

/** Locks the account, then the wallet. Undefined for an erased account and for staff, who have no wallet. */
export async function lockStanding(tx: Tx, memberId: bigint): Promise<Standing | undefined> {
  const standing = await tx.maybeOne<Standing>(sql`
    select email_verified_at is not null as "isConfirmed", suspended_at as "suspendedAt", held_at as "heldAt", held_about as "heldAbout"
          from member where id = ${memberId}::bigint and role = 'member' and deleted_at is null for no key update`)
  if (standing !== undefined) await lockWallet(tx, memberId)
  return standing
}

/** Suspends a member. False: the member is suspended already, or is not there. */
export async function suspendMember(tx: Tx, memberId: bigint): Promise<boolean> {
  const standing = await lockStanding(tx, memberId)
  if (standing === undefined || standing.suspendedAt !== null) return false
  await tx.query(sql`update member set suspended_at = roz_now() where id = ${memberId}::bigint`)
  await setMayMove(tx, memberId, false)
  await cancelOpenCharge(tx, memberId)
  return true
}

/** Ends a suspension. False: the member is not suspended. */
export async function reinstateMember(tx: Tx, memberId: bigint): Promise<boolean> {
  const standing = await lockStanding(tx, memberId)
  if (standing === undefined || standing.suspendedAt === null) return false
  await tx.query(sql`update member set suspended_at = null where id = ${memberId}::bigint`)
  await setMayMove(tx, memberId, standing.isConfirmed)
  return true
}

/**
 * Holds a member's withdrawals and refunds. False: the member is held already, or is not there.
 * - A hold keeps its time and reason, but the member's own word of a stranger replaces the staff's reason: whoever releases must read it.
 */
export async function holdMember(tx: Tx, memberId: bigint, about: string): Promise<boolean> {
  const standing = await lockStanding(tx, memberId)
  if (standing === undefined || (standing.heldAt !== null && (standing.heldAbout !== BY_STAFF || about === BY_STAFF))) return false
  await tx.query(sql`update member set held_at = coalesce(held_at, roz_now()), held_about = ${about}::text where id = ${memberId}::bigint`)
  return true
}

/** Ends a hold. False: there is none. */
export async function releaseMember(tx: Tx, memberId: bigint): Promise<boolean> {
  const standing = await lockStanding(tx, memberId)
  if (standing === undefined || standing.heldAt === null) return false
  await tx.query(sql`update member set held_at = null, held_about = null where id = ${memberId}::bigint`)
  return true
}
