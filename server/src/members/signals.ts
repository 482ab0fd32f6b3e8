/**
 * Stores signals: values that several accounts share (phone, bank account, device, network address, mailbox), and quick withdrawals of new money
 * from a new account.
 *
 * - A withdrawal stores no signal itself, because concurrent withdrawals would wait for the signal's row. A job stores it after the commit.
 * - Only a keyed hash of the value is stored.
 * - A signal never refuses anything: families share phones and devices, and towns share a network address.
 * - A member counts once for each value. Concurrent members are all counted, because each locks the signal's row.
 * - A phone counts while the member has it. Who had it first is no suspect: otherwise a member could frame another by setting their phone.
 * - A browser or network address that a member has not used for 180 days is forgotten.
 * - A reviewed signal reopens when another account has the value; for a network address only when the number of accounts has doubled.
 */
import { mailboxOf } from '@roz/core/mailbox.ts'
import { type Db, type Sql, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { LaterError } from '../jobs/queue.ts'
import type { Secrets } from '../secrets/secrets.ts'

export type SignalKind = 'phone' | 'bank' | 'device' | 'network' | 'mailbox' | 'young_money'
type Used = { readonly kind: SignalKind; readonly value: string; readonly memberId: bigint }

type Keys = Pick<Secrets, 'fingerprints'>
const keysOf = (secrets: Keys, kind: SignalKind, value: string): readonly Buffer[] =>
  secrets.fingerprints(Buffer.from(value), `signal ${kind}`)

/** A phone that the member named before ends, unless it is still the account's. Its row stays as history, and counts for no flag. */
async function endOtherPhones(tx: Tx, secrets: Keys, memberId: bigint, keys: readonly Buffer[]): Promise<void> {
  const account = await tx.maybeOne<{ phone: string | null }>(sql`select phone from member where id = ${memberId}::bigint`)
  const phone = account?.phone ?? undefined
  const kept = phone === undefined ? keys : [...keys, ...keysOf(secrets, 'phone', phone)]
  const held = sql`u.kind = 'phone' and u.member_id = ${memberId}::bigint and u.ended_at is null and u.key <> all (${kept}::bytea[])`
  // Two members may change to each other's phone: both rows are locked in one order first.
  await tx.query(sql`
    select from signal s where s.kind = 'phone' and (s.key = any (${keys}::bytea[]) or s.key in (select u.key from signal_use u where ${held}))
     order by s.kind, s.key for update`)
  await tx.query(sql`
    with ended as (update signal_use u set ended_at = roz_now() where ${held} returning u.kind, u.key)
    update signal s set members = s.members - 1 from ended where s.kind = ended.kind and s.key = ended.key`)
}

/** Stores that a member uses a value. Staff are left out, because they share devices at work. */
export async function noteSignal(tx: Tx, secrets: Pick<Secrets, 'fingerprints'>, { kind, value, memberId }: Used): Promise<void> {
  const keys = keysOf(secrets, kind, value)
  const [key] = keys
  if (kind === 'phone') await endOtherPhones(tx, secrets, memberId, keys)
  // A row under the previous key is found too, and keeps its key.
  await tx.query(sql`
    with known as (select key from signal where kind = ${kind}::text and key = any (${keys}::bytea[]) order by id limit 1),
    used as (
      insert into signal_use (kind, key, member_id)
      select ${kind}::text, coalesce((select key from known), ${key}::bytea), id from member where id = ${memberId}::bigint and role = 'member' and deleted_at is null
      on conflict (kind, key, member_id) do update
        set seen_at = roz_now(), since = case when signal_use.ended_at is null then signal_use.since else roz_now() end, ended_at = null
        where signal_use.seen_at < roz_now() - interval '1 day' or signal_use.ended_at is not null
      returning kind, key, (old.key is null or old.ended_at is not null) as is_new)
    insert into signal (kind, key, members) select kind, key, 1 from used where is_new
    on conflict (kind, key) do update set members = signal.members + 1, changed_at = roz_now(),
      is_reviewed = signal.is_reviewed and signal.kind = 'network' and signal.members + 1 < 2 * signal.reviewed_members`)
}

/**
 * Stores the signal after the action, in a transaction of its own. It never waits while it has a lock, so it delays no deletion, hold or
 * sign-in of the member. If one of these has locked the account, nothing is stored, and a LaterError schedules a retry.
 */
export const noteSignalLater = (db: Db, secrets: Pick<Secrets, 'fingerprints'>, used: Used): Promise<void> =>
  inTransaction(db, async (tx) => {
    await noteSignal(tx, secrets, used)
    // Last, without waiting: a concurrent deletion must not miss this row.
    const account = sql`select 1 from member where id = ${used.memberId}::bigint and deleted_at is null for key share skip locked`
    if ((await tx.maybeOne(account)) === undefined) throw new LaterError('the account is locked or deleted: no signal was stored', 1)
  })

/** Notes the mailbox of a confirmed address: an unconfirmed one may be a stranger's, who must not be suspected for it. */
export const noteMailbox = (tx: Tx, secrets: Pick<Secrets, 'fingerprints'>, memberId: bigint, address: string): Promise<void> =>
  noteSignal(tx, secrets, { kind: 'mailbox', value: mailboxOf(address), memberId })

const SWEPT_AT_ONCE = 1000

/**
 * Forgets browsers and network addresses that a member has not used for 180 days, a page at a time. Phone and bank account are part of
 * the account, and are forgotten with it. True: there may be more.
 */
export async function forgetOldSignals(db: Db): Promise<boolean> {
  const gone = await inTransaction(db, (tx) =>
    forget(
      tx,
      sql`(kind, key, member_id) in (
        select kind, key, member_id from signal_use
         where kind in ('device', 'network') and seen_at < (select roz_now()) - interval '180 days' limit ${SWEPT_AT_ONCE}::int)`,
    ),
  )
  return gone === SWEPT_AT_ONCE
}

/** Forgets what a member used, when their identity is erased. */
export async function forgetSignals(tx: Tx, memberId: bigint): Promise<void> {
  await forget(tx, sql`member_id = ${memberId}::bigint`)
}

/** Forgets uses, and counts their members no longer. Returns how many uses. */
async function forget(tx: Tx, which: Sql): Promise<number> {
  const { uses } = await tx.one<{ uses: number }>(sql`
    with gone as (delete from signal_use where ${which} returning kind, key, ended_at),
    counted as (select kind, key, count(*)::int as members from gone where ended_at is null group by kind, key),
    -- In the order in which a sign-in locks them.
    held as (select s.id, c.members from signal s join counted c using (kind, key) order by s.kind, s.key for update of s),
    fewer as (update signal s set members = s.members - held.members from held where s.id = held.id)
    select count(*)::int as uses from gone`)
  return uses
}

/** Whether another account has the phone of the use `u` at least as long: whoever set it later is a suspect; if both set it at once, both are. */
export const isSuspect = sql`
  (u.kind <> 'phone' or exists (select from signal_use o where o.kind = u.kind and o.key = u.key and o.member_id <> u.member_id and o.ended_at is null
                                   and coalesce(o.since, '-infinity') <= coalesce(u.since, '-infinity')))`

/** The kinds of signals of the member `m`, for a decision about their money. */
export const signalKinds = sql`
  select case u.kind when 'young_money' then 'young_account' else 'shared_' || u.kind end as kind
    from signal_use u join signal s using (kind, key) where u.member_id = m.id and s.is_shared and u.ended_at is null and ${isSuspect}`
