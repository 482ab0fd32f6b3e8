/**
 * Sessions: opaque random tokens of which only the SHA-256 is kept. Invariants: a session ends with
 * its time, its logout, a password change or its account; finding one is a single indexed read, on
 * the path of every request; its end slides at most once a minute (a member's 30 days), an admin's
 * 15 idle minutes with every request but never beyond 12 hours.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Db, type Queryable, maybeOne, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Session, Sessions, StaffRole } from '../../http/session.ts'

/** How long a step-up holds; a sign-in counts as one. */
export const STEP_UP_LASTS = sql`interval '10 minutes'`

const TOKEN = /^[\w-]{43}$/
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

type Row = {
  kind: 'member' | 'admin'
  member_id: bigint
  staff_role: StaffRole | null
  is_verified: boolean
  is_suspended: boolean
  is_due: boolean
  is_stepped_up: boolean
}

export function createSessions(db: Db): Sessions {
  return {
    find: async (token) => {
      if (!TOKEN.test(token)) return undefined
      const tokenHash = hashOf(token)
      const row = await maybeOne<Row>(
        db,
        sql`with clock as materialized (select roz_now() as at)
          select s.kind, s.member_id, m.staff_role, m.email_verified_at is not null as is_verified, m.suspended_at is not null as is_suspended,
            coalesce(s.stepped_up_at > clock.at - ${STEP_UP_LASTS}, false) as is_stepped_up,
            s.kind = 'admin' or s.last_used_at < clock.at - interval '1 minute' as is_due
          from clock cross join session s join member m on m.id = s.member_id
          where s.token_hash = ${tokenHash}::bytea and s.expires_at > clock.at and (s.last_at is null or s.last_at > clock.at)
            and m.deleted_at is null`,
      )
      if (row === undefined) return undefined
      if (row.is_due) await slide(db, tokenHash)
      return sessionOf(row, tokenHash)
    },
  }
}

/** An admin's token of an account that is no longer staff opens nothing. */
function sessionOf(row: Row, tokenHash: Buffer): Session | undefined {
  if (row.kind === 'member') {
    return { kind: 'member', tokenHash, memberId: row.member_id, emailVerified: row.is_verified, suspended: row.is_suspended }
  }
  if (row.staff_role === null) return undefined
  return { kind: 'admin', tokenHash, memberId: row.member_id, staffRole: row.staff_role, steppedUp: row.is_stepped_up }
}

/** Of many requests at once one writes; a session that ended meanwhile is not brought back. */
async function slide(db: Db, tokenHash: Buffer): Promise<void> {
  await db.query(sql`
    update session
    set last_used_at = roz_now(), expires_at = roz_now() + case kind when 'admin' then interval '15 minutes' else interval '30 days' end
    where token_hash = ${tokenHash}::bytea and expires_at > roz_now()
      and last_used_at < roz_now() - case kind when 'admin' then interval '1 second' else interval '1 minute' end`)
}

/** Opens a session and answers its token, which is stored nowhere. */
export async function openSession(tx: Tx, memberId: bigint, kind: Session['kind']): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const isAdmin = kind === 'admin'
  await tx.query(sql`
    insert into session (token_hash, member_id, kind, expires_at, last_at, stepped_up_at)
    values (${hashOf(token)}::bytea, ${memberId}::bigint, ${kind}::text,
      roz_now() + case when ${isAdmin}::boolean then interval '15 minutes' else interval '30 days' end,
      case when ${isAdmin}::boolean then roz_now() + interval '12 hours' end,
      case when ${isAdmin}::boolean then roz_now() end)`)
  return token
}

export async function endSession(from: Queryable, tokenHash: Buffer): Promise<void> {
  await from.query(sql`delete from session where token_hash = ${tokenHash}::bytea`)
}

/** Every session of an account, an administrator's included. */
export async function endAllSessions(tx: Tx, memberId: bigint): Promise<void> {
  await tx.query(sql`delete from session where member_id = ${memberId}::bigint`)
}
