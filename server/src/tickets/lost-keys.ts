/**
 * Ticket keys whose row does not decrypt: how an operator brings one back or replaces it (docs/runbooks/parked-work.md).
 * - A key is put back only where the member has claimed it, so no ticket changes that a receipt names.
 * - A new key serves from the first day without books, and only if the member entered neither that day nor a later one.
 * - A row that can be read is never changed.
 */
import { randomBytes } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted } from '@roz/core/outcome.ts'
import { maybeOne, one, type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { keyContextOf, TICKET_KEY_BYTES } from './ticket.ts'
import { claimOf } from './ticket-keys.ts'

/** `servesFrom`: a day, or `-infinity`. */
export type StoredKey = { readonly servesFrom: string; readonly custodial: boolean; readonly sealed: Buffer; readonly isReadable: boolean }
type Why = 'no_such_row' | 'readable' | 'not_their_key' | 'joined'
const no = <Code extends Why>(code: Code): { readonly ok: false; readonly code: Code } => ({ ok: false, code })

function open(secrets: Secrets, memberId: bigint, sealed: Buffer): Buffer | undefined {
  try {
    const key = secrets.open(sealed, keyContextOf(memberId))
    return key.length === TICKET_KEY_BYTES ? key : undefined
  } catch {
    return undefined
  }
}

/** The keys of a member, oldest first. */
export async function listKeys(from: Queryable, secrets: Secrets, memberId: bigint): Promise<readonly StoredKey[]> {
  const rows = await from.query<Omit<StoredKey, 'isReadable'>>(sql`
    select serves_from::text as "servesFrom", custodial, sealed_key as sealed from ticket_key where member_id = ${memberId}::bigint order by serves_from`)
  return rows.map((row) => ({ ...row, isReadable: open(secrets, memberId, row.sealed) !== undefined }))
}

/** A wallet's lock keeps joins out, and other changes of the member's keys. */
const lock = (tx: Tx, memberId: bigint) => tx.query(sql`select from wallet where member_id = ${memberId}::bigint for no key update`)

export type Lost = { readonly memberId: bigint; readonly servesFrom: string }

/** Puts the key back into its row: the sealed value of a backup, or the 32 bytes that the member's device has. */
export async function putKeyBack(
  tx: Tx,
  secrets: Secrets,
  { memberId, servesFrom }: Lost,
  given: Buffer,
): Promise<Outcome<undefined, Why>> {
  await lock(tx, memberId)
  const row = (await listKeys(tx, secrets, memberId)).find((each) => each.servesFrom === servesFrom)
  if (row === undefined) return no('no_such_row')
  if (row.isReadable) return no('readable')
  const key = given.length === TICKET_KEY_BYTES ? given : open(secrets, memberId, given)
  if (key === undefined) return no('not_their_key')
  const claim = await maybeOne(
    tx,
    sql`select 1 from ticket_key_claim where fingerprint = ${claimOf(key)}::bytea and member_id = ${memberId}::bigint`,
  )
  if (claim === undefined) return no('not_their_key')
  await tx.query(sql`
    update ticket_key set sealed_key = ${secrets.seal(key, keyContextOf(memberId))}::bytea
     where member_id = ${memberId}::bigint and serves_from = ${servesFrom}::date`)
  return accepted(undefined)
}

/** Gives the member a custodial key of ours in place of one that nobody has any more. */
export async function replaceLostKey(tx: Tx, secrets: Secrets, memberId: bigint): Promise<Outcome<{ readonly from: IstDay }, Why>> {
  await lock(tx, memberId)
  const { first } = await one<{ first: IstDay }>(
    tx,
    sql`select coalesce((select max(day) + 1 from books_day), (select min(day) from round), ist_day(roz_now())) as first`,
  )
  const keys = await listKeys(tx, secrets, memberId)
  const isBefore = ({ servesFrom }: StoredKey): boolean => servesFrom === '-infinity' || servesFrom <= first
  const serving = keys.findLast(isBefore)
  const lost = keys.filter((key) => !key.isReadable && (key === serving || !isBefore(key)))
  const oldest = lost[0]
  if (oldest === undefined) return no(keys.length === 0 ? 'no_such_row' : 'readable')
  const from = oldest === serving ? first : (oldest.servesFrom as IstDay)
  const joined = await tx.query(sql`select 1 from round_join where member_id = ${memberId}::bigint and day >= ${from}::date limit 1`)
  if (joined.length > 0) return no('joined')
  const key = randomBytes(TICKET_KEY_BYTES)
  await tx.query(sql`insert into ticket_key_claim (fingerprint, member_id) values (${claimOf(key)}::bytea, ${memberId}::bigint)`)
  await tx.query(sql`
    delete from ticket_key where member_id = ${memberId}::bigint and serves_from > ${from}::date
       and serves_from::text = any(${lost.map(({ servesFrom }) => servesFrom)}::text[])`)
  await tx.query(sql`
    insert into ticket_key (member_id, serves_from, sealed_key, custodial)
    values (${memberId}::bigint, ${from}::date, ${secrets.seal(key, keyContextOf(memberId))}::bytea, true)
    on conflict (member_id, serves_from) do update set sealed_key = excluded.sealed_key, custodial = true, created_at = roz_now()`)
  return accepted({ from })
}
