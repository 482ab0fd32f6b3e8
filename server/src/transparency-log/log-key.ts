/**
 * The keys of the log (spec/protocol.md, chapter 9). Invariants: the first is made once, whoever asks
 * first, together with the origin, which never changes; seeds lie sealed in the database; a key is
 * replaced by a record that the old one has signed, in one transaction with the new one, so that there
 * is never a moment with two keys in force or none; which key signs is read from the database each
 * time, for another process may have replaced it. A process keeps only what opening a seed has cost.
 */
import { randomBytes, sign, type KeyObject } from 'node:crypto'
import { hex } from '@roz/core/draw.ts'
import { endOfDayMs, type IstDay } from '@roz/core/ist-day.ts'
import { type Db, maybeOne, one, type Queryable, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { appendRecord, lockLog } from './records.ts'
import { logKeyId, logKeyText, privateKeyObject, publicKeyOf } from './note.ts'

export type LogKey = {
  readonly origin: string
  readonly publicKey: Buffer
  readonly privateKey: KeyObject
  /** The verifier key, and its id as hex. */
  readonly text: string
  readonly keyId: string
}
export type LogKeys = ReturnType<typeof createLogKeys>
type Row = { readonly number: number; readonly origin: string; readonly publicKey: Buffer; readonly sealedSeed: Buffer }

const COLUMNS = sql`number, origin, public_key as "publicKey", sealed_seed as "sealedSeed"`
const contextOf = (number: number): string => `log_key:${number}`

/** A replacement that commits after midnight would be dated of the day before, and the old key would have signed on a day of the new one. */
const MIDNIGHT_MARGIN_MS = 60_000

/** The last word of the origin; what comes before is the host. */
export const originOf = (publicUrl: string): string => `${new URL(publicUrl).host}/log`

export function createLogKeys({ secrets, origin }: { readonly secrets: Secrets; readonly origin: string }) {
  const known = new Map<string, LogKey>()

  const newest = (from: Queryable): Promise<Row | undefined> =>
    maybeOne<Row>(from, sql`select ${COLUMNS} from log_key order by number desc limit 1`)

  function keyOf({ number, origin: name, publicKey, sealedSeed }: Row): LogKey {
    const privateKey = privateKeyObject(secrets.open(sealedSeed, contextOf(number)))
    if (!publicKeyOf(privateKey).equals(publicKey)) throw new Error('the log key in the database is not the one that was published')
    return { origin: name, publicKey, privateKey, text: logKeyText(name, publicKey), keyId: hex(logKeyId(name, publicKey)) }
  }

  /** Of a key that has committed. */
  function opened(row: Row): LogKey {
    const text = row.publicKey.toString('hex')
    const key = known.get(text) ?? keyOf(row)
    known.set(text, key)
    return key
  }

  async function insert(tx: Tx, number: number, name: string): Promise<LogKey> {
    const seed = randomBytes(32)
    const publicKey = publicKeyOf(privateKeyObject(seed))
    const sealedSeed = secrets.seal(seed, contextOf(number))
    await tx.query(sql`
      insert into log_key (number, origin, public_key, sealed_seed)
      values (${number}::int, ${name}::text, ${publicKey}::bytea, ${sealedSeed}::bytea)`)
    return keyOf({ number, origin: name, publicKey, sealedSeed })
  }

  /** The key in force as this transaction sees it, made if there is none yet. The log is locked. */
  async function inForce(tx: Tx): Promise<LogKey> {
    await lockLog(tx)
    const row = await newest(tx)
    return row === undefined ? insert(tx, 0, origin) : opened(row)
  }

  /** The key in force, made if there is none yet. */
  async function get(db: Db): Promise<LogKey> {
    const row = await newest(db)
    return row === undefined ? inTransaction(db, inForce) : opened(row)
  }

  return {
    inForce,
    get,

    /** What signs receipts of a day: the newest key that served on it, for no other key counts there. */
    async servingOn(db: Db, day: IstDay): Promise<LogKey> {
      const row = await maybeOne<Row>(
        db,
        sql`select ${COLUMNS} from log_key where number = 0 or ist_day(created_at) <= ${day}::date order by number desc limit 1`,
      )
      return row === undefined ? get(db) : opened(row)
    },

    /** Replaces the key: the record by the old one, then the new one in its place. At most once a day. */
    async rotate(tx: Tx): Promise<{ readonly old: LogKey; readonly now: LogKey }> {
      await lockLog(tx)
      const row = await newest(tx)
      if (row === undefined) throw new Error('the log has no key yet')
      const old = keyOf(row)
      const { today, at } = await one<{ today: IstDay; at: Date }>(tx, sql`select ist_day(roz_now()) as today, roz_now() as at`)
      if (at.getTime() >= endOfDayMs(today) - MIDNIGHT_MARGIN_MS)
        throw new Error('it is less than a minute to midnight: try again after it')
      const now = await insert(tx, row.number + 1, old.origin)
      const signed = Buffer.concat([Buffer.from(`roz/v1/key\n${today}`), now.publicKey])
      const signature = hex(sign(null, signed, old.privateKey))
      await appendRecord(tx, { v: 1, kind: 'key', day: today, old: old.text, new: now.text, signature })
      return { old, now }
    },
  }
}
