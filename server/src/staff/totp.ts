/**
 * Time-based one-time codes (RFC 6238) with the parameters that every authenticator app knows: SHA-1, 6 digits, 30 seconds.
 * - A code is accepted one step early or late, and never at or before the step of a code that was used.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

const STEP_SECONDS = 30
const DIGITS = 6
/** Steps by which the clock of a phone may differ. */
const DRIFT = 1
export const SECRET_BYTES = 20

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

export const stepAt = (atMs: number): number => Math.floor(atMs / 1000 / STEP_SECONDS)

/** The code of a time step: HOTP (RFC 4226) with the step as its counter. */
export function codeAt(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step whose code this is, among those around now that come after the last used one; undefined where there is none. */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  now: { readonly atMs: number; readonly lastStep: number },
): number | undefined {
  const given = Buffer.from(code)
  const present = stepAt(now.atMs)
  for (let step = present - DRIFT; step <= present + DRIFT; step++) {
    const expected = Buffer.from(codeAt(secret, step))
    if (step > now.lastStep && given.length === expected.length && timingSafeEqual(given, expected)) return step
  }
  return undefined
}

/** The address that an app reads from a QR code. */
export function otpauthUri(secret: Uint8Array, { issuer, account }: { readonly issuer: string; readonly account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`
}
