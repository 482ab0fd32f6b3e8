/**
 * Accounts in SQL, for signing in and for links.
 *
 * - Every change of who may sign in (a password, a confirmation) is made under the lock of the member's row.
 */
import { type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { addressKey, browserDigests, type LimitRules, type Source, take, type Taken } from '../../protection/limits.ts'
import { setMayMove } from '../../ledger/wallets.ts'
import { mailMember } from '../../mail/mails.ts'
import type { LinkSecrets } from '../../members/link-token.ts'
import { noteMailbox } from '../../members/signals.ts'

/** The fields that check a password. */
export type Credentials = {
  readonly id: bigint
  readonly email: string
  readonly passwordHash: string | null
  readonly isStaff: boolean
  /** The closest digest of this browser that has signed in before. */
  readonly browser: Buffer | null
}

const credentials = (digests: readonly [Buffer, Buffer]) => sql`
  m.id, m.email, m.password_hash as "passwordHash", m.role = 'admin' as "isStaff",
  (select b.digest from known_browser b where b.member_id = m.id and b.digest in (${digests[0]}::bytea, ${digests[1]}::bytea)
   order by b.digest = ${digests[0]}::bytea desc limit 1) as browser`

export const findByEmail = (from: Queryable, email: string, source: Source): Promise<Credentials | undefined> =>
  from.maybeOne<Credentials>(
    sql`select ${credentials(browserDigests(source))} from member m where lower(m.email) = ${addressKey(email)}::text and m.deleted_at is null`,
  )

export const findById = (from: Queryable, memberId: bigint, source: Source): Promise<Credentials | undefined> =>
  from.maybeOne<Credentials>(
    sql`select ${credentials(browserDigests(source))} from member m where m.id = ${memberId}::bigint and m.deleted_at is null`,
  )

export type LockedAccount = {
  readonly id: bigint
  readonly email: string
  readonly passwordHash: string | null
  readonly googleSub: string | null
  readonly isVerified: boolean
  readonly isSuspended: boolean
  readonly isHeld: boolean
  readonly isStaff: boolean
}

/** Locks an account; undefined when it is deleted or missing. */
export const lockAccount = (tx: Tx, memberId: bigint): Promise<LockedAccount | undefined> =>
  tx.maybeOne<LockedAccount>(sql`
    select id, email, password_hash as "passwordHash", google_sub as "googleSub", email_verified_at is not null as "isVerified", suspended_at is not null as "isSuspended",
          held_at is not null as "isHeld", role = 'admin' as "isStaff"
        from member where id = ${memberId}::bigint and deleted_at is null for no key update`)

export async function setPassword(tx: Tx, memberId: bigint, passwordHash: string | null): Promise<void> {
  await tx.query(sql`update member set password_hash = ${passwordHash}::text where id = ${memberId}::bigint`)
}

/** Confirms the address of a locked account and lets its money move. A repeat does nothing. */
export async function confirmMail(tx: Tx, secrets: LinkSecrets, account: LockedAccount, origin: string): Promise<void> {
  if (account.isVerified) return
  await tx.query(sql`update member set email_verified_at = roz_now() where id = ${account.id}::bigint`)
  if (!account.isStaff) await setMayMove(tx, account.id, !account.isSuspended)
  await noteMailbox(tx, secrets, account.id, account.email)
  await mailMember(tx, { memberId: account.id, template: 'welcome', key: `welcome:${account.id}`, data: {}, origin })
}

/** Digests kept for an account, two for each browser and network. */
const BROWSERS_MAX = 100

/**
 * Remembers the browser of a sign-in, which gets an allowance of its own, and the origin for links in mails.
 * Returns whether the browser was known. A full account forgets only browsers that were not used for 30 days: otherwise a thief's many
 * logins would push out the member's own browser, and its allowance.
 */
export async function rememberSignIn(tx: Tx, memberId: bigint, source: Source, origin: string): Promise<boolean> {
  const [exact, block] = browserDigests(source)
  await tx.query(sql`
    delete from known_browser where member_id = ${memberId}::bigint and seen_at < (select roz_now()) - interval '30 days'
       and not exists (select from known_browser where member_id = ${memberId}::bigint and digest = ${exact}::bytea) and digest in (
      select digest from known_browser where member_id = ${memberId}::bigint order by seen_at desc, digest offset ${BROWSERS_MAX - 2}::int)`)
  const remembered = await tx.query<{ isOld: boolean }>(sql`
    insert into known_browser (member_id, digest)
    select ${memberId}::bigint, d from unnest(array[${exact}::bytea, ${block}::bytea]) d
     where (select count(*) from known_browser where member_id = ${memberId}::bigint) <= ${BROWSERS_MAX - 2}::int
        or exists (select from known_browser where member_id = ${memberId}::bigint and digest = d)
     order by d
    on conflict (member_id, digest) do update set seen_at = roz_now() returning old.digest is not null as "isOld"`)
  await tx.query(
    sql`update member set link_origin = ${origin}::text where id = ${memberId}::bigint and link_origin is distinct from ${origin}::text`,
  )
  return remembered.some(({ isOld }) => isOld)
}

/** Counts a successful login against the allowance of this browser, or of all browsers that are new to the account. */
export async function takeLogin(tx: Tx, rules: LimitRules, memberId: bigint, source: Source): Promise<Taken> {
  return take(tx, rules.logins(memberId, (await findById(tx, memberId, source))?.browser ?? undefined))
}

export async function forgetBrowsers(tx: Tx, memberId: bigint): Promise<void> {
  await tx.query(sql`delete from known_browser where member_id = ${memberId}::bigint`)
}
