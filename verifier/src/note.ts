/**
 * Reads and writes C2SP signed notes, checkpoints and cosignatures.
 *
 * - A note is accepted only if it re-encodes to the same bytes.
 * - An Ed25519 signature is accepted only by the strict rules of ed25519.ts.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { ascii, concat, decimal, equal, fromBase64, fromHex, MalformedError, toBase64, toHex, u64, utf8 } from './bytes.ts'
import { holdsEd25519 } from './ed25519.ts'
import { memory } from './memory.ts'
import type { Tree } from './merkle.ts'
import { sha256 } from './sha256.ts'

const ED25519 = 1
const COSIGNATURE = 4

export type VerifierKey = {
  readonly name: string
  readonly id: Uint8Array
  /** 1: Ed25519 signature of the log. 4: timestamped cosignature. */
  readonly algorithm: number
  readonly publicKey: Uint8Array
  /** The encoded key: name+hash+key. */
  readonly text: string
}
export type NoteSignature = { readonly name: string; readonly id: Uint8Array; readonly signature: Uint8Array }
export type Note = { readonly text: string; readonly signatures: readonly NoteSignature[] }
export type Checkpoint = Tree & { readonly origin: string; readonly note: Note }

const isName = (name: string): boolean => /^[!-*,-~]+$/.test(name)

export function keyId(name: string, algorithm: number, publicKey: Uint8Array): Uint8Array {
  return sha256(ascii(`${name}\n`), Uint8Array.of(algorithm), publicKey).slice(0, 4)
}

export function writeVerifierKey(name: string, algorithm: number, publicKey: Uint8Array): string {
  return `${name}+${toHex(keyId(name, algorithm, publicKey))}+${toBase64(concat(Uint8Array.of(algorithm), publicKey))}`
}

/** Cache of parsed keys: the same few keys are in every record. */
const keysRead = new Map<string, VerifierKey>()

export function readVerifierKey(text: string): VerifierKey {
  const known = keysRead.get(text)
  if (known !== undefined) return known
  const key = parseVerifierKey(text)
  if (keysRead.size >= 1024) keysRead.clear()
  keysRead.set(text, key)
  return key
}

function parseVerifierKey(text: string): VerifierKey {
  const [name = '', id = '', ...rest] = text.split('+')
  const key = fromBase64(rest.join('+'))
  const algorithm = key[0]
  if (!isName(name) || (algorithm !== ED25519 && algorithm !== COSIGNATURE) || key.length !== 33)
    throw new MalformedError(`not a verifier key: ${text.slice(0, 80)}`)
  const publicKey = key.slice(1)
  const own = keyId(name, algorithm, publicKey)
  if (toHex(own) !== id) throw new MalformedError(`the verifier key of ${name} does not have the hash it names`)
  return { name, id: own, algorithm, publicKey, text }
}

function readSignatureLine(line: string): NoteSignature {
  const [, name, base64] = /^\u2014 ([!-*,-~]+) ([A-Za-z0-9+/=]+)$/.exec(line) ?? []
  if (name === undefined || base64 === undefined) throw new MalformedError(`not a signature line: ${line.slice(0, 80)}`)
  const signed = fromBase64(base64)
  if (signed.length < 5) throw new MalformedError('a signature line is too short')
  return { name, id: signed.slice(0, 4), signature: signed.slice(4) }
}

export const signatureLine = ({ name, id, signature }: NoteSignature): string => `\u2014 ${name} ${toBase64(concat(id, signature))}\n`

export const writeNote = ({ text, signatures }: Note): string => `${text}\n${signatures.map(signatureLine).join('')}`

/** Parses concatenated checkpoints: each has three lines, an empty line and its signature lines. */
export function readCheckpoints(bytes: Uint8Array): readonly Checkpoint[] {
  const lines = utf8(bytes).split('\n')
  if (lines.pop() !== '' || lines.length === 0) throw new MalformedError('the last line does not end')
  const checkpoints: Checkpoint[] = []
  for (let at = 0; at < lines.length; ) {
    const [origin = '', size = '', root = '', empty] = lines.slice(at, at + 4)
    const signatures: NoteSignature[] = []
    for (at += 4; lines[at]?.startsWith('\u2014') === true; at += 1) signatures.push(readSignatureLine(lines[at] as string))
    const hash = fromBase64(root)
    const hasForm = isName(origin) && origin.length <= 128 && decimal(size) > 0 && hash.length === 32 && empty === ''
    if (!hasForm || signatures.length === 0) throw new MalformedError('not a checkpoint')
    const tree = { size: decimal(size), root: hash }
    checkpoints.push({ ...tree, origin, note: { text: checkpointText(origin, tree), signatures } })
  }
  return checkpoints
}

export function readCheckpoint(bytes: Uint8Array): Checkpoint {
  const [checkpoint, ...rest] = readCheckpoints(bytes)
  if (checkpoint === undefined || rest.length > 0) throw new MalformedError('not one checkpoint')
  return checkpoint
}

export const checkpointText = (origin: string, { size, root }: Tree): string => `${origin}\n${size}\n${toBase64(root)}\n`

const seen = memory()

/** Cached, because several steps check the same signature. */
export function isSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64) return false
  return seen.once(toHex(sha256(signature, publicKey, message)), () => holdsEd25519(signature, message, publicKey))
}

/** Checks that the signature line is from this key and valid for this text. */
export function isLogSignature(line: NoteSignature, noteText: string, key: VerifierKey): boolean {
  return key.algorithm === ED25519 && isOf(line, key) && isSignature(line.signature, ascii(noteText), key.publicKey)
}

const isOf = (line: NoteSignature, key: VerifierKey): boolean => line.name === key.name && equal(line.id, key.id)

export const cosignatureMessage = (noteText: string, timeSeconds: number): Uint8Array =>
  ascii(`cosignature/v1\ntime ${timeSeconds}\n${noteText}`)

/** Time of the witness's cosignature in seconds since 1970; undefined if the line is not a valid cosignature of this witness. */
export function cosignedAt(line: NoteSignature, noteText: string, witness: VerifierKey): number | undefined {
  if (witness.algorithm !== COSIGNATURE || !isOf(line, witness) || line.signature.length !== 72) return undefined
  const time = Number(new DataView(line.signature.buffer, line.signature.byteOffset, 8).getBigUint64(0))
  if (!Number.isSafeInteger(time)) return undefined
  return isSignature(line.signature.slice(8), cosignatureMessage(noteText, time), witness.publicKey) ? time : undefined
}

/** A signing key for notes: a name and 32 secret bytes. */
export type Signer = { readonly name: string; readonly algorithm: 1 | 4; readonly secret: Uint8Array }

export const verifierKeyOf = ({ name, algorithm, secret }: Signer): string =>
  writeVerifierKey(name, algorithm, ed25519.getPublicKey(secret))

export function signNote(text: string, { name, secret }: Signer): NoteSignature {
  return { name, id: keyId(name, ED25519, ed25519.getPublicKey(secret)), signature: ed25519.sign(ascii(text), secret) }
}

export function cosign(noteText: string, { name, secret }: Signer, timeSeconds: number): NoteSignature {
  const signature = concat(u64(timeSeconds), ed25519.sign(cosignatureMessage(noteText, timeSeconds), secret))
  return { name, id: keyId(name, COSIGNATURE, ed25519.getPublicKey(secret)), signature }
}

/** Encodes a signing key as C2SP does: PRIVATE+KEY+name+hash+base64(algorithm and secret). */
export function writeSignerKey(signer: Signer): string {
  const id = keyId(signer.name, signer.algorithm, ed25519.getPublicKey(signer.secret))
  return `PRIVATE+KEY+${signer.name}+${toHex(id)}+${toBase64(concat(Uint8Array.of(signer.algorithm), signer.secret))}`
}

export function readSignerKey(text: string): Signer {
  const [first, second, name = '', id = '', ...rest] = text.trim().split('+')
  const key = fromBase64(rest.join('+'))
  const algorithm = key[0]
  if (first !== 'PRIVATE' || second !== 'KEY' || key.length !== 33 || (algorithm !== ED25519 && algorithm !== COSIGNATURE))
    throw new MalformedError('not a signing key')
  const signer = { name, algorithm, secret: key.slice(1) } as const
  if (!equal(fromHex(id, 4), keyId(name, algorithm, ed25519.getPublicKey(signer.secret)))) throw new MalformedError('not a signing key')
  return signer
}
