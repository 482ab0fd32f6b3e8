/**
 * Time-based one-time codes (RFC 6238) with the parameters that every authenticator app knows: SHA-1, 6 digits, 30 seconds.
 * - A code is accepted one step early or late, and never at or before the step of a code that was used.
 * - The package compares codes in constant time.
 */
import { Secret, TOTP } from 'otpauth'

/** Steps by which the clock of a phone may differ. */
const DRIFT = 1
export const SECRET_BYTES = 20

type Account = { readonly issuer: string; readonly account: string }
const totpOf = (secret: Uint8Array, { issuer, account }: Account = { issuer: '', account: '' }, digits = 6): TOTP =>
  new TOTP({
    issuer,
    label: account,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    algorithm: 'SHA1',
    digits,
    period: 30,
  })

export const base32 = (bytes: Uint8Array): string => totpOf(bytes).secret.base32

export const stepAt = (atMs: number): number => TOTP.counter({ period: 30, timestamp: atMs })

export const codeAt = (secret: Uint8Array, step: number, digits = 6): string =>
  totpOf(secret, undefined, digits).generate({ timestamp: step * 30_000 })

/** The step whose code this is, among those around now that come after the last used one; undefined where there is none. */
export function matchingStep(
  secret: Uint8Array,
  code: string,
  now: { readonly atMs: number; readonly lastStep: number },
): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now.atMs, window: DRIFT })
  const step = delta === null ? undefined : stepAt(now.atMs) + delta
  return step !== undefined && step > now.lastStep ? step : undefined
}

/** The address that an app reads from a QR code. */
export const otpauthUri = (secret: Uint8Array, account: Account): string => totpOf(secret, account).toString()
