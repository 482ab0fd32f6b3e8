/**
 * Who signed a webhook: base64 of HMAC-SHA256 over the timestamp and the exact bytes received, with
 * nothing between them. Reading the JSON and writing it again would turn 170.00 into 170 and break it.
 * The timestamp's age refuses nothing: whether a retry gets a fresh one is undocumented, and any webhook
 * can do no more than make us ask the gateway. Whoever keeps it notes whether it is older than the last retry.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Signed, WebhookHeaders } from '../payments/port.ts'

const DIGEST_BYTES = 32

/** The last retry leaves 30 min after the first sending (2, 10, 30); five more for the way and for clocks that differ. */
export const WEBHOOK_LIFE_MS = 35 * 60_000

/** Undefined: not genuine. */
export function verifySignature(secret: string, headers: WebhookHeaders, rawBody: Buffer): Signed | undefined {
  const timestamp = headers['x-webhook-timestamp']
  const signature = headers['x-webhook-signature']
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return undefined
  const given = Buffer.from(signature, 'base64')
  const expected = createHmac('sha256', secret).update(timestamp).update(rawBody).digest()
  if (given.length !== DIGEST_BYTES || !timingSafeEqual(given, expected)) return undefined
  return { atMs: /^\d{13}$/.test(timestamp) ? Number(timestamp) : undefined }
}
