/**
 * Closes accounts whose address was not confirmed within 30 days: somebody may have registered a stranger's address. One that stands in
 * the way of an invitation to the team is closed when the invitation is accepted.
 *
 * - The account's state is checked under its lock, so that an account confirmed at the same moment stays.
 * - Such an account should have no money. If it has, nothing is erased, and an alarm names the member's id.
 * - An account that cannot be closed does not block the others.
 */
import type { Storage } from '../../adapters/storage/port.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { closeWallet } from '../../ledger/closing.ts'
import { IS_UNCONFIRMED } from '../../members/new-member.ts'
import { addressKey } from '../../protection/limits.ts'
import { eraseIdentity } from './erase.ts'

const PAGE = 100
const FAILED = 'an unconfirmed account could not be closed'
/** How often late accounts are looked for. */
const EVERY_MS = 600_000

const IS_LATE = sql`(${IS_UNCONFIRMED} and created_at < (select roz_now()) - interval '30 days')`

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

async function closeUnconfirmed({ db, storage }: UnconfirmedDeps, memberId: bigint): Promise<void> {
  const picture = await inTransaction(db, (tx) => eraseOne(tx, sql`id = ${memberId}::bigint and ${IS_LATE}`))
  if (picture !== undefined) await storage.remove(picture)
}

/** Closes the unconfirmed account of an address that another person has just proved to be theirs. A job removes its picture. */
export async function freeAddress(tx: Tx, email: string): Promise<void> {
  await eraseOne(tx, sql`lower(email) = ${addressKey(email)}::text and ${IS_UNCONFIRMED}`)
}

/** Sends no mail: we do not know whose address it is. Returns the name of the account's picture. */
async function eraseOne(tx: Tx, which: Sql): Promise<string | undefined> {
  const found = await tx.maybeOne<{ id: bigint }>(sql`select id from member where ${which} for no key update`)
  if (found === undefined) return undefined
  const closed = await closeWallet(tx, found.id)
  if (!closed.ok) throw new Error(`the wallet cannot be closed: ${closed.code}`)
  await logStaff(tx, { actorId: undefined, action: 'member.never_confirmed', subject: `member:${found.id}` })
  return eraseIdentity(tx, found.id)
}
