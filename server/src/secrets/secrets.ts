/**
 * What is encrypted at rest: AES-256-GCM under SECRET_KEY. Invariants: a sealed value opens only in
 * the place it was sealed for (`context` is authenticated, so a row's value cannot be moved to
 * another row); it names the key it was sealed with, so that after a rotation values sealed with
 * SECRET_KEY_OLD still open while new ones are sealed with SECRET_KEY.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

const VERSION = 1
const ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + ID_BYTES + NONCE_BYTES + TAG_BYTES

export type SecretKeys = { readonly secretKey: string; readonly secretKeyOld?: string | undefined }
export type SealedValues = {
  readonly bytes: Buffer
  /** Bytes of each; they lie one after the other. */
  readonly each: number
  /** What the value is bound to. */
  readonly contextOf: (index: number) => string
}
export type Secrets = {
  /** What a thread of this process makes the same secrets from. */
  readonly keys: SecretKeys
  /** What a sealed value names its key by: SECRET_KEY's, then SECRET_KEY_OLD's. */
  readonly keyIds: readonly [Buffer, ...Buffer[]]
  /** Layout: version, key id, nonce, tag, ciphertext. `context` says what and whose it is: `ticket_key:1001`. */
  readonly seal: (plain: Uint8Array, context: string) => Buffer
  /** Throws when the value was altered, belongs elsewhere, or its key is neither of the two. */
  readonly open: (sealed: Uint8Array, context: string) => Buffer
  /** Opens values of one length into `into`, one after the other. Throws where `open` would. */
  readonly openMany: (values: SealedValues, into: Buffer) => void
  /** A keyed hash for looking a secret up: under the present key first, then under the old one. */
  readonly fingerprints: (plain: Uint8Array, purpose: string) => readonly [Buffer, ...Buffer[]]
}

type Key = { readonly id: Buffer; readonly sealing: KeyObject; readonly mac: Buffer }

/** `secretKey` is any text with enough entropy; keys for each use are derived from it. */
export function createSecrets(given: SecretKeys): Secrets {
  const { secretKey, secretKeyOld } = given
  const current = deriveKey(secretKey)
  const keys: readonly [Key, ...Key[]] = secretKeyOld === undefined ? [current] : [current, deriveKey(secretKeyOld)]

  function keyOf(bytes: Buffer, context: string): Key {
    const key = keys.find(({ id }) => id.equals(bytes.subarray(1, 1 + ID_BYTES)))
    if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) throw new Error(`not a sealed value: ${context}`)
    if (key === undefined) throw new Error(`sealed with a key that is neither SECRET_KEY nor SECRET_KEY_OLD: ${context}`)
    return key
  }

  function open(bytes: Buffer, context: string): Buffer {
    const key = keyOf(bytes, context)
    const nonce = bytes.subarray(1 + ID_BYTES, 1 + ID_BYTES + NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(HEAD_BYTES - TAG_BYTES, HEAD_BYTES))
    const plain = decipher.update(bytes.subarray(HEAD_BYTES))
    // Throws unless the tag is right; a stream cipher has nothing left to give.
    decipher.final()
    return plain
  }

  return {
    keys: given,
    keyIds: [current.id, ...keys.slice(1).map(({ id }) => id)],
    seal: (plain, context) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current.sealing, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), current.id, nonce, cipher.getAuthTag(), body])
    },
    open: (sealed, context) => open(Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length), context),
    openMany: ({ bytes, each, contextOf }, into) => {
      const [count, length] = [bytes.length / each, each - HEAD_BYTES]
      if (!Number.isInteger(count) || length < 0) throw new Error('not sealed values of one length')
      for (let index = 0; index < count; index++)
        open(bytes.subarray(index * each, (index + 1) * each), contextOf(index)).copy(into, index * length)
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
  return { id: derive('id', ID_BYTES), sealing: createSecretKey(derive('sealing', 32)), mac: derive('mac', 32) }
}
