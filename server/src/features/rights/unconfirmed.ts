/**
 * Closes accounts whose address was not confirmed within 30 days: somebody may have registered a stranger's address.
 *
 * - The account's state is checked under its lock, so that an account confirmed at the same moment stays.
 * - Such an account should have no money. If it has, nothing is erased, and an alarm names the member's id.
 * - An account that cannot be closed does not block the others.
 */
import type { Storage } from '../../adapters/storage/port.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { closeWallet } from '../../ledger/closing.ts'
import { eraseIdentity } from './erase.ts'

const PAGE = 100
const FAILED = 'an unconfirmed account could not be closed'
/** How often late accounts are looked for. */
const EVERY_MS = 600_000

/** A suspended or held account is evidence, and waits for a person. */
const IS_LATE = sql`email_verified_at is null and deleted_at is null and suspended_at is null and held_at is null and role = 'member'
  and created_at < (select roz_now()) - interval '30 days'`

export type UnconfirmedDeps = {
  readonly db: Db
  readonly storage: Pick<Storage, 'remove'>
  /** Alarms the operator about an account that could not be closed, by its id. */
  readonly alarm: (details: object, message: string) => void
}

export function createUnconfirmed(deps: UnconfirmedDeps) {
  let lookedAtMs = Number.NEGATIVE_INFINITY
  return async (now: Date): Promise<boolean> => {
    if (Math.abs(now.getTime() - lookedAtMs) < EVERY_MS) return false
    lookedAtMs = now.getTime()
    for (let after = 0n; ; ) {
      const page = await deps.db.query<{ id: bigint }>(
        sql`select id from member where ${IS_LATE} and id > ${after}::bigint order by id limit ${PAGE}::int`,
      )
      for (const { id } of page) {
        await closeUnconfirmed(deps, id).catch((err: unknown) => deps.alarm({ err, memberId: String(id) }, FAILED))
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return false
      after = last.id
    }
  }
}

/** Sends no mail: we do not know whose address it is. */
async function closeUnconfirmed({ db, storage }: UnconfirmedDeps, memberId: bigint): Promise<void> {
  const picture = await inTransaction(db, async (tx) => {
    const late = await maybeOne(tx, sql`select id from member where id = ${memberId}::bigint and ${IS_LATE} for no key update`)
    if (late === undefined) return undefined
    const closed = await closeWallet(tx, memberId)
    if (!closed.ok) throw new Error(`the wallet cannot be closed: ${closed.code}`)
    await logStaff(tx, { actorId: undefined, action: 'member.never_confirmed', subject: `member:${memberId}` })
    return eraseIdentity(tx, memberId)
  })
  if (picture !== undefined) await storage.remove(picture)
}
