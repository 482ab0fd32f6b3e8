/**
 * The signing keys of the log (spec/protocol.md, chapter 9).
 * - The first key and the origin are made once, under the log's lock. The origin never changes.
 * - Seeds are encrypted at rest.
 * - A rotation writes the new key and the `key` record signed by the old key in one transaction: exactly one key is in force at any time.
 * - Each call reads the key in force from the database, because another process may have rotated it. Only decrypted keys are cached.
 */
import { randomBytes, sign, type KeyObject } from 'node:crypto'
import { hex } from '@roz/core/draw.ts'
import { endOfDayMs, type IstDay } from '@roz/core/ist-day.ts'
import { type Db, type Queryable, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { appendRecord, lockLog } from './records.ts'
import { logKeyId, logKeyText, privateKeyObject, publicKeyOf } from './note.ts'

export type LogKey = {
  readonly origin: string
  readonly publicKey: Buffer
  readonly privateKey: KeyObject
  /** The verifier key as text; `keyId` is its id in hex. */
  readonly text: string
  readonly keyId: string
}
export type LogKeys = ReturnType<typeof createLogKeys>
type Row = { readonly number: number; readonly origin: string; readonly publicKey: Buffer; readonly encryptedSeed: Buffer }

const COLUMNS = sql`number, origin, public_key as "publicKey", sealed_seed as "encryptedSeed"`
const contextOf = (number: number): string => `log_key:${number}`

/** A rotation dated D that commits after midnight would let the old key sign on D + 1, a day on which only the new key serves. */
const MIDNIGHT_MARGIN_MS = 60_000

/** The origin of a new log: the host of the public address, then `/log`. */
export const originOf = (publicUrl: string): string => `${new URL(publicUrl).host}/log`

export function createLogKeys({ secrets, origin }: { readonly secrets: Secrets; readonly origin: string }) {
  const known = new Map<string, LogKey>()

  const newest = (from: Queryable): Promise<Row | undefined> =>
    from.maybeOne<Row>(sql`select ${COLUMNS} from log_key order by number desc limit 1`)

  function keyOf({ number, origin: name, publicKey, encryptedSeed }: Row): LogKey {
    const privateKey = privateKeyObject(secrets.decrypt(encryptedSeed, contextOf(number)))
    if (!publicKeyOf(privateKey).equals(publicKey)) throw new Error('the stored seed of the log key does not belong to its public key')
    return { origin: name, publicKey, privateKey, text: logKeyText(name, publicKey), keyId: hex(logKeyId(name, publicKey)) }
  }

  /** Decrypts a key and caches it. The row must have committed. */
  function opened(row: Row): LogKey {
    const text = row.publicKey.toString('hex')
    const key = known.get(text) ?? keyOf(row)
    known.set(text, key)
    return key
  }

  async function insert(tx: Tx, number: number, name: string): Promise<LogKey> {
    const seed = randomBytes(32)
    const publicKey = publicKeyOf(privateKeyObject(seed))
    const encryptedSeed = secrets.encrypt(seed, contextOf(number))
    await tx.query(sql`
      insert into log_key (number, origin, public_key, sealed_seed)
      values (${number}::int, ${name}::text, ${publicKey}::bytea, ${encryptedSeed}::bytea)`)
    return keyOf({ number, origin: name, publicKey, encryptedSeed })
  }

  /** The key in force as this transaction sees it; made where there is none. Takes the log's lock. */
  async function inForce(tx: Tx): Promise<LogKey> {
    await lockLog(tx)
    const row = await newest(tx)
    return row === undefined ? insert(tx, 0, origin) : opened(row)
  }

  /** The key in force; made where there is none. */
  async function get(db: Db): Promise<LogKey> {
    const row = await newest(db)
    return row === undefined ? inTransaction(db, inForce) : opened(row)
  }

  return {
    inForce,
    get,

    /** The key that signs receipts of a day: the newest key in force on that day. A verifier accepts no other. */
    async servingOn(db: Db, day: IstDay): Promise<LogKey> {
      const row = await db.maybeOne<Row>(
        sql`select ${COLUMNS} from log_key where number = 0 or ist_day(created_at) <= ${day}::date order by number desc limit 1`,
      )
      return row === undefined ? get(db) : opened(row)
    },

    /** Rotates the key: inserts the new one and appends the `key` record signed by the old one. At most once a day. */
    async rotate(tx: Tx): Promise<{ readonly old: LogKey; readonly now: LogKey }> {
      await lockLog(tx)
      const row = await newest(tx)
      if (row === undefined) throw new Error('the log has no key yet')
      const old = keyOf(row)
      const { today, at } = await tx.one<{ today: IstDay; at: Date }>(sql`select ist_day(roz_now()) as today, roz_now() as at`)
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
