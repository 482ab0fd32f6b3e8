/**
 * Decisions about a member's account: suspend, reinstate, hold, release, log out everywhere, and notes.
 *
 * - A decision, its line in the staff log with the reason, and the mail to the member are one transaction.
 * - A decision that changes nothing is refused, so it is neither recorded nor mailed twice.
 * - Nobody frees an account of their own.
 * - A release may name the hold that was shown: with another time or reason it is refused.
 * - The reason is for the staff: the mail does not repeat it.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { isOwnMoney } from '../../ledger/approvals.ts'
import {
  BY_STAFF,
  holdMember,
  lockStanding,
  reinstateMember,
  releaseMember,
  type Standing,
  suspendMember,
} from '../../ledger/suspension.ts'
import { mailMember } from '../../mail/mails.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { findMemberId, MEMBER_NOT_FOUND } from './found-member.ts'
import { getListed, holdOf } from './member-list.ts'

export type StandingCalls = 'suspendUser' | 'reinstateUser' | 'holdUser' | 'releaseUser' | 'endUserSessions' | 'noteUser'

type Asked = {
  readonly session: { readonly memberId: bigint }
  readonly params: { readonly id: string }
  readonly body: { readonly reason: string }
  readonly origin: string
}
type AccountDecision<C extends RefusalCode> = {
  readonly action: 'suspend' | 'reinstate' | 'hold' | 'release'
  readonly mail: 'account_suspended' | 'account_reinstated' | 'payouts_held' | 'payouts_released'
  /** The refusal if the member is in that state already. */
  readonly unchanged: C
  /** Why this person may not decide it. */
  readonly refusalOf?: (tx: Tx, by: bigint, memberId: bigint, before: Standing) => Promise<C | undefined>
  readonly effect: (tx: Tx, memberId: bigint) => Promise<boolean>
}

const stateOf = ({ suspendedAt, heldAt, heldAbout }: Standing) => ({
  suspendedAt: suspendedAt === null ? null : isoIst(suspendedAt.getTime()),
  heldAt: heldAt === null ? null : isoIst(heldAt.getTime()),
  heldAbout,
})

const decide = <C extends RefusalCode>(
  db: Db,
  { session, params, body, origin }: Asked,
  { action, mail, unchanged, refusalOf, effect }: AccountDecision<C>,
) =>
  inTransaction(db, async (tx) => {
    const memberId = await findMemberId(tx, params.id)
    const before = memberId === undefined ? undefined : await lockStanding(tx, memberId)
    if (memberId === undefined || before === undefined) return MEMBER_NOT_FOUND
    const refusal = await refusalOf?.(tx, session.memberId, memberId, before)
    if (refusal !== undefined) return { ok: false, code: refusal } as const
    if (!(await effect(tx, memberId))) return { ok: false, code: unchanged } as const
    const id = await writeAudit(tx, {
      actorId: session.memberId,
      action: `member.${action}`,
      memberId,
      before: stateOf(before),
      after: { reason: body.reason },
    })
    await mailMember(tx, { memberId, template: mail, key: `${mail}:${id}`, data: {}, origin })
    return { ok: true, value: { user: await getListed(tx, memberId) } } as const
  })

const ownMoney = async (tx: Tx, by: bigint, memberId: bigint): Promise<'own_money' | undefined> =>
  (await isOwnMoney(tx, by, memberId)) ? 'own_money' : undefined

/** Of a hold that has ended meanwhile, `not_held` says more. */
function changedHold(before: Standing, seen: string | undefined): 'changed_since_seen' | undefined {
  const hold = holdOf(before)
  return hold === null || seen === undefined || seen === hold.seen ? undefined : 'changed_since_seen'
}

type Entry = {
  readonly actorId: bigint
  readonly action: string
  readonly memberId: bigint
  readonly before?: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}
/** Returns the entry's number, which makes the decision's mail one mail. */
async function writeAudit(tx: Tx, { memberId, ...entry }: Entry): Promise<bigint> {
  const subject = `member:${memberId}`
  await logStaff(tx, { ...entry, subject })
  return (await tx.one<{ id: bigint }>(sql`select max(id)::bigint as id from audit_log where subject = ${subject}::text`)).id
}

export function standingHandlers(db: Db): Handlers<StandingCalls> {
  return {
    suspendUser: (call) =>
      decide(db, call, { action: 'suspend', mail: 'account_suspended', unchanged: 'already_suspended', effect: suspendMember }),
    reinstateUser: (call) =>
      decide<'not_suspended' | 'own_money'>(db, call, {
        action: 'reinstate',
        mail: 'account_reinstated',
        unchanged: 'not_suspended',
        refusalOf: ownMoney,
        effect: reinstateMember,
      }),
    holdUser: (call) =>
      decide(db, call, {
        action: 'hold',
        mail: 'payouts_held',
        unchanged: 'already_held',
        effect: (tx, memberId) => holdMember(tx, memberId, BY_STAFF),
      }),
    releaseUser: (call) =>
      decide<'not_held' | 'own_money' | 'changed_since_seen'>(db, call, {
        action: 'release',
        mail: 'payouts_released',
        unchanged: 'not_held',
        refusalOf: async (tx, by, memberId, before) => (await ownMoney(tx, by, memberId)) ?? changedHold(before, call.body.seen),
        effect: releaseMember,
      }),
    endUserSessions: ({ session, params, body }) =>
      inTransaction(db, async (tx) => {
        const memberId = await findMemberId(tx, params.id)
        if (memberId === undefined) return MEMBER_NOT_FOUND
        const { length: ended } = await tx.query(sql`delete from session where member_id = ${memberId}::bigint returning 1`)
        await writeAudit(tx, { actorId: session.memberId, action: 'member.end_sessions', memberId, after: { ended, reason: body.reason } })
        return { ok: true, value: { ended } } as const
      }),
    noteUser: ({ session, params, body }) =>
      inTransaction(db, async (tx) => {
        const memberId = await findMemberId(tx, params.id)
        if (memberId === undefined) return MEMBER_NOT_FOUND
        // The lock makes an erasure of the account wait: it deletes the row.
        const note = await tx.maybeOne<{ id: bigint; text: string; author: string; createdAt: Date }>(sql`
          insert into member_note (member_id, author_id, text)
              select id, ${session.memberId}::bigint, ${body.text}::text from member
               where id = ${memberId}::bigint and deleted_at is null for share
              returning id, text, (select name from member where id = author_id) as author, created_at as "createdAt"`)
        if (note === undefined) return MEMBER_NOT_FOUND
        await writeAudit(tx, { actorId: session.memberId, action: 'member.note', memberId, after: { note: note.id } })
        return { ok: true, value: { note: { ...note, id: String(note.id), createdAt: isoIst(note.createdAt.getTime()) } } } as const
      }),
  }
}
