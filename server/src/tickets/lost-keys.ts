/**
 * Ticket keys whose row does not decrypt: how an operator brings one back or replaces it (docs/runbooks/parked-work.md).
 * - A key is put back only if the member has claimed it and it produces the member's ticket in a sealed list of its days. So no ticket
 *   that a receipt names changes. If there is no such list, a key of the member's other days is refused.
 * - A new key is used from the first day without books. It is refused if the member entered that day or a later one.
 * - Exception: by the operator's explicit decision, entered days whose list is not sealed get the new key too.
 * - A readable row is never changed.
 * - A member whose key is readable again can join again.
 */
import { randomBytes } from 'node:crypto'
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted } from '@roz/core/outcome.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { TICKET_BYTES } from './flat-list.ts'
import { keyContextOf, TICKET_KEY_BYTES, ticketOf } from './ticket.ts'
import { claimOf } from './ticket-keys.ts'
import { letJoin, decryptKey } from './unreadable-keys.ts'

/** `servesFrom`: a day, or `-infinity`. `key`: undefined where the row cannot be read. */
type StoredKey = {
  readonly servesFrom: string
  readonly custodial: boolean
  readonly encrypted: Buffer
  readonly key: Buffer | undefined
}
type Why = 'no_such_row' | 'readable' | 'not_their_key' | 'of_other_days' | 'joined' | 'sealed'
const no = <Code extends Why>(code: Code): { readonly ok: false; readonly code: Code } => ({ ok: false, code })

/** The keys of a member, oldest first. */
export async function listKeys(from: Queryable, secrets: Secrets, memberId: bigint): Promise<readonly StoredKey[]> {
  const rows = await from.query<Omit<StoredKey, 'key'>>(sql`
    select serves_from::text as "servesFrom", custodial, sealed_key as encrypted from ticket_key where member_id = ${memberId}::bigint order by serves_from`)
  return rows.map((row) => ({ ...row, key: decryptKey(secrets, memberId, row.encrypted) }))
}

/** The keys that cannot be read and serve on the day or later; `from`: the first of these days, undefined where there is no such key. */
function lostFrom(keys: readonly StoredKey[], day: IstDay) {
  const isBefore = ({ servesFrom }: StoredKey): boolean => servesFrom === '-infinity' || servesFrom <= day
  const serving = keys.findLast(isBefore)
  const lost = keys.filter((key) => key.key === undefined && (key === serving || !isBefore(key)))
  const from = lost[0] === serving && serving !== undefined ? day : (lost[0]?.servesFrom as IstDay | undefined)
  return { from, lost }
}

/** Locks the wallet, so that no join and no other change of the member's keys runs meanwhile. */
const lock = (tx: Tx, memberId: bigint) => tx.query(sql`select from wallet where member_id = ${memberId}::bigint for no key update`)

/** Lets the member join again once the keys of today and later can be read. True: the member was kept from joining. */
export async function letJoinIfMended(tx: Tx, secrets: Secrets, memberId: bigint): Promise<boolean> {
  const { today } = await tx.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
  const { lost } = lostFrom(await listKeys(tx, secrets, memberId), today)
  return lost.length === 0 && letJoin(tx, memberId)
}

type Lost = { readonly memberId: bigint; readonly servesFrom: string }
/** `compared`: the day in whose sealed list the key makes the member's ticket; undefined where no list has a ticket of that key. */
type PutBack = { readonly compared: IstDay | undefined }

/** Puts the key back into its row: the encrypted value of a backup, or the 32 bytes that the member's device has. */
export async function putKeyBack(tx: Tx, secrets: Secrets, { memberId, servesFrom }: Lost, given: Buffer): Promise<Outcome<PutBack, Why>> {
  await lock(tx, memberId)
  const keys = await listKeys(tx, secrets, memberId)
  const at = keys.findIndex((each) => each.servesFrom === servesFrom)
  const row = keys[at]
  if (row === undefined) return no('no_such_row')
  if (row.key !== undefined) return no('readable')
  const key = given.length === TICKET_KEY_BYTES ? given : decryptKey(secrets, memberId, given)
  if (key === undefined) return no('not_their_key')
  const claim = await tx.maybeOne(
    sql`select 1 from ticket_key_claim where fingerprint = ${claimOf(key)}::bytea and member_id = ${memberId}::bigint`,
  )
  if (claim === undefined) return no('not_their_key')
  const compared = await findSealedEntry(tx, { memberId, servesFrom }, keys[at + 1]?.servesFrom)
  const isOther = compared === undefined ? keys.some((each) => each.key?.equals(key)) : !(await isListed(tx, compared, key))
  if (isOther) return no('of_other_days')
  await tx.query(sql`
    update ticket_key set sealed_key = ${secrets.encrypt(key, keyContextOf(memberId))}::bytea
     where member_id = ${memberId}::bigint and serves_from = ${servesFrom}::date`)
  await letJoinIfMended(tx, secrets, memberId)
  return accepted({ compared })
}

/** The newest day with a sealed list that the member entered with this row's key; `until`: the day from which the next key serves. */
async function findSealedEntry(tx: Tx, { memberId, servesFrom }: Lost, until = 'infinity'): Promise<IstDay | undefined> {
  const found = await tx.maybeOne<{ day: IstDay }>(sql`select e.day from entry e join round r on r.day = e.day and r.root is not null
         where e.member_id = ${memberId}::bigint and e.day >= ${servesFrom}::date and e.day < ${until}::date order by e.day desc limit 1`)
  return found?.day
}

async function isListed(tx: Tx, day: IstDay, key: Buffer): Promise<boolean> {
  const ticket = ticketOf(key, day)
  const page = await tx.maybeOne<{ tickets: Buffer }>(
    sql`select tickets from ticket_page where day = ${day}::date and first_ticket <= ${ticket}::bytea order by first_ticket desc limit 1`,
  )
  if (page === undefined) return false
  for (let at = 0; at < page.tickets.length; at += TICKET_BYTES) {
    if (page.tickets.subarray(at, at + TICKET_BYTES).equals(ticket)) return true
  }
  return false
}

/** `entered`: the days under the new key that the member has entered; `held`: days whose books only the old key can make. */
type Replaced = { readonly from: IstDay; readonly entered: readonly IstDay[]; readonly held: readonly IstDay[] }
type EnteredDay = { readonly day: IstDay; readonly isSealed: boolean }

/**
 * Replaces a lost key by a custodial key.
 * With `despiteReceipts` also for entered days whose list is not sealed: the receipts of such a day then name a ticket that no list has.
 */
export async function replaceLostKey(
  tx: Tx,
  secrets: Secrets,
  { memberId, despiteReceipts }: { readonly memberId: bigint; readonly despiteReceipts: boolean },
): Promise<Outcome<Replaced, Why>> {
  await lock(tx, memberId)
  const { first } = await tx.one<{ first: IstDay }>(
    sql`select coalesce((select max(day) + 1 from books_day), (select min(day) from round), ist_day(roz_now())) as first`,
  )
  const keys = await listKeys(tx, secrets, memberId)
  const earliest = lostFrom(keys, first).from
  if (earliest === undefined) return no(keys.length === 0 ? 'no_such_row' : 'readable')
  const entered = await tx.query<EnteredDay>(sql`
    select j.day, r.root is not null as "isSealed" from round_join j join round r using (day)
     where j.member_id = ${memberId}::bigint and j.day >= ${earliest}::date order by j.day`)
  if (entered.length > 0 && !despiteReceipts) return no('joined')
  // A new key on a sealed day would sign receipts of tickets that its list does not have.
  const newestSealed = entered.findLast(({ isSealed }) => isSealed)
  const { from, lost } = lostFrom(keys, newestSealed === undefined ? first : nextDay(newestSealed.day))
  if (from === undefined) return no('sealed')
  const key = randomBytes(TICKET_KEY_BYTES)
  await tx.query(sql`insert into ticket_key_claim (fingerprint, member_id) values (${claimOf(key)}::bytea, ${memberId}::bigint)`)
  await tx.query(sql`
    delete from ticket_key where member_id = ${memberId}::bigint and serves_from > ${from}::date
       and serves_from::text = any(${lost.map(({ servesFrom }) => servesFrom)}::text[])`)
  await tx.query(sql`
    insert into ticket_key (member_id, serves_from, sealed_key, custodial)
    values (${memberId}::bigint, ${from}::date, ${secrets.encrypt(key, keyContextOf(memberId))}::bytea, true)
    on conflict (member_id, serves_from) do update set sealed_key = excluded.sealed_key, custodial = true, created_at = roz_now()`)
  await letJoinIfMended(tx, secrets, memberId)
  const daysOf = (days: readonly EnteredDay[]): IstDay[] => days.map(({ day }) => day)
  return accepted({
    from,
    entered: daysOf(entered.filter(({ day }) => day >= from)),
    held: daysOf(entered.filter(({ day }) => day < from)),
  })
}
