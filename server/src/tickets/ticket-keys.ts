/**
 * Ticket keys (spec/protocol.md, chapter 2). They lie here and not in a feature because the wallet
 * (first money), rounds (first join) and draws (PUT, close) all need them. Invariants: no two members
 * hold one key, also after the key itself is erased; a day has one key per member, the same when
 * joining, when closing and for ever after: a key that replaces another serves from the next day, or
 * from today where nothing was ever entered, judged under the wallet's lock, which every join takes too.
 * Keys are sealed under SECRET_KEY.
 */
import { randomBytes } from 'node:crypto'
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { type Db, maybeOne, one, type Queryable, type Sql, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { SEALED_KEY_BYTES, type SealedKeys } from './flat-list.ts'
import { createListMaker, type ListMaker } from './list-maker.ts'
import { sha256 } from './sha256.ts'
import { keyContextOf, TICKET_KEY_BYTES } from './ticket.ts'

export type TicketKey = { readonly key: string; readonly custodial: boolean }
export type TicketKeys = ReturnType<typeof createTicketKeys>
/** Some entrants with their keys, and the last one's id. */
export type KeysPage = SealedKeys & { readonly last: bigint }
/** Keys of 32 bytes, one after the other. */
export type FlatKeys = { readonly members: readonly bigint[]; readonly keys: Buffer }
type Stored = { readonly sealedKey: Buffer; readonly custodial: boolean }

/** Whose a key is stands under its hash: of 32 random bytes that tells nothing, and no key of ours has to be kept for it. */
const CLAIM = Buffer.from('roz ticket key claim\n')

export function createTicketKeys({ secrets }: { readonly secrets: Secrets }) {
  const opened = (memberId: bigint, { sealedKey, custodial }: Stored): TicketKey => ({
    key: secrets.open(sealedKey, keyContextOf(memberId)).toString('hex'),
    custodial,
  })

  async function store(tx: Tx, memberId: bigint, key: Buffer, options: { custodial: boolean; servesFrom: IstDay | '-infinity' }) {
    await tx.query(sql`
      insert into ticket_key (member_id, serves_from, sealed_key, custodial)
      values (${memberId}::bigint, ${options.servesFrom}::date, ${secrets.seal(key, keyContextOf(memberId))}::bytea, ${options.custodial}::boolean)
      on conflict (member_id, serves_from) do update set sealed_key = excluded.sealed_key, custodial = excluded.custodial, created_at = roz_now()`)
  }

  /** Takes a key for a member, for good; false when it is another's. */
  async function claim(tx: Tx, memberId: bigint, key: Buffer): Promise<boolean> {
    const fingerprint = Buffer.from(sha256(CLAIM, key))
    await tx.query(sql`
      insert into ticket_key_claim (fingerprint, member_id) values (${fingerprint}::bytea, ${memberId}::bigint) on conflict do nothing`)
    // A second statement: a claim that was waited for is not in the snapshot of the first. Of an account that was closed no member is left.
    const { own } = await one<{ own: boolean }>(
      tx,
      sql`select member_id is not distinct from ${memberId}::bigint as own from ticket_key_claim where fingerprint = ${fingerprint}::bytea`,
    )
    return own
  }

  /**
   * A first key, or one in the place of one that nothing was entered with: from today on. What was owed
   * to the member on the days before was cut under the old one, and is found by it alone.
   */
  async function replaceUnused(tx: Tx, memberId: bigint, given: string | undefined): Promise<Outcome<TicketKey, 'ticket_key_taken'>> {
    const key = given === undefined ? randomBytes(32) : Buffer.from(given, 'hex')
    if (!(await claim(tx, memberId, key))) return refused('ticket_key_taken')
    // Under the day's fence: until this commits the day is not sealed, so nothing of it is cut yet.
    const { servesFrom } = await one<{ servesFrom: IstDay | '-infinity' }>(
      tx,
      sql`select case when exists (select from ticket_key where member_id = ${memberId}::bigint) then posting_day() else '-infinity' end as "servesFrom"`,
    )
    await store(tx, memberId, key, { custodial: given === undefined, servesFrom })
    return accepted({ key: key.toString('hex'), custodial: given === undefined })
  }

  /**
   * Makes sure that a member has a key: the one given with the first top-up or join, or one of ours.
   * Until the first join a given key takes the place of the one there is; after it the given one is
   * left aside (a change is PUT /user/ticket-key). A refusal has written nothing that stays in use,
   * and the caller rolls back or answers 409.
   */
  async function ensure(tx: Tx, memberId: bigint, given?: string): Promise<Outcome<TicketKey, 'ticket_key_taken'>> {
    const hasJoined = await lockJoined(tx, memberId)
    const newest = await findKey(tx, memberId, undefined)
    if (newest === undefined) return replaceUnused(tx, memberId, given)
    const known = opened(memberId, newest)
    return hasJoined || given === undefined || known.key === given ? accepted(known) : replaceUnused(tx, memberId, given)
  }

  /** Gives entrants of a day who have no key one of ours. Every way in ensures one; this is the net below. */
  async function ensureForEntrants(tx: Tx, day: IstDay): Promise<void> {
    const bare = await tx.query<{ memberId: bigint }>(sql`
      select j.member_id as "memberId" from round_join j
       where j.day = ${day}::date and not exists (select from ticket_key k where k.member_id = j.member_id) order by j.member_id`)
    // Under the wallet's lock, like every other way: somebody may be making one at this moment.
    for (const { memberId } of bare) await ensure(tx, memberId)
  }

  /**
   * The keys of members that serve on a day, one after the other as `members` names them, for both lists are
   * made of the same rows; who has none is left out. In no order that counts: backwards along the index, so
   * that neighbours are read together.
   */
  async function flatFor(from: Queryable, memberIds: readonly bigint[], day: IstDay): Promise<FlatKeys> {
    const { members, sealed } = await one<{ members: bigint[]; sealed: string }>(
      from,
      sql`select coalesce(array_agg(member_id), '{}') as members, coalesce(encode(string_agg(sealed_key, ''), 'base64'), '') as sealed
            from (
              select distinct on (member_id) member_id, sealed_key from ticket_key
               where member_id = any ((select ${memberIds}::bigint[])::bigint[]) and serves_from <= ${day}::date
               order by member_id desc, serves_from desc) serving`,
    )
    const keys = Buffer.alloc(members.length * TICKET_KEY_BYTES)
    secrets.openMany(
      { bytes: Buffer.from(sealed, 'base64'), each: SEALED_KEY_BYTES, contextOf: (index) => keyContextOf(members[index] as bigint) },
      keys,
    )
    return { members, keys }
  }

  return {
    ensure,
    ensureForEntrants,

    /** A new key: at once before the first join, from the next day after it. */
    async change(tx: Tx, memberId: bigint, given: string): Promise<Outcome<TicketKey, 'ticket_key_taken'>> {
      const hasJoined = await lockJoined(tx, memberId)
      const newest = await findKey(tx, memberId, undefined)
      if (newest !== undefined && opened(memberId, newest).key === given) return accepted(opened(memberId, newest))
      if (!hasJoined || newest === undefined) return replaceUnused(tx, memberId, given)
      const key = Buffer.from(given, 'hex')
      if (!(await claim(tx, memberId, key))) return refused('ticket_key_taken')
      // Read under the lock: a join that was waited for may have crossed midnight.
      const { today } = await one<{ today: IstDay }>(tx, sql`select ist_day(roz_now()) as today`)
      await store(tx, memberId, key, { custodial: false, servesFrom: nextDay(today) })
      return accepted({ key: given, custodial: false })
    },

    /** The key that serves on a day; undefined where the member has none. */
    async find(from: Queryable, memberId: bigint, day: IstDay): Promise<TicketKey | undefined> {
      const row = await findKey(from, memberId, day)
      return row === undefined ? undefined : opened(memberId, row)
    },

    /** The key that serves on a day, made where the member has none. */
    async get(db: Db, memberId: bigint, day: IstDay): Promise<TicketKey> {
      const known = await findKey(db, memberId, day)
      if (known !== undefined) return opened(memberId, known)
      const made = await inTransaction(db, (tx) => ensure(tx, memberId))
      if (!made.ok) throw new Error('a key of our own making was taken')
      return made.value
    },

    flatFor,

    /** The keys of members that serve on a day; who has none is left out. */
    async listFor(from: Queryable, memberIds: readonly bigint[], day: IstDay): Promise<{ memberId: bigint; key: Buffer }[]> {
      const { members, keys } = await flatFor(from, memberIds, day)
      return members.map((memberId, index) => ({ memberId, key: keys.subarray(index * TICKET_KEY_BYTES, (index + 1) * TICKET_KEY_BYTES) }))
    },

    /** What makes the list of a day with so many entries. */
    listMaker: (day: IstDay, entries: number): ListMaker => createListMaker(secrets, day, entries),

    /**
     * Entrants of a day with the keys that serve on it, a page by member id; `after` is the last one of
     * the page before. One row of flat bytes: a row for each would cost more than opening the key. An
     * entrant without a key gets one; without one the day could not be sealed with every ticket.
     */
    async listSealedKeys(tx: Tx, day: IstDay, after: bigint, limit: number): Promise<KeysPage | undefined> {
      let page = await one<FoundPage>(tx, keysStatement(day, after, limit))
      if (!page.isWhole) {
        await ensureForEntrants(tx, day)
        page = await one<FoundPage>(tx, keysStatement(day, after, limit))
      }
      if (!page.isWhole) throw new Error(`an entrant of ${day} has no ticket key`)
      return page.last === null ? undefined : { count: page.count, last: page.last, members: page.members, sealed: page.sealed }
    },
  }
}

type FoundPage = Omit<KeysPage, 'last'> & { readonly last: bigint | null; readonly isWhole: boolean }

/** Above so many members for one entrant each key is looked up: the range would be read for others' keys. */
const SPARSE = 8

/**
 * Entrants and keys are read by the same range, side by side: to look each key up took as long again.
 * They are not joined: of a day that the planner has not seen yet it expects a single entrant, and would
 * read the whole range of keys again for each of them. Whoever is in the page is looked up in a hash.
 */
export const keysStatement = (day: IstDay, after: bigint, limit: number): Sql => sql`
  with page as materialized (
    select member_id from round_join where day = ${day}::date and member_id > ${after}::bigint order by member_id limit ${limit}::int),
  span as materialized (
    select max(member_id) as last, count(*)::int as count, max(member_id) - ${after}::bigint > ${SPARSE}::int * count(*) as sparse from page),
  serving as (
    (select distinct on (member_id) member_id, sealed_key from ticket_key
      where (select not sparse from span)
        and member_id > ${after}::bigint and member_id <= (select last from span) and serves_from <= ${day}::date
        and case when member_id in (select member_id from page) then true end
      order by member_id desc, serves_from desc)
    union all
    select page.member_id, newest.sealed_key from page cross join lateral (
      select sealed_key from ticket_key
       where ticket_key.member_id = page.member_id and serves_from <= ${day}::date order by serves_from desc limit 1) newest
     where (select sparse from span))
  select span.count, span.last, served.count = span.count and served.are_whole as "isWhole", served.members, served.sealed
    from span cross join (
      select count(*) as count, coalesce(bool_and(octet_length(sealed_key) = ${SEALED_KEY_BYTES}::int), true) as are_whole,
             coalesce(encode(string_agg(int8send(member_id), '' order by member_id), 'base64'), '') as members,
             coalesce(encode(string_agg(sealed_key, '' order by member_id), 'base64'), '') as sealed
        from serving) served`

/** Locks the wallet, so that no join passes meanwhile, and says whether there ever was one. */
async function lockJoined(tx: Tx, memberId: bigint): Promise<boolean> {
  const wallet = await maybeOne<{ hasJoined: boolean }>(
    tx,
    sql`select joins > 0 as "hasJoined" from wallet where member_id = ${memberId}::bigint for no key update`,
  )
  return wallet?.hasJoined ?? false
}

/** The key that serves on a day, or the newest of all. */
const findKey = (from: Queryable, memberId: bigint, day: IstDay | undefined): Promise<Stored | undefined> =>
  maybeOne<Stored>(
    from,
    sql`select sealed_key as "sealedKey", custodial from ticket_key
         where member_id = ${memberId}::bigint and serves_from <= ${day ?? 'infinity'}::date order by serves_from desc limit 1`,
  )
