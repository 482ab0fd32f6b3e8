/**
 * Ensures at every start that the first administrator exists.
 *
 * - Afterwards the address has an owner's account. Exception: while there is another owner, no start restores an account that
 *   an owner removed or demoted.
 * - An account of the address that nobody confirmed ends: anybody can register it, and it would stop every start.
 * - An existing password is never changed.
 * - A generated password is returned once and stored nowhere.
 */
import { asciiAddress } from '@roz/core/person-fields.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { addressKey } from '../../protection/limits.ts'
import { IS_UNCONFIRMED } from '../../members/new-member.ts'
import { hashPassword } from '../../members/passwords.ts'
import type { IdentityDeps } from './deps.ts'
import { makeGroup } from './second-factor.ts'

/** The start cannot continue; the message says what to change. */
export class AdminAddressError extends Error {
  override readonly name = 'AdminAddressError'
}

type EnsuredAdmin = {
  readonly isNew: boolean
  /** Set only when the password was generated here; the caller shows it once. */
  readonly madePassword: string | undefined
  /** An owner has removed this address from the team, or taken the role of an owner from it: it was left so. */
  readonly isPassedOver: boolean
}

/** It is read from a screen and typed. */
const makePassword = (): string => Array.from({ length: 4 }, makeGroup).join('-')

export async function ensureAdmin(
  db: Db,
  admin: { readonly email: string; readonly password: string | undefined },
  freeAddress: IdentityDeps['freeAddress'],
): Promise<EnsuredAdmin> {
  if (await isTakenAway(db, admin.email)) return { isNew: false, madePassword: undefined, isPassedOver: true }
  const known = await promote(db, admin.email, freeAddress)
  if (known) return { isNew: false, madePassword: undefined, isPassedOver: false }
  const password = admin.password ?? makePassword()
  const passwordHash = await hashPassword(password)
  const isNew = await inTransaction(db, async (tx) => {
    const row = await tx.maybeOne<{ id: bigint }>(sql`insert into member (name, email, role, staff_role, password_hash, email_verified_at)
          values ('Administrator', ${asciiAddress(admin.email.trim())}::text, 'admin', 'owner', ${passwordHash}::text, roz_now())
          on conflict do nothing returning id`)
    if (row === undefined) return false
    await logStaff(tx, { actorId: undefined, action: 'staff.create', subject: `member:${row.id}`, after: { staffRole: 'owner' } })
    return true
  })
  // In the same moment another start made the account, and shows its password, or somebody registered the address.
  if (!isNew) return ensureAdmin(db, admin, freeAddress)
  return { isNew, madePassword: admin.password === undefined ? password : undefined, isPassedOver: false }
}

/** Whether an owner removed or demoted the account of this address, and another owner exists. */
async function isTakenAway(db: Db, email: string): Promise<boolean> {
  const key = sql`${addressKey(email)}::text`
  const { isIt } = await db.one<{ isIt: boolean }>(sql`
    select exists (select from member where staff_role = 'owner' and deleted_at is null and lower(email) <> ${key})
          and not exists (select from member where staff_role = 'owner' and deleted_at is null and lower(email) = ${key})
          and (exists (select from audit_log where action = 'staff.remove' and lower(before ->> 'email') = ${key})
            or exists (select from member m join audit_log a on a.subject = 'member:' || m.id
                        where lower(m.email) = ${key} and a.action = 'staff.role' and a.before ->> 'role' = 'owner')) as "isIt"`)
  return isIt
}

/** Makes an existing staff account an owner's; false when the address has no account. */
async function promote(db: Db, email: string, freeAddress: IdentityDeps['freeAddress']): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = await tx.maybeOne<{ id: bigint; staffRole: string | null; isUnconfirmed: boolean }>(
      sql`select id, staff_role as "staffRole", ${IS_UNCONFIRMED} as "isUnconfirmed" from member where lower(email) = ${addressKey(email)}::text for update`,
    )
    if (row === undefined) return false
    if (row.isUnconfirmed) {
      await freeAddress(tx, email)
      return false
    }
    // Staff hold no wallet, so a member's account cannot become a staff account.
    if (row.staffRole === null)
      throw new AdminAddressError(`ADMIN_EMAIL is the address of a member. Choose another address for the administrator.`)
    if (row.staffRole !== 'owner') {
      await tx.query(sql`update member set staff_role = 'owner' where id = ${row.id}::bigint`)
      await logStaff(tx, {
        actorId: undefined,
        action: 'staff.change',
        subject: `member:${row.id}`,
        before: { staffRole: row.staffRole },
        after: { staffRole: 'owner' },
      })
    }
    return true
  })
}
