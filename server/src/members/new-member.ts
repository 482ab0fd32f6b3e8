/**
 * Inserts a new account.
 * - The account and its wallet are written in one transaction: neither exists without the other.
 */
import type { Language } from '@roz/core/language.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { openWallet } from '../ledger/wallets.ts'

/** Nobody has proved that the address is theirs. A suspended or held account is evidence, and waits for a person. */
export const IS_UNCONFIRMED = sql`(email_verified_at is null and deleted_at is null and suspended_at is null and held_at is null and role = 'member')`

type NewMember = {
  readonly name: string
  readonly email: string
  readonly phone?: string
  readonly passwordHash?: string
  readonly googleSub?: string
  readonly language: Language
  /** True for accounts from Google and for the demo community. */
  readonly emailVerified: boolean
  /** The version of the terms accepted at registration. */
  readonly termsVersion: string
  readonly origin?: string
}

/** Returns the new member’s id; undefined where another account has the address (ignoring case) or the Google account. */
export async function insertMember(tx: Tx, member: NewMember): Promise<bigint | undefined> {
  const row = await tx.maybeOne<{ id: bigint }>(sql`
    insert into member (name, email, phone, password_hash, google_sub, language, email_verified_at, terms_version, terms_accepted_at, link_origin)
        values (${member.name}::text, ${member.email}::text, ${member.phone ?? null}::text, ${member.passwordHash ?? null}::text,
          ${member.googleSub ?? null}::text, ${member.language}::text, case when ${member.emailVerified}::boolean then roz_now() end,
          ${member.termsVersion}::text, roz_now(), ${member.origin ?? null}::text)
        on conflict do nothing returning id`)
  if (row === undefined) return undefined
  await openWallet(tx, row.id, { mayMove: member.emailVerified })
  // In the lists that are sorted by figures at once, and not only after the next pass over all members.
  await tx.query(sql`insert into member_sort (member_id, balance, joins, won) values (${row.id}::bigint, 0, 0, 0) on conflict do nothing`)
  return row.id
}
