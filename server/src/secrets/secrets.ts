/**
 * Encryption at rest: AES-256-GCM under SECRET_KEY.
 * - A value is decrypted only with the context that it was encrypted for. The context is authenticated, so a value cannot move to another row.
 * - An encrypted value contains its key's id. After a rotation, values under SECRET_KEY_OLD can still be decrypted, and new ones use SECRET_KEY.
 * - The columns of such values are named `sealed…`, as they were released.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const VERSION = 1
const ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + ID_BYTES + NONCE_BYTES + TAG_BYTES

export type SecretKeys = { readonly secretKey: string; readonly secretKeyOld?: string | undefined }
type EncryptedValues = {
  readonly bytes: Buffer
  /** Length of each of the concatenated values. */
  readonly each: number
  /** The context that a value is bound to. */
  readonly contextOf: (index: number) => string
}
export type Secrets = {
  /** The keys, from which a worker thread makes the same `Secrets`. */
  readonly keys: SecretKeys
  /** The key ids in encrypted values: SECRET_KEY's, then SECRET_KEY_OLD's. */
  readonly keyIds: readonly [Buffer, ...Buffer[]]
  /** Layout: version, key id, nonce, tag, ciphertext. `context` names the kind of value and its owner: `ticket_key:1001`. */
  readonly encrypt: (plain: Uint8Array, context: string) => Buffer
  /** Throws where the value was altered, has another context, or was encrypted with an unknown key. */
  readonly decrypt: (encrypted: Uint8Array, context: string) => Buffer
  /** Decrypts concatenated values of one length into `into`. Throws where `decrypt` would. */
  readonly decryptMany: (values: EncryptedValues, into: Buffer) => void
  /** Keyed hashes for looking up a secret: under the present key first, then under the old one. */
  readonly fingerprints: (plain: Uint8Array, purpose: string) => readonly [Buffer, ...Buffer[]]
}

/** Whether `given` is the fingerprint of these bytes under the present key or the old one. Compares in constant time. */
export const isFingerprint = (secrets: Pick<Secrets, 'fingerprints'>, plain: Uint8Array, purpose: string, given: Buffer): boolean =>
  secrets.fingerprints(plain, purpose).some((one) => one.length === given.length && timingSafeEqual(one, given))

type Key = { readonly id: Buffer; readonly cipher: KeyObject; readonly mac: Buffer }

/** `secretKey` is any text with enough entropy. A key for each use is derived from it by HKDF. */
export function createSecrets(given: SecretKeys): Secrets {
  const { secretKey, secretKeyOld } = given
  const current = deriveKey(secretKey)
  const keys: readonly [Key, ...Key[]] = secretKeyOld === undefined ? [current] : [current, deriveKey(secretKeyOld)]

  function keyOf(bytes: Buffer, context: string): Key {
    const key = keys.find(({ id }) => id.equals(bytes.subarray(1, 1 + ID_BYTES)))
    if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) throw new Error(`not an encrypted value: ${context}`)
    if (key === undefined) throw new Error(`encrypted with a key that is neither SECRET_KEY nor SECRET_KEY_OLD: ${context}`)
    return key
  }

  function decrypt(bytes: Buffer, context: string): Buffer {
    const key = keyOf(bytes, context)
    const nonce = bytes.subarray(1 + ID_BYTES, 1 + ID_BYTES + NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key.cipher, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(HEAD_BYTES - TAG_BYTES, HEAD_BYTES))
    const plain = decipher.update(bytes.subarray(HEAD_BYTES))
    try {
      // Throws unless the tag is right. GCM has no further output here.
      decipher.final()
    } catch (cause) {
      throw new Error(`it was altered and cannot be decrypted: ${context}`, { cause })
    }
    return plain
  }

  return {
    keys: given,
    keyIds: [current.id, ...keys.slice(1).map(({ id }) => id)],
    encrypt: (plain, context) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current.cipher, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), current.id, nonce, cipher.getAuthTag(), body])
    },
    decrypt: (encrypted, context) => decrypt(Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.length), context),
    decryptMany: ({ bytes, each, contextOf }, into) => {
      const [count, length] = [bytes.length / each, each - HEAD_BYTES]
      if (!Number.isInteger(count) || length < 0) throw new Error('not encrypted values of one length')
      for (let index = 0; index < count; index++)
        decrypt(bytes.subarray(index * each, (index + 1) * each), contextOf(index)).copy(into, index * length)
    },
    fingerprints: (plain, purpose) => {
      const under = ({ mac }: Key): Buffer => createHmac('sha256', mac).update(`${purpose}\n`).update(plain).digest()
      const [first, ...rest] = keys
      return [under(first), ...rest.map(under)]
    },
  }
}

function deriveKey(secretKey: string): Key {
  const derive = (use: string, length: number): Buffer => Buffer.from(hkdfSync('sha256', secretKey, '', `roz secrets: ${use}`, length))
  return { id: derive('id', ID_BYTES), cipher: createSecretKey(derive('sealing', 32)), mac: derive('mac', 32) }
}
