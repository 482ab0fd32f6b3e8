/**
 * Encodes and decodes bytes.
 *
 * - Each decoder accepts exactly one text per value: no two texts decode to the same value.
 */

const encoder = new TextEncoder()

/** The input is not in the form of the protocol, so its content cannot be judged. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError'
}

export const ascii = (text: string): Uint8Array => encoder.encode(text)

export const concat = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => joined(parts)

/** Takes an array, because a call with spread arguments is limited in their number. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const equal = (a: Uint8Array, b: Uint8Array): boolean => compare(a, b) === 0

/** Compares as big-endian unsigned numbers. */
export function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i += 1) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

export function u64(value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

const HEX = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'))

export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const value of bytes) text += HEX[value] as string
  return text
}

export function fromHex(text: string, length?: number): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) throw new MalformedError(`not lower-case hex: ${text.slice(0, 80)}`)
  if (length !== undefined && text.length !== 2 * length) throw new MalformedError(`${text.length / 2} bytes of hex instead of ${length}`)
  const bytes = new Uint8Array(text.length / 2)
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
  return bytes
}

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Standard alphabet with padding. Any text that does not re-encode to itself is refused. */
export function fromBase64(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) throw new MalformedError(`not base64: ${text.slice(0, 80)}`)
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = binary.charCodeAt(i)
  if (toBase64(bytes) !== text) throw new MalformedError(`not the base64 of any bytes: ${text.slice(0, 80)}`)
  return bytes
}

/** Strict UTF-8 without a byte order mark: the text re-encodes to the same bytes. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new MalformedError('not UTF-8')
  }
}

/** A decimal number without sign or leading zero, at most 2^53 − 1. */
export function decimal(text: string): number {
  const value = Number(text)
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text) || !Number.isSafeInteger(value)) throw new MalformedError(`not a number: ${text.slice(0, 40)}`)
  return value
}
