/**
 * The team: its list, changes of roles, removals, and the reset of a lost second factor.
 *
 * - Every change takes the lock `owners` first and checks again that its actor is an owner: of two owners who remove or
 *   demote each other at once, one remains. The schema refuses the last one's removal a second time.
 * - A change of an owner by another owner needs two of them, or waits (owner-changes.ts).
 * - A role counts from the next call on, because each request reads it.
 * - All owners and the person are mailed about each change. Open first approvals and requests of the person end with the role.
 * - A removal ends all sessions and credentials. The row keeps the name, so that the staff log stays readable.
 */
import type { Input, Output } from '@roz/contract/api.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import type { staffCalls } from '@roz/contract/staff.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import { contains } from '../../members/member-search.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Columns, exportList } from '../../staff/exported-list.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS, type Cursor, cutPage, readPage } from '../../lists/cursor.ts'
import type { Handlers } from '../../http/route.ts'
import { voidVoices } from '../../ledger/voices-that-left.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import { forgetBrowsers, setPassword } from './accounts.ts'
import type { IdentityDeps } from './deps.ts'
import { cancelInvitationsOf, listInvitations } from './invitations.ts'
import { agreeOrAsk, askedColumn, type AskedRow, shownAsked, stopAsked } from './owner-changes.ts'
import { hasOtherOwner, lockAsOwner } from './owners.ts'
import { tellTotp } from './own-totp.ts'
import { forgetTotp, removeTotp } from './second-factor.ts'
import { endAllSessions } from './sessions.ts'

type Listed = Output<(typeof staffCalls)['staff']>['staff'][number]
type Filter = Input<(typeof staffCalls)['staffCsv']>['query']
type Row = {
  id: bigint
  publicId: string
  name: string
  email: string | null
  role: StaffRole
  totp: boolean
  createdAt: Date
  lastSignInAt: Date | null
  removedAt: Date | null
  asked: readonly AskedRow[]
}

const columns = sql`
  m.id, m.public_id as "publicId", m.name, m.email, m.staff_role as role, m.created_at as "createdAt", m.deleted_at as "removedAt",
  ${askedColumn},
  exists (select from staff_totp t where t.member_id = m.id and t.confirmed_at is not null) as totp,
  (select a.at from audit_log a where a.actor_id = m.id and a.action = 'staff.sign_in' order by a.at desc limit 1) as "lastSignInAt"`

const listedOf = ({ publicId, name, email, role, totp, createdAt, lastSignInAt, removedAt, asked }: Row): Listed => ({
  id: publicId,
  name,
  email,
  role,
  totp,
  createdAt: isoIst(createdAt.getTime()),
  lastSignInAt: lastSignInAt === null ? null : isoIst(lastSignInAt.getTime()),
  removedAt: removedAt === null ? null : isoIst(removedAt.getTime()),
  asked: asked.map(shownAsked),
})

const keyOf = ({ id }: Row): Cursor => [String(id)]
const CSV_COLUMNS = {
  id: (person) => person.id,
  name: (person) => person.name,
  email: (person) => person.email,
  role: (person) => person.role,
  authenticator_app: (person) => (person.totp ? 'yes' : 'no'),
  since: (person) => person.createdAt,
  last_login: (person) => person.lastSignInAt,
  removed: (person) => person.removedAt,
} satisfies Columns<Listed>

const getListed = async (from: Queryable, id: bigint): Promise<Listed> =>
  listedOf(await from.one<Row>(sql`select ${columns} from member m where m.id = ${id}::bigint`))

type Locked = { readonly id: bigint; readonly role: StaffRole; readonly name: string; readonly email: string }

/** Locks the list of owners and one of the team; the actor must still be an owner. */
async function lockForOwner(tx: Tx, actorId: bigint, publicId: string) {
  if (!(await lockAsOwner(tx, actorId))) return { ok: false, code: 'forbidden' } as const
  const found = CURSOR_PARTS.uuid(publicId)
    ? await tx.maybeOne<Locked>(sql`select id, staff_role as role, name, email from member
            where public_id = ${publicId}::uuid and role = 'admin' and deleted_at is null for update`)
    : undefined
  return found === undefined ? ({ ok: false, code: 'staff_not_found' } as const) : ({ ok: true, person: found } as const)
}

const isLastOwner = async (tx: Tx, { id, role }: Locked): Promise<boolean> => role === 'owner' && !(await hasOtherOwner(tx, id))

/** The answer where nothing changed: the person, and what is asked. */
const waiting = async (tx: Tx, { id }: Locked) => ({ ok: true as const, value: { staff: await getListed(tx, id) } })

const subjectOf = ({ id }: Locked): string => `member:${id}`

type Names = 'staff' | 'staffCsv' | 'changeStaffRole' | 'removeStaff' | 'resetStaffTotp' | 'stopStaffChange'

export function teamHandlers({ db }: Pick<IdentityDeps, 'db'>): Handlers<Names> {
  return {
    staff: async ({ query }) => {
      const page = readPage(query, [CURSOR_PARTS.id])
      if (!page.ok) return page
      const [rows, invitations] = await Promise.all([listStaff(db, query, page), listInvitations(db)])
      const { rows: shown, nextCursor } = cutPage(rows, page.limit, keyOf)
      return { ok: true, value: { staff: shown.map(listedOf), invitations, nextCursor } }
    },

    staffCsv: (call) =>
      exportList(db, call, {
        name: 'staff',
        read: async (page) => (await listStaff(db, call.query, page)).map((row) => ({ shown: listedOf(row), key: keyOf(row) })),
        columns: CSV_COLUMNS,
      }),

    changeStaffRole: ({ session: { memberId: actorId }, params, body: { role } }) =>
      inTransaction(db, async (tx) => {
        const found = await lockForOwner(tx, actorId, params.id)
        if (!found.ok) return found
        const { person } = found
        if (role !== 'owner' && (await isLastOwner(tx, person))) return { ok: false, code: 'last_owner' }
        if (!(await agreeOrAsk(tx, { actorId, person, change: { what: 'role', role } }))) return waiting(tx, person)
        await tx.query(sql`update member set staff_role = ${role}::text where id = ${person.id}::bigint`)
        if (role !== person.role) {
          await voidVoices(tx, person.id, actorId)
          await tellOwners(tx, { what: 'role', actorId, about: person.name, detail: role, personId: person.id })
        }
        if (role !== 'owner') await cancelInvitationsOf(tx, person.id)
        await logStaff(tx, { actorId, action: 'staff.role', subject: subjectOf(person), before: { role: person.role }, after: { role } })
        return { ok: true, value: { staff: await getListed(tx, person.id) } }
      }),

    removeStaff: ({ session: { memberId: actorId }, params, body: { reason } }) =>
      inTransaction(db, async (tx) => {
        const found = await lockForOwner(tx, actorId, params.id)
        if (!found.ok) return found
        const { person } = found
        if (await isLastOwner(tx, person)) return { ok: false, code: 'last_owner' }
        if (!(await agreeOrAsk(tx, { actorId, person, change: { what: 'removed', reason } }))) return waiting(tx, person)
        // Before the address is gone.
        await tellOwners(tx, { what: 'removed', actorId, about: person.name, detail: reason, personId: person.id })
        await tx.query(sql`
          update member set deleted_at = roz_now(), email = null, phone = null, google_sub = null where id = ${person.id}::bigint`)
        await voidVoices(tx, person.id, actorId)
        await setPassword(tx, person.id, null)
        await forgetTotp(tx, person.id)
        await endAllSessions(tx, person.id)
        await forgetBrowsers(tx, person.id)
        await tx.query(sql`delete from mail_token where member_id = ${person.id}::bigint`)
        await cancelInvitationsOf(tx, person.id)
        const { role, name, email } = person
        await logStaff(tx, {
          actorId,
          action: 'staff.remove',
          subject: subjectOf(person),
          before: { role, name, email },
          after: { reason },
        })
        return { ok: true, value: { staff: await getListed(tx, person.id) } }
      }),

    resetStaffTotp: ({ session: { memberId: actorId }, params, body: { reason }, origin }) =>
      inTransaction(db, async (tx) => {
        const found = await lockForOwner(tx, actorId, params.id)
        if (!found.ok) return found
        const { person } = found
        if (person.id === actorId) return { ok: false, code: 'own_totp' }
        if (!(await getListed(tx, person.id)).totp) return { ok: false, code: 'totp_not_enrolled' }
        if (!(await agreeOrAsk(tx, { actorId, person, change: { what: 'totp_reset', reason } }))) return waiting(tx, person)
        await removeTotp(tx, person.id)
        await endAllSessions(tx, person.id)
        await tellTotp(tx, person.id, 'reset', origin)
        await tellOwners(tx, { what: 'totp_reset', actorId, about: person.name })
        await logStaff(tx, { actorId, action: 'staff.totp_reset', subject: subjectOf(person), after: { reason } })
        return { ok: true, value: { staff: await getListed(tx, person.id) } }
      }),

    stopStaffChange: ({ session: { memberId: actorId }, params }) =>
      inTransaction(db, async (tx) => {
        const found = await lockForOwner(tx, actorId, params.id)
        if (!found.ok) return found
        return (await stopAsked(tx, actorId, found.person)) ? waiting(tx, found.person) : { ok: false, code: 'forbidden' }
      }),
  }
}

type Page = { readonly after: Cursor | undefined; readonly limit: number }

const listStaff = (db: Db, { status, q }: Filter, { after, limit }: Page): Promise<Row[]> =>
  db.query<Row>(sql`
    select ${columns} from member m
    where m.role = 'admin' and ${after === undefined ? sql`true` : sql`m.id < ${after[0]}::bigint`}
      and ${status === undefined ? sql`true` : status === 'current' ? sql`m.deleted_at is null` : sql`m.deleted_at is not null`}
      and (${contains(q, sql`m.name`, sql`m.email`)})
    order by m.id desc limit ${limit + 1}::int`)
