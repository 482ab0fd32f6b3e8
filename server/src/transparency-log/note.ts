/**
 * Signed notes of C2SP: verifier keys, signatures of the log, cosignatures of witnesses.
 * - A verifier key contains an id, the hash of its name and key. A key with a wrong id is refused.
 * - Only canonical base64 is decoded: encoding the result again gives the same text.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { isSoundKey, isStrictSignature } from './ed25519.ts'

/** Key types: an Ed25519 signature of a note, and an Ed25519 cosignature with its time. */
const SIGNATURE = 1
const COSIGNATURE = 4

type VerifierKey = { readonly name: string; readonly id: Buffer; readonly publicKey: Buffer }

/** Printable ASCII without `+`: different names look different, and every program sorts names alike. */
const NAME = /^[\x21-\x2a\x2c-\x7e]{1,200}$/
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** An Ed25519 key from its 32-byte seed. */
export const privateKeyObject = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
export const publicKeyOf = (privateKey: KeyObject): Buffer =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32)

const idOf = (name: string, kind: number, publicKey: Uint8Array): Buffer =>
  createHash('sha256').update(`${name}\n`).update(Buffer.of(kind)).update(publicKey).digest().subarray(0, 4)

export const logKeyId = (name: string, publicKey: Uint8Array): Buffer => idOf(name, SIGNATURE, publicKey)
const keyText = (name: string, kind: number, publicKey: Uint8Array): string =>
  `${name}+${idOf(name, kind, publicKey).toString('hex')}+${Buffer.concat([Buffer.of(kind), publicKey]).toString('base64')}`
export const logKeyText = (name: string, publicKey: Uint8Array): string => keyText(name, SIGNATURE, publicKey)
export const witnessKeyText = (name: string, publicKey: Uint8Array): string => keyText(name, COSIGNATURE, publicKey)

/** Parses the verifier key of a witness; undefined where the text is not a valid one. */
export function parseWitnessKey(text: string): VerifierKey | undefined {
  const [, name = '', id = '', data = ''] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/.exec(text) ?? []
  const bytes = Buffer.from(data, 'base64')
  if (!NAME.test(name) || bytes.length !== 33 || bytes[0] !== COSIGNATURE) return undefined
  const publicKey = bytes.subarray(1)
  if (!isSoundKey(publicKey)) return undefined
  return witnessKeyText(name, publicKey) === text ? { name, id: Buffer.from(id, 'hex'), publicKey } : undefined
}

/** One signature line of a note. */
const lineOf = (name: string, signature: Uint8Array): string => `— ${name} ${Buffer.from(signature).toString('base64')}\n`

/** Signs a text that ends in a newline and returns the whole note. */
export function signNote(text: string, signer: { readonly name: string; readonly privateKey: KeyObject }): string {
  const id = logKeyId(signer.name, publicKeyOf(signer.privateKey))
  return `${text}\n${lineOf(signer.name, Buffer.concat([id, sign(null, Buffer.from(text), signer.privateKey)]))}`
}

type NoteSignature = { readonly name: string; readonly id: Buffer; readonly signature: Buffer }
type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] }

/** Splits a note into text and signatures; undefined where it is not a note. */
export function parseNote(note: string): Note | undefined {
  const cut = note.lastIndexOf('\n\n')
  if (cut < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, cut + 1)
  const signatures: NoteSignature[] = []
  for (const line of note.slice(cut + 2, -1).split('\n')) {
    const [, name = '', data = ''] = /^— (\S+) (\S+)$/.exec(line) ?? []
    const bytes = Buffer.from(data, 'base64')
    if (!NAME.test(name) || bytes.length < 5 || bytes.toString('base64') !== data) return undefined
    signatures.push({ name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) })
  }
  return { text, signatures }
}

type Cosigned = { readonly timeSeconds: number; readonly line: string }
const COSIGNATURE_BYTES = 72

/** Time and line of a cosignature that is valid for this text and key; otherwise undefined. */
export function checkCosignature(text: string, { name, id, signature }: NoteSignature, key: VerifierKey): Cosigned | undefined {
  if (name !== key.name || !id.equals(key.id) || signature.length !== COSIGNATURE_BYTES) return undefined
  const time = signature.readBigUInt64BE(0)
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  const signed = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)
  if (!isStrictSignature(signature.subarray(8), signed, key.publicKey)) return undefined
  return { timeSeconds: Number(time), line: lineOf(name, Buffer.concat([id, signature])) }
}

/** The line by which a witness cosigns a checkpoint's text at a second. */
export function cosign(text: string, witness: { readonly name: string; readonly privateKey: KeyObject }, timeSeconds: number): string {
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(BigInt(timeSeconds))
  const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${timeSeconds}\n${text}`), witness.privateKey)
  const id = idOf(witness.name, COSIGNATURE, publicKeyOf(witness.privateKey))
  return lineOf(witness.name, Buffer.concat([id, time, signature]))
}
