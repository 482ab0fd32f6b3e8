/**
 * Mails to all owners about the team and about proofs of money: what one of them does, the others learn at once.
 * - The person concerned gets the same mail.
 */
import { randomUUID } from 'node:crypto'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { mailMember } from './mails.ts'

/** `…_asked`: a first owner decided it, and it waits (features/identity/owner-changes.ts). */
export type TeamEvent =
  | 'invited'
  | 'joined'
  | 'role'
  | 'removed'
  | 'totp_reset'
  | 'role_asked'
  | 'removed_asked'
  | 'totp_reset_asked'
  | 'asked_withdrawn'
  | 'receipt_withheld'
  | 'consent_revoked'
  | 'follow_up_withheld'
  | 'follow_ups_ended'
  | 'not_received'
  | 'received_after_all'
  | 'request_withdrawn'
type Event = {
  readonly what: TeamEvent
  /** The person who did it; null: somebody without an account. */
  readonly actorId: bigint | null
  /** The person or thing it is about, and a word more: a role, an amount, a reason. */
  readonly about: string
  readonly detail?: string
  /** The account of the person concerned, told too. */
  readonly personId?: bigint
}

export async function tellOwners(tx: Tx, { what, actorId, about, detail = '', personId }: Event): Promise<void> {
  const { actor, at } = await tx.one<{ actor: string; at: string }>(sql`
    select coalesce((select name from member where id = ${actorId}::bigint), '') as actor,
          to_char(roz_now() at time zone interval '05:30', 'FMDD Mon YYYY, HH24:MI') as at`)
  const told = await tx.query<{ id: bigint }>(
    sql`select id from member where role = 'admin' and deleted_at is null and (staff_role = 'owner' or id = ${personId ?? null}::bigint) order by id`,
  )
  const event = randomUUID()
  for (const { id } of told)
    await mailMember(tx, {
      memberId: id,
      template: 'team_changed',
      key: `team_changed:${event}:${id}`,
      data: { what, actor, about, detail, at },
    })
}
