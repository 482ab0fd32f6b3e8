/**
 * Web Push over HTTP: RFC 8030, encrypted for the browser by RFC 8291, signed with our key by RFC 8292.
 * - Only allowed hosts are called; no redirect is followed and no body of an answer is read.
 * - Every call has a timeout. After three failures in a row a host is paused.
 * - Failures are tracked per host (at most 1,000 hosts), so one bad host cannot block the others. A member may have invented
 *   the host.
 * - All messages have the same length, so a push service cannot tell who won.
 */
import { encryptNotification, vapidHeaders } from '@block65/webcrypto-web-push'
import { inSpan } from '../../tracing/spans.ts'
import { createPushHosts } from './hosts.ts'
import type { PushAnswer, PushMessage, PushSender } from './port.ts'

type WebPushOptions = {
  /** Further allowed hosts, beside the known browsers' hosts. */
  readonly hosts: readonly string[]
  /** Contact for the operators of push services: `mailto:…`. */
  readonly subject: string
  readonly timeoutMs?: number
  readonly troublesMax?: number
}

const TIMEOUT_MS = 5_000
/** Room for the longest text. Less than the full 4,096 bytes, because Mozilla's bridge to Android takes at most 3,070. */
const TEXT_BYTES = 1_024
/** This many failures in a row are the service's fault, not a device's. */
const TROUBLE_MAX = 3
/** The number of hosts whose failures are tracked; the entry that was updated longest ago is dropped. */
const TROUBLES_MAX = 1_000
const PAUSE_SECONDS = 30
const PAUSE_SECONDS_MAX = 6 * 3600
const MILLIS = 1000

export function createWebPush({ hosts, subject, timeoutMs = TIMEOUT_MS, troublesMax = TROUBLES_MAX }: WebPushOptions): PushSender {
  const accepts = createPushHosts(hosts)
  const closing = new AbortController()
  const troubles = new Map<string, { count: number; untilMs: number }>()

  /** Tracks the failures of a host and returns the answer. */
  function noted(host: string, answer: PushAnswer): PushAnswer {
    const count = (troubles.get(host)?.count ?? 0) + 1
    troubles.delete(host)
    if (answer.is !== 'later') return answer
    troubles.set(host, { count, untilMs: count < TROUBLE_MAX ? 0 : performance.now() + answer.afterSeconds * MILLIS })
    // A Map iterates in insertion order: the entry updated longest ago comes first.
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
    if (closing.signal.aborted || waitMs > 0)
      return { is: 'later', afterSeconds: Math.max(1, Math.ceil(waitMs / MILLIS)), mayHaveTaken: false }
    return noted(host, await hand(message, subject, AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)])))
  }
  return { accepts, send, close: () => closing.abort() }
}

async function hand(message: PushMessage, subject: string, signal: AbortSignal): Promise<PushAnswer> {
  const request = await requestOf(message, subject)
  try {
    const response = await inSpan({ name: 'push', kind: 'client' }, () =>
      fetch(message.target.endpoint, { ...request, redirect: 'manual', signal }),
    )
    await response.body?.cancel()
    return answerOf(response)
  } catch {
    // No connection or a timeout. The error is dropped, because it may contain the member's endpoint.
    return { is: 'later', afterSeconds: PAUSE_SECONDS, mayHaveTaken: true }
  }
}

async function requestOf({ target, key, text, ttlSeconds, topic }: PushMessage, subject: string) {
  const subscription = { endpoint: target.endpoint, expirationTime: null, keys: { p256dh: target.p256dh, auth: target.auth } }
  const bytes = Buffer.from(text)
  if (bytes.length > TEXT_BYTES) throw new Error(`a push of ${bytes.length} bytes: at most ${TEXT_BYTES}`)
  // Pads with spaces, which JSON.parse ignores.
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
  if (status === 429 || status >= 500) {
    // A proxy's 500, 502 or 504 does not tell whether the service behind it took the message.
    return { is: 'later', afterSeconds: secondsToWait(headers), mayHaveTaken: status !== 429 && status !== 503 }
  }
  return { is: 'refused', status }
}

/** Retry-After in seconds, or as a date, which is compared with the service's own Date header. */
function secondsToWait(headers: Headers): number {
  const given = headers.get('retry-after') ?? ''
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - Date.parse(headers.get('date') ?? '')) / MILLIS
  return Number.isFinite(seconds) ? Math.min(PAUSE_SECONDS_MAX, Math.max(1, Math.ceil(seconds))) : PAUSE_SECONDS
}
