/**
 * Our keys towards push services (RFC 8292).
 *
 * - The first key is made once, whichever process asks first.
 * - The private scalar is stored encrypted.
 * - An older key stays for the devices that subscribed with it.
 */
import { generateKeyPairSync } from 'node:crypto'
import type { PushKey } from '../../adapters/push/port.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import type { Secrets } from '../../secrets/secrets.ts'

type NumberedKey = PushKey & { readonly number: number }
export type PushKeys = ReturnType<typeof createPushKeys>
type Row = { readonly number: number; readonly publicKey: Buffer; readonly encryptedPrivate: Buffer }

const COLUMNS = sql`number, public_key as "publicKey", sealed_private as "encryptedPrivate"`
const contextOf = (number: number): string => `push_key:${number}`

export function createPushKeys({ secrets }: { readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'> }) {
  const known = new Map<number, NumberedKey>()

  function opened({ number, publicKey, encryptedPrivate }: Row): NumberedKey {
    const key = known.get(number) ?? { number, publicKey, privateKey: secrets.decrypt(encryptedPrivate, contextOf(number)) }
    known.set(number, key)
    return key
  }
  const newest = (from: Queryable) => from.maybeOne<Row>(sql`select ${COLUMNS} from push_key order by number desc limit 1`)

  async function insert(into: Queryable, number: number): Promise<void> {
    const { publicKey, privateKey } = makeKey()
    await into.query(sql`
      insert into push_key (number, public_key, sealed_private)
      values (${number}::int, ${publicKey}::bytea, ${secrets.encrypt(privateKey, contextOf(number))}::bytea)
      on conflict (number) do nothing`)
  }

  return {
    /** The newest key, made if there is none yet. */
    async inForce(db: Db): Promise<NumberedKey> {
      const row = await newest(db)
      if (row !== undefined) return opened(row)
      await insert(db, 0)
      return opened((await newest(db)) as Row)
    },

    async get(db: Db, number: number): Promise<NumberedKey> {
      return known.get(number) ?? opened(await db.one<Row>(sql`select ${COLUMNS} from push_key where number = ${number}::int`))
    },

    /** Makes a new key. A device changes to it when its app is opened. */
    async rotate(db: Db): Promise<NumberedKey> {
      const row = await newest(db)
      await insert(db, row === undefined ? 0 : row.number + 1)
      return opened((await newest(db)) as Row)
    },
  }
}

function makeKey(): PushKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')
  return { publicKey: Buffer.concat([Buffer.of(4), bytes(x), bytes(y)]), privateKey: bytes(d) }
}
