/**
 * Who signed a webhook: base64 of HMAC-SHA256 over the timestamp and the exact bytes received, with
 * nothing between them. Reading the JSON and writing it again would turn 170.00 into 170 and break it.
 * The timestamp's age is not judged: whether a retry gets a fresh one is undocumented, and a replayed
 * webhook can do no more than make us ask the gateway again.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookHeaders } from '../payments/port.ts'

const DIGEST_BYTES = 32

export function verifySignature(secret: string, headers: WebhookHeaders, rawBody: Buffer): boolean {
  const timestamp = headers['x-webhook-timestamp']
  const signature = headers['x-webhook-signature']
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false
  const given = Buffer.from(signature, 'base64')
  const expected = createHmac('sha256', secret).update(timestamp).update(rawBody).digest()
  return given.length === DIGEST_BYTES && timingSafeEqual(given, expected)
}
