/** An authenticator in software (WebAuthn, ES256), for tests. Each part of its answer can be made wrong. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>
function head(major: number, n: number): Buffer {
  if (n < 24) return Buffer.from([(major << 5) | n])
  return n < 256 ? Buffer.from([(major << 5) | 24, n]) : Buffer.from([(major << 5) | 25, n >> 8, n & 0xff])
}
/** The part of CBOR (RFC 8949) that authenticators write. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value]
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()
const text = (bytes: Buffer): string => bytes.toString('base64url')

/** Deviations of a person, a browser or an attacker. */
export type Twist = {
  readonly origin?: string
  readonly rpId?: string
  readonly counter?: number
  readonly verified?: boolean
  readonly crossOrigin?: boolean
  readonly type?: string
  readonly attestation?: { readonly fmt: string; readonly statement: ReadonlyMap<string, Cbor> }
}
type Options = { readonly challenge: string }

export class SoftKey {
  readonly id = randomBytes(32)
  readonly #privateKey: KeyObject
  readonly #cose: Buffer
  counter = 0

  readonly origin: string

  constructor(origin: string) {
    this.origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#privateKey = privateKey
    this.#cose = cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
  }

  #clientData(type: string, { challenge }: Options, twist: Twist): Buffer {
    const { origin = this.origin, crossOrigin = false } = twist
    return Buffer.from(JSON.stringify({ type: twist.type ?? type, challenge, origin, crossOrigin }))
  }

  #data(twist: Twist, isNew: boolean): Buffer {
    const flags = 0x01 | (twist.verified === false ? 0 : 0x04) | (isNew ? 0x40 : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(twist.counter ?? ++this.counter)
    const made = isNew ? [Buffer.alloc(16), Buffer.from([0, this.id.length]), this.id, this.#cose] : []
    return Buffer.concat([sha256(twist.rpId ?? new URL(this.origin).hostname), Buffer.from([flags]), counter, ...made])
  }

  /** The answer to `navigator.credentials.create`. */
  create(options: Options, twist: Twist = {}) {
    const { fmt, statement } = twist.attestation ?? { fmt: 'none', statement: new Map() }
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', statement],
        ['authData', this.#data(twist, true)],
      ]),
    )
    const clientDataJSON = this.#clientData('webauthn.create', options, twist)
    return { id: text(this.id), response: { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject) } }
  }

  /** The answer to `navigator.credentials.get`. */
  get(options: Options, twist: Twist = {}) {
    const clientDataJSON = this.#clientData('webauthn.get', options, twist)
    const authenticatorData = this.#data(twist, false)
    const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), this.#privateKey)
    return {
      id: text(this.id),
      response: { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature) },
    }
  }
}
