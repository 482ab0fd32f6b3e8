/**
 * Changes of an owner by another owner: a role taken away, a removal, a reset of the app.
 * - Two owners agree: one asks, and the same call of another one takes effect. Both have the role since 48 hours.
 * - If no other owner could agree, the requesting owner calls again after 48 hours. Until then every owner can stop it.
 * - An owner in the first 48 hours of the role is changed by one owner, and everybody may change their own.
 * - The entries of the staff log are the record of what was asked, for seven days. All is judged under the owners' lock.
 */
import type { Output } from '@roz/contract/api.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import type { staffCalls } from '@roz/contract/staff.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { tellOwners } from '../../mail/owner-mails.ts'
import { logStaff } from '../../staff/staff-log.ts'

type Asked = Output<(typeof staffCalls)['staff']>['staff'][number]['asked'][number]
type Owner = { readonly id: bigint; readonly role: StaffRole; readonly name: string }
type OwnerChange =
  | { readonly what: 'role'; readonly role: StaffRole }
  | { readonly what: 'removed' | 'totp_reset'; readonly reason: string }
type Asking = { readonly actorId: bigint; readonly person: Owner; readonly change: OwnerChange }

const ACTIONS = { role: 'staff.role_asked', removed: 'staff.remove_asked', totp_reset: 'staff.totp_reset_asked' } as const

/** Open requests about an account: neither in effect nor stopped, nor asked by somebody else with the owner's account. */
const askedAbout = (id: Sql): Sql => sql`
  (select a.id, a.action, a.actor_id, a.actor_name, a.at, a.after ->> 'role' as role from audit_log a
    where a.subject = 'member:' || ${id} and a.action in ('staff.role_asked', 'staff.remove_asked', 'staff.totp_reset_asked')
      and a.at > roz_now() - interval '7 days'
      and not exists (select from audit_log done where done.subject = a.subject and done.id > a.id
                       and (done.action in ('staff.remove', 'staff.stop')
                         or done.action = 'staff.role' and done.before <> done.after
                         or done.action = 'staff.totp_reset' and a.action = 'staff.totp_reset_asked'))
      and not exists (select from audit_log n where n.actor_id = a.actor_id and n.action = 'staff.not_me' and n.id > a.id))`

/** Whether an owner beside these two could agree. */
const hasThird = (actorId: bigint, personId: bigint): Sql => sql`
  exists (select from member m where m.staff_role = 'owner' and is_settled_staff(m.id)
           and not is_same_person(m.id, ${actorId}::bigint) and not is_same_person(m.id, ${personId}::bigint))`

/** Whether the change takes effect now. Otherwise it is asked, unless this owner asked it before. */
export async function agreeOrAsk(tx: Tx, { actorId, person, change }: Asking): Promise<boolean> {
  if (person.role !== 'owner' || person.id === actorId || (change.what === 'role' && change.role === 'owner')) return true
  const role = change.what === 'role' ? change.role : null
  const { isNew, isAgreed, isAsked } = await tx.one<{ isNew: boolean; isAgreed: boolean; isAsked: boolean }>(sql`
    with asked as (select * from ${askedAbout(sql`${person.id}::bigint`)} a
                        where a.action = ${ACTIONS[change.what]}::text and a.role is not distinct from ${role}::text)
        select not is_settled_staff(${person.id}::bigint) as "isNew",
          is_settled_staff(${actorId}::bigint) and (
            exists (select from asked a join member m on m.id = a.actor_id
                     where m.staff_role = 'owner' and is_settled_staff(m.id) and not is_same_person(m.id, ${actorId}::bigint)
                       and not is_same_person(m.id, ${person.id}::bigint))
            or (not ${hasThird(actorId, person.id)}
                and exists (select from asked where actor_id = ${actorId}::bigint and at <= roz_now() - interval '48 hours'))) as "isAgreed",
          exists (select from asked where actor_id = ${actorId}::bigint) as "isAsked"`)
  if (isNew || isAgreed) return true
  if (isAsked) return false
  const { what, ...after } = change
  await logStaff(tx, { actorId, action: ACTIONS[what], subject: `member:${person.id}`, after })
  const detail = change.what === 'role' ? change.role : change.reason
  await tellOwners(tx, { what: `${what}_asked`, actorId, about: person.name, detail })
  return false
}

/** Stops the changes that were asked. False: the owner whom they are about may not, while another owner could agree. */
export async function stopAsked(tx: Tx, actorId: bigint, person: Owner): Promise<boolean> {
  const { isAsked, isOutvoted } = await tx.one<{ isAsked: boolean; isOutvoted: boolean }>(sql`
    with asked as (select * from ${askedAbout(sql`${person.id}::bigint`)} a)
        select exists (select from asked) as "isAsked",
          is_same_person(${actorId}::bigint, ${person.id}::bigint) and exists (
            select from asked a join member m on m.staff_role = 'owner' and is_settled_staff(m.id)
             and not is_same_person(m.id, a.actor_id) and not is_same_person(m.id, ${person.id}::bigint)) as "isOutvoted"`)
  if (!isAsked || isOutvoted) return !isOutvoted
  await logStaff(tx, { actorId, action: 'staff.stop', subject: `member:${person.id}` })
  await tellOwners(tx, { what: 'asked_withdrawn', actorId, about: person.name })
  return true
}

export type AskedRow = { readonly action: string; readonly by: string; readonly role: StaffRole | null; readonly at: string }
/** A column: what was asked about the member `m`. */
export const askedColumn = sql`
  (select coalesce(json_agg(json_build_object('action', a.action, 'by', a.actor_name, 'role', a.role, 'at', a.at) order by a.id), '[]')
     from ${askedAbout(sql`m.id`)} a) as asked`
export const shownAsked = ({ action, by, role, at }: AskedRow): Asked => ({
  what: action === ACTIONS.role ? 'role' : action === ACTIONS.removed ? 'removed' : 'totp_reset',
  role,
  by,
  at: isoIst(Date.parse(at)),
})
