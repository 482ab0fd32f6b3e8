/**
 * Sessions: opaque random tokens, stored only as SHA-256.
 *
 * - A session ends at its expiry, logout, a password change or the end of its account.
 * - A member's session ends 30 days after its last use and 90 days after its sign-in.
 * - An administrator's session ends after 30 idle minutes and after 12 hours. Only the database's clock decides.
 * - An account has at most 25 sessions of each kind: a login ends the least recently used one.
 * - Requests that arrive together find their sessions in one statement. A member's expiry is extended at most once a minute,
 *   an administrator's once a second.
 */
import { randomBytes } from 'node:crypto'
import { deviceNameOf } from '@roz/core/device-name.ts'
import { gatherReads } from '../../db/gathered-read.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { requiresTotp, type Session, type Sessions } from '../../http/session.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import { hashOf } from '../../tickets/sha256.ts'

/** How long a step-up is valid; a sign-in counts as one. */
export const STEP_UP_LASTS = sql`interval '10 minutes'`

/** A session ends after this long without use, and this long after its sign-in in any case. */
const RESTS = { member: sql`interval '30 days'`, admin: sql`interval '30 minutes'` } as const
const LASTS = { member: sql`interval '90 days'`, admin: sql`interval '12 hours'` } as const

/** Live sessions of an account of each kind. */
const SESSIONS_MAX = 25

const TOKEN = /^[\w-]{43}$/

type Row = {
  kind: 'member' | 'admin'
  member_id: bigint
  staff_role: StaffRole | null
  is_verified: boolean
  is_suspended: boolean
  is_stepped_up: boolean
  has_totp: boolean
}

export function createSessions(db: Db, options: { readonly production: boolean }): Sessions {
  const findRow = gatherReads<Buffer, Row>(async (tokenHashes) => {
    const rows = await db.query<Row & { readonly at: number }>(findAndSlide(tokenHashes))
    const found: (Row | undefined)[] = Array.from(tokenHashes, () => undefined)
    for (const row of rows) found[row.at - 1] = row
    return found
  })
  return {
    find: (token) => {
      if (!TOKEN.test(token)) return Promise.resolve(undefined)
      const tokenHash = hashOf(token)
      return findRow(tokenHash).then((row) => (row === undefined ? undefined : sessionOf(row, tokenHash, options)))
    },
  }
}

/** A session used more recently than this keeps its expiry: extending it at each request would cost too many writes. */
const usedBefore = sql`clock.at - case s.kind when 'admin' then interval '1 second' else interval '1 minute' end`

/**
 * Finds live sessions with their accounts, and extends the due ones.
 *
 * - A row that another request has locked is skipped: that request extends or ends it.
 * - The commit does not wait for the disk. A crash loses only the last extensions, and the next visit repeats them.
 * - A row is looked up once and then addressed by its ctid. The ctid is stable within the statement; if another request
 *   has moved the row since, there is nothing left to do.
 */
const findAndSlide = (tokenHashes: readonly Buffer[]): Sql => sql`
  with clock as materialized (select roz_now() as at, set_config('synchronous_commit', 'off', true)),
  found as materialized (
    select asked.at, s.ctid as place, s.kind, s.member_id, m.staff_role, m.email_verified_at is not null as is_verified,
           m.suspended_at is not null as is_suspended, coalesce(s.stepped_up_at > clock.at - ${STEP_UP_LASTS}, false) as is_stepped_up,
           s.last_used_at < ${usedBefore} as is_due,
           case when s.kind = 'admin' then exists (select from staff_totp t where t.member_id = m.id and t.confirmed_at is not null)
             else false end as has_totp
      from clock cross join unnest((select ${tokenHashes}::bytea[])) with ordinality as asked (token_hash, at)
      join session s on s.token_hash = asked.token_hash join member m on m.id = s.member_id
     where s.expires_at > clock.at and s.last_at > clock.at and m.deleted_at is null),
  due as materialized (
    select s.ctid as place from session s
     where s.ctid = any (array (select place from found where is_due))
       for no key update of s skip locked),
  slid as (
    update session s
       set last_used_at = clock.at, expires_at = clock.at + case s.kind when 'admin' then ${RESTS.admin} else ${RESTS.member} end
      from due, clock
     where s.ctid = due.place)
  select at::int as at, kind, member_id, staff_role, is_verified, is_suspended, is_stepped_up, has_totp from found`

/** An administrator's token is not valid once the account is no longer staff, and staff have no member's session. */
function sessionOf(row: Row, tokenHash: Buffer, options: { readonly production: boolean }): Session | undefined {
  if (row.kind === 'member') {
    if (row.staff_role !== null) return undefined
    const { is_verified: emailVerified, is_suspended: suspended } = row
    return { kind: 'member', tokenHash, memberId: row.member_id, emailVerified, suspended }
  }
  const { staff_role: staffRole, is_stepped_up: steppedUp } = row
  if (staffRole === null) return undefined
  const owesTotp = !row.has_totp && requiresTotp(options)
  return { kind: 'admin', tokenHash, memberId: row.member_id, staffRole, steppedUp, owesTotp }
}

/** Opens a session and returns its token, which is stored nowhere. */
export async function openSession(tx: Tx, memberId: bigint, kind: Session['kind'], userAgent = ''): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const { browser, system } = deviceNameOf(userAgent)
  await tx.query(sql`
    insert into session (token_hash, member_id, kind, expires_at, last_at, stepped_up_at, browser, system)
    values (${hashOf(token)}::bytea, ${memberId}::bigint, ${kind}::text, roz_now() + ${RESTS[kind]}, roz_now() + ${LASTS[kind]},
      ${kind === 'admin' ? sql`roz_now()` : sql`null`}, ${browser}::text, ${system}::text)`)
  await tx.query(sql`
    delete from session where token_hash in (
      select token_hash from session where member_id = ${memberId}::bigint and kind = ${kind}::text and token_hash <> ${hashOf(token)}::bytea
       order by last_used_at desc, created_at desc offset ${SESSIONS_MAX - 1}::int)`)
  return token
}

export async function endSession(from: Queryable, tokenHash: Buffer): Promise<void> {
  await from.query(sql`delete from session where token_hash = ${tokenHash}::bytea`)
}

/** Ends every session of an account, an administrator's included. */
export async function endAllSessions(tx: Tx, memberId: bigint): Promise<void> {
  await tx.query(sql`delete from session where member_id = ${memberId}::bigint`)
}

/** Ends every session of the account except the given one; returns how many. */
export async function endOtherSessions(from: Queryable, { memberId, tokenHash }: Pick<Session, 'memberId' | 'tokenHash'>): Promise<number> {
  const ended = await from.query(
    sql`delete from session where member_id = ${memberId}::bigint and token_hash <> ${tokenHash}::bytea returning 1`,
  )
  return ended.length
}
