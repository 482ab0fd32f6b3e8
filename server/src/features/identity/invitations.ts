/**
 * Invitations to the team.
 *
 * - The link works once, within 24 hours. Only a hash of its token is stored, and a newer invitation of the address replaces it.
 * - There is no account before the invitation is accepted, so until then the address opens nothing.
 * - An invitation ends with its owner: one who was removed or demoted, or says “This wasn’t me”, leaves no open link behind.
 * - A member's address is refused, because staff hold no wallet. An account that nobody confirmed may be a stranger's: it ends when the
 *   link, which came to the address, is used.
 */
import { randomUUID } from 'node:crypto'
import type { Output } from '@roz/contract/api.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import type { staffCalls } from '@roz/contract/staff.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { texts } from '@roz/core/texts.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'
import { addressKey, type LimitRules, take } from '../../protection/limits.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { enqueue } from '../../jobs/queue.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import { isCommonPassword } from '../../members/common-passwords.ts'
import { linkToken, tokenHash } from '../../members/link-token.ts'
import { IS_UNCONFIRMED } from '../../members/new-member.ts'
import { hashPassword } from '../../members/passwords.ts'
import type { IdentityDeps } from './deps.ts'
import { lockAsOwner } from './owners.ts'

const ACCEPTED = texts('Your account is ready. Please log in.')

type Listed = Output<(typeof staffCalls)['staff']>['invitations'][number]
type Row = {
  id: string
  name: string
  email: string
  role: StaffRole
  invitedBy: string
  createdAt: Date
  expiresAt: Date
  expired: boolean
}

const IS_OPEN = sql`i.accepted_at is null and i.cancelled_at is null`
const columns = sql`
  i.id, i.name, i.email, i.staff_role as role, m.name as "invitedBy", i.created_at as "createdAt", i.expires_at as "expiresAt",
  i.expires_at <= roz_now() as expired`

const listedOf = ({ createdAt, expiresAt, ...row }: Row): Listed => ({
  ...row,
  createdAt: isoIst(createdAt.getTime()),
  expiresAt: isoIst(expiresAt.getTime()),
})

/** The open invitations, the newest first; an expired one stays a while, so that it can be sent again. */
export const listInvitations = async (from: Queryable): Promise<Listed[]> =>
  (
    await from.query<Row>(
      sql`select ${columns} from staff_invitation i join member m on m.id = i.invited_by where ${IS_OPEN} order by i.created_at desc, i.id limit 100`,
    )
  ).map(listedOf)

/** Cancels what an owner has invited who is none any more, or whose account somebody else had. */
export async function cancelInvitationsOf(tx: Tx, memberId: bigint): Promise<void> {
  await tx.query(sql`update staff_invitation i set cancelled_at = roz_now() where i.invited_by = ${memberId}::bigint and ${IS_OPEN}`)
}

/** Forgets invitations, with the name and address in them, 30 days after they expired. */
export async function sweepInvitations(db: Db): Promise<void> {
  await db.query(sql`delete from staff_invitation where expires_at < (select roz_now()) - interval '30 days'`)
}

type Names = 'inviteStaff' | 'cancelInvitation' | 'acceptInvitation'

export function invitationHandlers(deps: IdentityDeps, rules: LimitRules): Handlers<Names> {
  const { db } = deps
  return {
    inviteStaff: ({ session: { memberId: actorId }, body, language, origin }) =>
      inTransaction(db, async (tx) => {
        if (!(await lockAsOwner(tx, actorId))) return { ok: false, code: 'forbidden' }
        const known = await tx.maybeOne<{ isStaff: boolean }>(
          sql`select role = 'admin' as "isStaff" from member where lower(email) = ${addressKey(body.email)}::text and not ${IS_UNCONFIRMED}`,
        )
        if (known !== undefined) return { ok: false, code: known.isStaff ? 'staff_exists' : 'member_address' }
        const row = await writeInvitation(tx, deps.secrets, { ...body, actorId })
        const { name, email, role } = row
        await logStaff(tx, { actorId, action: 'staff.invite', subject: `invitation:${row.id}`, after: { name, email, role } })
        const data = { name, inviter: row.invitedBy, tokenId: row.id, origin }
        await enqueue(tx, {
          kind: 'mail',
          key: `staff_invitation:${row.id}`,
          payload: { to: email, template: 'staff_invitation', language, data },
        })
        await tellOwners(tx, { what: 'invited', actorId, about: `${name} (${email})`, detail: role })
        return { ok: true, value: { invitation: listedOf(row) } }
      }),

    cancelInvitation: ({ session: { memberId: actorId }, params: { id } }) =>
      inTransaction(db, async (tx) => {
        const cancelled = CURSOR_PARTS.uuid(id)
          ? await tx.maybeOne<{ name: string; email: string }>(
              sql`update staff_invitation i set cancelled_at = roz_now() where i.id = ${id}::uuid and ${IS_OPEN} returning i.name, i.email`,
            )
          : undefined
        if (cancelled === undefined) return { ok: false, code: 'invitation_not_found' }
        await logStaff(tx, { actorId, action: 'staff.invite_cancel', subject: `invitation:${id}`, before: cancelled })
        return { ok: true, value: undefined }
      }),

    acceptInvitation: async ({ body, language, ip, userAgent }) => {
      const source = { ip, userAgent }
      const taken = await take(db, rules.other(source))
      if (!taken.ok) return taken
      const hash = tokenHash(body.token)
      // Only a link that may work is worth the time of a password hash. The transaction checks again.
      if ((await findOpen(db, hash)) === undefined) return { ok: false, code: 'invitation_invalid' }
      if (isCommonPassword(body.password)) return invalid({ password: 'password_common' })
      const passwordHash = await hashPassword(body.password)
      return inTransaction(db, async (tx) => {
        const open = await findOpen(tx, hash, sql`for update`)
        if (open === undefined) return { ok: false, code: 'invitation_invalid' }
        await deps.freeAddress(tx, open.email)
        const memberId = await insertStaff(tx, open, { passwordHash, language })
        if (memberId === undefined) return { ok: false, code: 'email_taken' }
        await tx.query(sql`update staff_invitation set accepted_at = roz_now() where id = ${open.id}::uuid`)
        const subject = `member:${memberId}`
        await logStaff(tx, {
          actorId: memberId,
          action: 'staff.join',
          subject,
          after: { role: open.role, invitation: open.id },
          from: source,
        })
        await tellOwners(tx, { what: 'joined', actorId: memberId, about: open.name, detail: open.role, personId: memberId })
        return { ok: true, value: { message: ACCEPTED[language] } }
      })
    },
  }
}

/** Writes an invitation, in place of an open one of the same address. */
async function writeInvitation(
  tx: Tx,
  secrets: IdentityDeps['secrets'],
  given: { readonly name: string; readonly email: string; readonly role: StaffRole; readonly actorId: bigint },
): Promise<Row> {
  const id = randomUUID()
  const hash = tokenHash(linkToken(secrets, id))
  await tx.query(sql`
      update staff_invitation i set cancelled_at = roz_now() where lower(i.email) = ${addressKey(given.email)}::text and ${IS_OPEN}`)
  return tx.one<Row>(sql`with i as (
            insert into staff_invitation (id, token_hash, email, name, staff_role, invited_by, expires_at)
            values (${id}::uuid, ${hash}::bytea, ${given.email}::text, ${given.name}::text, ${given.role}::text, ${given.actorId}::bigint,
              roz_now() + interval '24 hours') returning *)
          select ${columns} from i join member m on m.id = i.invited_by`)
}

type Open = { readonly id: string; readonly email: string; readonly name: string; readonly role: StaffRole; readonly invitedBy: bigint }

const findOpen = (from: Queryable, hash: Buffer, lock = sql``): Promise<Open | undefined> =>
  from.maybeOne<Open>(sql`select i.id, i.email, i.name, i.staff_role as role, i.invited_by as "invitedBy" from staff_invitation i
        where i.token_hash = ${hash}::bytea and ${IS_OPEN} and i.expires_at > roz_now() ${lock}`)

/** Undefined where the address got another account meanwhile. The link came to the address, which confirms it. */
async function insertStaff(
  tx: Tx,
  { name, email, role, invitedBy }: Open,
  { passwordHash, language }: { readonly passwordHash: string; readonly language: Language },
): Promise<bigint | undefined> {
  const row = await tx.maybeOne<{ id: bigint }>(sql`
    insert into member (name, email, role, staff_role, password_hash, email_verified_at, language, vouched_by)
        values (${name}::text, ${email}::text, 'admin', ${role}::text, ${passwordHash}::text, roz_now(), ${language}::text, ${invitedBy}::bigint)
        on conflict do nothing returning id`)
  return row?.id
}
