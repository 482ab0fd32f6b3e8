/**
 * Web Push over HTTP: RFC 8030, its content encrypted for the browser (RFC 8291), signed by our key
 * (RFC 8292). Invariants: no host but those allowed is called, no redirect followed, no answer's body
 * read; every call has a deadline; a service in trouble is left alone for a while. Trouble is noted by
 * host, which a member may have invented, so that nobody's holds up another's, and of so many hosts at
 * most. What is sent has one length, so that the service cannot tell who won.
 */
import { encryptNotification, vapidHeaders } from '@block65/webcrypto-web-push'
import { createPushHosts } from './hosts.ts'
import type { PushAnswer, PushMessage, PushSender } from './port.ts'

export type WebPushOptions = {
  /** Beside those of the known browsers. */
  readonly hosts: readonly string[]
  /** Whom a push service may write to: `mailto:…`. */
  readonly subject: string
  readonly timeoutMs?: number
  readonly troublesMax?: number
}

const TIMEOUT_MS = 5_000
/** Room for the longest text. Less than the whole 4,096 bytes: Mozilla's bridge to Android takes 3,070. */
const TEXT_BYTES = 1_024
/** So many failures in a row are the service's own, not one device's. */
const TROUBLE_MAX = 3
/** Of so many hosts it is known; the one that has been silent longest makes room. */
const TROUBLES_MAX = 1_000
const PAUSE_SECONDS = 30
const PAUSE_SECONDS_MAX = 6 * 3600
const MILLIS = 1000

export function createWebPush({ hosts, subject, timeoutMs = TIMEOUT_MS, troublesMax = TROUBLES_MAX }: WebPushOptions): PushSender {
  const accepts = createPushHosts(hosts)
  const closing = new AbortController()
  const troubles = new Map<string, { count: number; untilMs: number }>()

  /** Notes how a service does; the answer is handed through. */
  function noted(host: string, answer: PushAnswer): PushAnswer {
    const count = (troubles.get(host)?.count ?? 0) + 1
    troubles.delete(host)
    if (answer.is !== 'later') return answer
    troubles.set(host, { count, untilMs: count < TROUBLE_MAX ? 0 : performance.now() + answer.afterSeconds * MILLIS })
    // In the order in which they were noted last.
    for (const oldest of troubles.keys()) {
      if (troubles.size <= troublesMax) break
      troubles.delete(oldest)
    }
    return answer
  }

  async function send(message: PushMessage): Promise<PushAnswer> {
    const { endpoint } = message.target
    if (!accepts(endpoint)) return { is: 'refused', status: 0 }
    const { host } = new URL(endpoint)
    const waitMs = (troubles.get(host)?.untilMs ?? 0) - performance.now()
    if (closing.signal.aborted || waitMs > 0) return { is: 'later', afterSeconds: Math.max(1, Math.ceil(waitMs / MILLIS)) }
    return noted(host, await hand(message, subject, AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)])))
  }
  return { accepts, send, close: () => closing.abort() }
}

async function hand(message: PushMessage, subject: string, signal: AbortSignal): Promise<PushAnswer> {
  const request = await requestOf(message, subject)
  try {
    const response = await fetch(message.target.endpoint, { ...request, redirect: 'manual', signal })
    await response.body?.cancel()
    return answerOf(response)
  } catch {
    // No connection, no answer in time: the error could name the address, which is nobody's business.
    return { is: 'later', afterSeconds: PAUSE_SECONDS }
  }
}

async function requestOf({ target, key, text, ttlSeconds, topic }: PushMessage, subject: string) {
  const subscription = { endpoint: target.endpoint, expirationTime: null, keys: { p256dh: target.p256dh, auth: target.auth } }
  const bytes = Buffer.from(text)
  if (bytes.length > TEXT_BYTES) throw new Error(`a push of ${bytes.length} bytes: at most ${TEXT_BYTES}`)
  // White space after JSON is nothing.
  const padded = Buffer.concat([bytes, Buffer.alloc(TEXT_BYTES - bytes.length, ' ')])
  const publicKey = key.publicKey.toString('base64url')
  const { headers } = await vapidHeaders(subscription, { subject, publicKey, privateKey: key.privateKey.toString('base64url') })
  return {
    method: 'POST',
    headers: {
      ...headers,
      ttl: String(ttlSeconds),
      urgency: 'normal',
      topic,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
    },
    body: await encryptNotification(subscription, padded, { pad: false }),
  }
}

function answerOf({ status, headers }: Response): PushAnswer {
  if (status >= 200 && status < 300) return { is: 'taken' }
  if (status === 404 || status === 410) return { is: 'gone' }
  if (status === 429 || status >= 500) return { is: 'later', afterSeconds: secondsToWait(headers) }
  return { is: 'refused', status }
}

/** Retry-After: seconds, or a date, which is set against the service's own. */
function secondsToWait(headers: Headers): number {
  const given = headers.get('retry-after') ?? ''
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - Date.parse(headers.get('date') ?? '')) / MILLIS
  return Number.isFinite(seconds) ? Math.min(PAUSE_SECONDS_MAX, Math.max(1, Math.ceil(seconds))) : PAUSE_SECONDS
}
