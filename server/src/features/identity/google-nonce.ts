/**
 * Binds a Google ID token to the page that asked for it.
 *
 * - The server makes and signs a nonce for the page; the token carries its SHA-256. The token alone is useless.
 * - The nonce expires after 30 minutes by roz_now(). Unused nonces are not stored, so nobody can fill a table.
 * - A token opens one session among all processes: the session's transaction records the token's digest until one hour after
 *   the token's expiry.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { LinkSecrets } from '../../members/link-token.ts'
import { isFingerprint } from '../../secrets/secrets.ts'

const LASTS_SECONDS = 30 * 60
const PURPOSE = 'google nonce'

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
/** The claim that the page gives to Google and that Google's token carries. */
const nonceClaim = (nonce: string): string => sha256(nonce).toString('base64url')

export function makeNonce(
  secrets: LinkSecrets,
  now: Date,
): { readonly nonce: string; readonly claim: string; readonly lastsSeconds: number } {
  const signed = `${Math.floor(now.getTime() / 1000) + LASTS_SECONDS}.${randomBytes(16).toString('base64url')}`
  const nonce = `${signed}.${secrets.fingerprints(Buffer.from(signed), PURPOSE)[0].toString('base64url')}`
  return { nonce, claim: nonceClaim(nonce), lastsSeconds: LASTS_SECONDS }
}

/**
 * Whether the token was asked for by the page that has the nonce. A token without the claim is accepted without a nonce:
 * a client may send the token alone.
 */
export function isBound(
  secrets: LinkSecrets,
  token: { readonly claim: string | undefined; readonly nonce: string | undefined },
  now: Date,
): boolean {
  const { claim, nonce } = token
  if (claim === undefined || nonce === undefined) return claim === nonce
  const [, signed = '', mac = ''] = /^(\d{1,12}\.[\w-]{22})\.([\w-]{43})$/.exec(nonce) ?? []
  if (signed === '' || Number.parseInt(signed, 10) * 1000 <= now.getTime() || nonceClaim(nonce) !== claim) return false
  return isFingerprint(secrets, Buffer.from(signed), PURPOSE, Buffer.from(mac, 'base64url'))
}

/** Records a token's single use, by its claim if it has one; false when it was used before. */
export async function useOnce(
  tx: Tx,
  token: string,
  { claim, expiresAt }: { claim: string | undefined; expiresAt: Date },
): Promise<boolean> {
  const used = await tx.maybeOne(sql`insert into google_token_used (digest, forget_at)
        values (${sha256(claim ?? token)}::bytea, ${expiresAt}::timestamptz + interval '1 hour') on conflict (digest) do nothing returning 1`)
  return used !== undefined
}

export async function forgetUsed(from: Queryable): Promise<void> {
  await from.query(sql`delete from google_token_used where forget_at < (select roz_now())`)
}
