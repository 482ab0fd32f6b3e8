/**
 * Verifies the signature of a webhook: base64 of HMAC-SHA256 over the timestamp followed by the exact bytes received.
 * - The bytes are never parsed and serialized again: 170.00 would become 170 and break the signature.
 * - While the secret is being replaced the former one counts too: either side may be the first to change.
 * - An old timestamp does not refuse a webhook: whether a retry gets a fresh one is undocumented, and a webhook only makes
 *   us ask the gateway. The caller records whether the timestamp is older than the last retry.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Signed, WebhookHeaders } from '../payments/port.ts'

const DIGEST_BYTES = 32

/** The gateway's last retry is sent 30 min after the first try (2, 10, 30); 5 min more for transport and clock skew. */
export const WEBHOOK_LIFE_MS = 35 * 60_000

type WebhookSecrets = { readonly clientSecret: string; readonly clientSecretOld?: string | undefined }

/** Undefined if the signature is not genuine. */
export function verifySignature(
  { clientSecret, clientSecretOld }: WebhookSecrets,
  headers: WebhookHeaders,
  rawBody: Buffer,
): Signed | undefined {
  const timestamp = headers['x-webhook-timestamp']
  const signature = headers['x-webhook-signature']
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined
  const given = Buffer.from(signature, 'base64')
  const isBy = (secret: string): boolean =>
    given.length === DIGEST_BYTES && timingSafeEqual(given, createHmac('sha256', secret).update(timestamp).update(rawBody).digest())
  if (!isBy(clientSecret) && (clientSecretOld === undefined || !isBy(clientSecretOld))) return undefined
  return { atMs: /^\d{13}$/.test(timestamp) ? Number(timestamp) : undefined }
}
