/**
 * Makes, changes and reads the members' ticket keys (spec/protocol.md, chapter 2).
 * - No two members ever have the same key, even after the key itself is erased.
 * - A member has one key per day: the same at the join, at the close and ever after.
 * - A replacement serves from the next day, or from today if the member has never joined.
 * - The wallet's lock, which every join takes too, protects that decision.
 * - Keys are encrypted under SECRET_KEY.
 * - They are not in a feature, because three features need them: wallet (first top-up), rounds (first join), draws (PUT, close).
 */
import { randomBytes } from 'node:crypto'
import { type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { type Db, type Queryable, type Sql, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { ENCRYPTED_KEY_BYTES, type EncryptedKeys } from './flat-list.ts'
import { createListMaker, type ListMaker } from './list-maker.ts'
import { sha256 } from './sha256.ts'
import { keyContextOf, TICKET_KEY_BYTES } from './ticket.ts'
import { keepFromJoining, decryptKey, UnreadableKeyError } from './unreadable-keys.ts'

type TicketKey = { readonly key: string; readonly custodial: boolean }
export type TicketKeys = ReturnType<typeof createTicketKeys>
/** A page of entrants with their keys, and the last entrant's id. */
type KeysPage = EncryptedKeys & { readonly last: bigint }
/** Members, and their concatenated 32-byte keys in the same order. */
type FlatKeys = { readonly members: readonly bigint[]; readonly keys: Buffer }
type Stored = { readonly encryptedKey: Buffer; readonly custodial: boolean }

/** A claim is stored under the key's plain hash: a hash of 32 random bytes reveals nothing, and needs no secret of ours. */
const CLAIM = Buffer.from('roz ticket key claim\n')
export const claimOf = (key: Uint8Array): Buffer => Buffer.from(sha256(CLAIM, key))

export function createTicketKeys({ secrets }: { readonly secrets: Secrets }) {
  /** Undefined where the key cannot be read. */
  function openOr(memberId: bigint, { encryptedKey, custodial }: Stored): TicketKey | undefined {
    const key = decryptKey(secrets, memberId, encryptedKey)
    return key === undefined ? undefined : { key: key.toString('hex'), custodial }
  }
  function opened(memberId: bigint, stored: Stored): TicketKey {
    const key = openOr(memberId, stored)
    if (key === undefined) throw new UnreadableKeyError([memberId])
    return key
  }

  async function store(tx: Tx, memberId: bigint, key: Buffer, options: { custodial: boolean; servesFrom: IstDay | '-infinity' }) {
    await tx.query(sql`
      insert into ticket_key (member_id, serves_from, sealed_key, custodial)
      values (${memberId}::bigint, ${options.servesFrom}::date, ${secrets.encrypt(key, keyContextOf(memberId))}::bytea, ${options.custodial}::boolean)
      on conflict (member_id, serves_from) do update set sealed_key = excluded.sealed_key, custodial = excluded.custodial, created_at = roz_now()`)
  }

  /** Claims a key for a member, for good. False: another member has claimed it. */
  async function claim(tx: Tx, memberId: bigint, key: Buffer): Promise<boolean> {
    const fingerprint = claimOf(key)
    await tx.query(sql`
      insert into ticket_key_claim (fingerprint, member_id) values (${fingerprint}::bytea, ${memberId}::bigint) on conflict do nothing`)
    // A second statement, because the first one's snapshot lacks a claim that it waited for. A closed account's claim has no member.
    const { own } = await tx.one<{ own: boolean }>(
      sql`select member_id is not distinct from ${memberId}::bigint as own from ticket_key_claim where fingerprint = ${fingerprint}::bytea`,
    )
    return own
  }

  /**
   * Stores a first key, or replaces an unused key from today on. The liabilities of earlier days were
   * cut under the old key, and only that key finds them.
   */
  async function replaceUnused(tx: Tx, memberId: bigint, given: string | undefined): Promise<Outcome<TicketKey, 'ticket_key_taken'>> {
    const key = given === undefined ? randomBytes(32) : Buffer.from(given, 'hex')
    if (!(await claim(tx, memberId, key))) return refused('ticket_key_taken')
    // posting_day() keeps the day from being sealed until this commits, so its liabilities are not cut yet.
    const { servesFrom } = await tx.one<{ servesFrom: IstDay | '-infinity' }>(
      sql`select case when exists (select from ticket_key where member_id = ${memberId}::bigint) then posting_day() else '-infinity' end as "servesFrom"`,
    )
    await store(tx, memberId, key, { custodial: given === undefined, servesFrom })
    return accepted({ key: key.toString('hex'), custodial: given === undefined })
  }

  /** Claims a key and stores it from the next day on, in place of another one of that day. False: another member has claimed it. */
  async function storeNext(tx: Tx, memberId: bigint, key: Buffer, options: { custodial: boolean }): Promise<boolean> {
    if (!(await claim(tx, memberId, key))) return false
    // Read under the wallet's lock: while this waited for a join, midnight may have passed.
    const { today } = await tx.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
    await store(tx, memberId, key, { ...options, servesFrom: nextDay(today) })
    return true
  }

  /**
   * Ensures that a member has a key: given with a top-up or join, or made by the server.
   * Until the first join a given key replaces the present one. After it the given key is ignored: PUT /user/ticket-key changes keys.
   * A key that cannot be read stays, and stops no payment: the value is then undefined.
   * On a refusal nothing has changed, and the caller rolls back or answers 409.
   */
  async function ensure(tx: Tx, memberId: bigint, given?: string): Promise<Outcome<TicketKey | undefined, 'ticket_key_taken'>> {
    const hasJoined = await lockJoined(tx, memberId)
    const newest = await findKey(tx, memberId, undefined)
    if (newest === undefined) return replaceUnused(tx, memberId, given)
    const known = openOr(memberId, newest)
    return hasJoined || given === undefined || known?.key === given ? accepted(known) : replaceUnused(tx, memberId, given)
  }

  /** Makes a key for each entrant of a day who has none. A fallback: every way to join ensures a key first. */
  async function ensureForEntrants(tx: Tx, day: IstDay): Promise<void> {
    const bare = await tx.query<{ memberId: bigint }>(sql`
      select j.member_id as "memberId" from round_join j
       where j.day = ${day}::date and not exists (select from ticket_key k where k.member_id = j.member_id) order by j.member_id`)
    // `ensure` locks the wallet: another request may be making a key at this moment.
    for (const { memberId } of bare) await ensure(tx, memberId)
  }

  /**
   * The keys that serve the given members on a day; a member without one is left out.
   * `members` and `keys` have the same order, but no particular one. The statement reads the index backwards, in one range.
   */
  async function flatFor(from: Queryable, memberIds: readonly bigint[], day: IstDay): Promise<FlatKeys> {
    const { members, encrypted } = await from.one<{ members: bigint[]; encrypted: string }>(sql`
      select coalesce(array_agg(member_id), '{}') as members, coalesce(encode(string_agg(sealed_key, ''), 'base64'), '') as encrypted
            from (
              select distinct on (member_id) member_id, sealed_key from ticket_key
               where member_id = any ((select ${memberIds}::bigint[])::bigint[]) and serves_from <= ${day}::date
               order by member_id desc, serves_from desc) serving`)
    const keys = Buffer.alloc(members.length * TICKET_KEY_BYTES)
    const contextOf = (index: number): string => keyContextOf(members[index] as bigint)
    try {
      secrets.decryptMany({ bytes: Buffer.from(encrypted, 'base64'), each: ENCRYPTED_KEY_BYTES, contextOf }, keys)
    } catch (error) {
      const [first, ...others] = await listUnreadable(from, memberIds, day)
      throw first === undefined ? error : new UnreadableKeyError([first, ...others], error)
    }
    return { members, keys }
  }

  /** Of the given members, those whose key of the day cannot be read. Opens each key by itself: a row may have lost bytes. */
  async function listUnreadable(from: Queryable, memberIds: readonly bigint[], day: IstDay): Promise<bigint[]> {
    const rows = await from.query<Stored & { readonly memberId: bigint }>(sql`
      select distinct on (member_id) member_id as "memberId", sealed_key as "encryptedKey", custodial from ticket_key
       where member_id = any(${memberIds}::bigint[]) and serves_from <= ${day}::date order by member_id, serves_from desc`)
    return rows.filter((row) => openOr(row.memberId, row) === undefined).map(({ memberId }) => memberId)
  }

  /** Refuses members whose present key cannot be read. An unreadable key of earlier days alone refuses nobody. */
  async function keepUnreadable(into: Queryable, memberIds: readonly bigint[]): Promise<void> {
    const { today } = await into.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
    await keepFromJoining(into, await listUnreadable(into, memberIds, today))
  }

  return {
    ensure,
    ensureForEntrants,
    keepUnreadable,

    /** Runs `work`. If keys that cannot be read make it fail, their members are kept from joining. */
    async keepingUnreadable<T>(into: Queryable, work: () => Promise<T>): Promise<T> {
      try {
        return await work()
      } catch (error) {
        if (error instanceof UnreadableKeyError) await keepUnreadable(into, error.memberIds)
        throw error
      }
    },

    /** The error that names a day's entrants whose key cannot be read; undefined where there is none. */
    async findUnreadable(from: Queryable, day: IstDay): Promise<UnreadableKeyError | undefined> {
      const lost: bigint[] = []
      for (let after = 0n; ; ) {
        const page = await from.query<{ memberId: bigint }>(sql`
          select member_id as "memberId" from round_join where day = ${day}::date and member_id > ${after}::bigint order by member_id limit 1000`)
        const members = page.map(({ memberId }) => memberId)
        lost.push(...(await listUnreadable(from, members, day)))
        const [first, ...others] = lost
        const last = members.at(-1)
        if (last === undefined) return first === undefined ? undefined : new UnreadableKeyError([first, ...others])
        after = last
      }
    },

    /** Changes the key: from today before the first join, from the next day after it. */
    async change(tx: Tx, memberId: bigint, given: string): Promise<Outcome<TicketKey, 'ticket_key_taken'>> {
      const hasJoined = await lockJoined(tx, memberId)
      const newest = await findKey(tx, memberId, undefined)
      // A key that cannot be read counts as another one.
      const known = newest === undefined ? undefined : openOr(memberId, newest)
      if (known?.key === given) return accepted(known)
      if (!hasJoined || newest === undefined) return replaceUnused(tx, memberId, given)
      if (!(await storeNext(tx, memberId, Buffer.from(given, 'hex'), { custodial: false }))) return refused('ticket_key_taken')
      return accepted({ key: given, custodial: false })
    },

    /**
     * Replaces a key that somebody else may know by one of our making: from today before the first join, from the next day after it.
     * A member without a key gets none.
     */
    async renew(tx: Tx, memberId: bigint): Promise<void> {
      const hasJoined = await lockJoined(tx, memberId)
      if ((await findKey(tx, memberId, undefined)) === undefined) return
      if (!hasJoined) await replaceUnused(tx, memberId, undefined)
      else if (!(await storeNext(tx, memberId, randomBytes(32), { custodial: true }))) throw new Error('a key of our own making was taken')
    },

    /** The key that serves on a day; undefined where the member has none, or none that can be read: that stops no payment. */
    async find(from: Queryable, memberId: bigint, day: IstDay): Promise<TicketKey | undefined> {
      const row = await findKey(from, memberId, day)
      return row === undefined ? undefined : openOr(memberId, row)
    },

    /** The key that serves on a day, made where the member has none. */
    async get(db: Db, memberId: bigint, day: IstDay): Promise<TicketKey> {
      const known = await findKey(db, memberId, day)
      if (known !== undefined) return opened(memberId, known)
      const made = await inTransaction(db, (tx) => ensure(tx, memberId))
      if (!made.ok) throw new Error('a key of our own making was taken')
      if (made.value === undefined) throw new UnreadableKeyError([memberId])
      return made.value
    },

    flatFor,

    /** The keys that serve the given members on a day; a member without one is left out. */
    async listFor(from: Queryable, memberIds: readonly bigint[], day: IstDay): Promise<{ memberId: bigint; key: Buffer }[]> {
      const { members, keys } = await flatFor(from, memberIds, day)
      return members.map((memberId, index) => ({ memberId, key: keys.subarray(index * TICKET_KEY_BYTES, (index + 1) * TICKET_KEY_BYTES) }))
    },

    listMaker: (day: IstDay, entries: number): ListMaker => createListMaker(secrets, day, entries),

    /**
     * A page of a day's entrants, by member id, with the keys that serve on it; `after` is the last id of the page before.
     * The page is one row of concatenated bytes: a row per member would cost more than decrypting the key.
     * `bare`: an entrant has no key; `ensureForEntrants` makes it.
     */
    async listEncryptedKeys(from: Queryable, day: IstDay, after: bigint, limit: number): Promise<KeysPage | 'bare' | undefined> {
      const page = await from.one<FoundPage>(keysStatement(day, after, limit))
      if (!page.isWhole) return 'bare'
      return page.last === null ? undefined : { count: page.count, last: page.last, members: page.members, encrypted: page.encrypted }
    },
  }
}

type FoundPage = Omit<KeysPage, 'last'> & { readonly last: bigint | null; readonly isWhole: boolean }

/** Members per entrant above which each key is looked up by itself: a range read would mostly return keys of non-entrants. */
const SPARSE = 8

/**
 * The statement reads entrants and keys by the same range: looking up each key doubled the time.
 * It does not join the two: without statistics of the day the planner expects one entrant, and would read all keys again for each.
 * A hashed subplan filters the keys by the page's members.
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
  select span.count, span.last, served.count = span.count and served.are_whole as "isWhole", served.members, served.encrypted
    from span cross join (
      select count(*) as count, coalesce(bool_and(octet_length(sealed_key) = ${ENCRYPTED_KEY_BYTES}::int), true) as are_whole,
             coalesce(encode(string_agg(int8send(member_id), '' order by member_id), 'base64'), '') as members,
             coalesce(encode(string_agg(sealed_key, '' order by member_id), 'base64'), '') as encrypted
        from serving) served`

/** Locks the wallet, which blocks joins, and returns whether the member has ever joined. */
async function lockJoined(tx: Tx, memberId: bigint): Promise<boolean> {
  const wallet = await tx.maybeOne<{ hasJoined: boolean }>(
    sql`select joins > 0 as "hasJoined" from wallet where member_id = ${memberId}::bigint for no key update`,
  )
  return wallet?.hasJoined ?? false
}

/** The key that serves on a day, or the newest of all. */
const findKey = (from: Queryable, memberId: bigint, day: IstDay | undefined): Promise<Stored | undefined> =>
  from.maybeOne<Stored>(sql`select sealed_key as "encryptedKey", custodial from ticket_key
         where member_id = ${memberId}::bigint and serves_from <= ${day ?? 'infinity'}::date order by serves_from desc limit 1`)
