/**
 * Ticket keys that do not decrypt: their row was damaged, or encrypted under a key that nobody has.
 * - Work that needs such a key fails and names all its members, so that the others' work can be done without them.
 * - A member in `unreadable_key` joins no round (ledger/join-statement.ts): the entry would have no receipt, and its day no list.
 */
import { type Queryable, sql } from '../db/sql.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { keyContextOf, TICKET_KEY_BYTES } from './ticket.ts'

const NAMED_MAX = 20

export class UnreadableKeyError extends Error {
  override readonly name = 'UnreadableKeyError'
  readonly memberIds: readonly [bigint, ...bigint[]]
  constructor(memberIds: readonly [bigint, ...bigint[]], cause?: unknown) {
    const [first, ...others] = memberIds
    const named = others.slice(0, NAMED_MAX).join(', ') + (others.length > NAMED_MAX ? ' …' : '')
    super(`the ticket key of member ${first} cannot be read${named === '' ? '' : `, nor those of ${named}`}`, { cause })
    this.memberIds = memberIds
  }
}

/** The key of a row; undefined if it cannot be read. */
export function decryptKey(secrets: Secrets, memberId: bigint, encrypted: Buffer): Buffer | undefined {
  try {
    const key = secrets.decrypt(encrypted, keyContextOf(memberId))
    return key.length === TICKET_KEY_BYTES ? key : undefined
  } catch {
    return undefined
  }
}

export async function keepFromJoining(into: Queryable, memberIds: readonly bigint[]): Promise<void> {
  await into.query(sql`insert into unreadable_key (member_id) select unnest(${memberIds}::bigint[]) on conflict do nothing`)
}

/** True: the member was kept from joining. */
export async function letJoin(into: Queryable, memberId: bigint): Promise<boolean> {
  const gone = await into.query(sql`delete from unreadable_key where member_id = ${memberId}::bigint returning member_id`)
  return gone.length > 0
}
