/**
 * Orders the mails of a page of members.
 * - A member whose mail cannot be ordered fails no other: the failure is noted (jobs/parking.ts), and the member is tried again alone.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { inHalves } from '../db/in-halves.ts'
import type { Db } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { type Attempt, listDueMembers, noteFailure } from '../jobs/parking.ts'

export type PagedMail = {
  readonly work: 'weekly_mail' | 'story_mail'
  /** Queues the mails of these members in the run of that day. Nobody gets a second one. */
  readonly order: (tx: Tx, day: IstDay, members: readonly bigint[]) => Promise<void>
}

export async function orderPage(tx: Tx, { work, order }: PagedMail, day: IstDay, members: readonly bigint[]): Promise<void> {
  for (const { memberId, error } of await inHalves(tx, members, (part) => order(tx, day, part)))
    await noteFailure(tx, work, `${day} member ${memberId}`, error)
}

/** Tries the noted members whose time has come. Returns whether it succeeded for any. */
export async function orderNoted(db: Db, attempt: Attempt, { work, order }: PagedMail): Promise<boolean> {
  let done = false
  for (const item of await listDueMembers(db, work)) {
    const [day = '', memberId = ''] = item.split(' member ')
    const tried = await attempt(work, item, () => inTransaction(db, (tx) => order(tx, day as IstDay, [BigInt(memberId)])))
    done ||= tried.ok
  }
  return done
}
