/**
 * Signs, sends and retries webhooks.
 *
 * - Retries follow 2, 10 and 30 minutes of the clock after the first attempt, until one is answered with 200. Then it is given up.
 * - A webhook is in the journal before it is sent (at-least-once delivery): a crash repeats it and never loses it.
 * - Each attempt has its own timestamp and signature over the same body.
 * - An attempt runs with the faults that were set when it was scheduled.
 */
import { createHmac, randomInt, randomUUID } from 'node:crypto'
import type { SandboxClock } from './clock.ts'
import { type Faults, inCurrency } from './faults.ts'
import type { Channel, Delivery, Event, Sending } from './model.ts'
import type { Store } from './store.ts'

const MINUTE_MS = 60_000
const RETRY_AFTER_MS = [2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS] as const
const TICK_MS = 1_000
const TIMEOUT_MS = 10_000
const SHUFFLE_MS = 500
const WEBHOOK_VERSIONS = { pg: '2025-01-01', payouts: '2024-01-01' } as const satisfies Record<Channel, string>
const AMOUNT = /"(order|refund|transfer|payment|plan_max)_amount":/

const signature = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret)
    .update(timestamp + body)
    .digest('base64')

export type Webhooks = {
  /** Queues `copies` of a webhook. Does nothing for undefined or zero copies. */
  announce(event: Event | undefined, copies: number, nowMs: number): void
  close(): void
}

export function startWebhooks(store: Store, clock: SandboxClock, secrets: Readonly<Record<Channel, string>>): Webhooks {
  const waiting = new Set([...store.deliveries.values()].filter((delivery) => delivery.state === 'waiting').map((one) => one.deliveryId))
  /** Deliveries being sent or delayed by a fault: the tick skips them. */
  const busy = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()
  const closing = new AbortController()

  function announce(event: Event | undefined, copies: number, nowMs: number): void {
    if (event === undefined || copies === 0) return
    const { duplicate, currency } = store.faults()
    const deliveries = deliveriesOf({ ...event, body: inCurrency(event.body, currency) }, copies + duplicate, nowMs)
    store.put(...deliveries.map((value) => ({ kind: 'delivery', value }) as const))
    for (const { deliveryId } of deliveries) {
      waiting.add(deliveryId)
      sendLater(deliveryId)
    }
  }

  function sendLater(deliveryId: string): void {
    const faults = store.faults()
    const { delayMs, shuffle } = faults
    busy.add(deliveryId)
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        send(deliveryId, faults).catch(console.error)
      },
      shuffle ? randomInt(Math.max(delayMs, SHUFFLE_MS)) : delayMs,
    )
    timers.add(timer)
  }

  async function send(deliveryId: string, { tamper, lose, agedMs }: Faults): Promise<void> {
    try {
      const delivery = store.deliveries.get(deliveryId)
      const atMs = await clock.recent()
      if (delivery === undefined || closing.signal.aborted) return
      const attempt = delivery.sendings.length + 1
      const result = lose
        ? failure('lost by a fault')
        : await post(delivery, { secret: secrets[delivery.channel], attempt, atMs: atMs - agedMs, tamper }, closing.signal)
      if (closing.signal.aborted) return
      const after = afterSending(delivery, { attempt, atMs, ...result })
      store.put({ kind: 'delivery', value: after })
      if (after.state !== 'waiting') waiting.delete(deliveryId)
    } finally {
      busy.delete(deliveryId)
    }
  }

  async function tick(): Promise<void> {
    if (waiting.size === 0) return
    const nowMs = await clock.recent()
    if (closing.signal.aborted) return
    for (const deliveryId of waiting) {
      const delivery = store.deliveries.get(deliveryId)
      if (delivery !== undefined && delivery.dueAtMs <= nowMs && !busy.has(deliveryId)) sendLater(deliveryId)
    }
  }
  const ticking = setInterval(() => void tick().catch(console.error), TICK_MS)

  return {
    announce,
    close() {
      clearInterval(ticking)
      for (const timer of timers) clearTimeout(timer)
      closing.abort()
    },
  }
}

/** Copies of one event share idempotency key and body. Each copy is delivered and retried independently. */
function deliveriesOf(event: Event, copies: number, nowMs: number): Delivery[] {
  const delivery = {
    ...event,
    idempotencyKey: randomUUID(),
    state: 'waiting',
    firstSentAtMs: null,
    dueAtMs: nowMs,
    sendings: [],
  } as const
  return Array.from({ length: copies }, () => ({ ...delivery, deliveryId: randomUUID() }))
}

type Result = Pick<Sending, 'status' | 'answer' | 'error'>
const failure = (error: string): Result => ({ status: null, answer: null, error })

type Post = { readonly secret: string; readonly attempt: number; readonly atMs: number; readonly tamper: boolean }

async function post(delivery: Delivery, { secret, attempt, atMs, tamper }: Post, closing: AbortSignal): Promise<Result> {
  const timestamp = String(atMs)
  try {
    const response = await fetch(delivery.url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        'content-type': 'application/json',
        'x-webhook-timestamp': timestamp,
        'x-webhook-signature': signature(secret, timestamp, delivery.body),
        'x-webhook-version': delivery.version ?? WEBHOOK_VERSIONS[delivery.channel],
        'x-webhook-attempt': String(attempt),
        'x-idempotency-key': delivery.idempotencyKey,
      },
      body: tamper ? delivery.body.replace(AMOUNT, '$&9') : delivery.body,
    })
    return { status: response.status, answer: (await response.text()).slice(0, 500), error: null }
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    return failure(error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message)
  }
}

function afterSending(delivery: Delivery, sending: Sending): Delivery {
  const sendings = [...delivery.sendings, sending]
  const firstSentAtMs = delivery.firstSentAtMs ?? sending.atMs
  const taken = sending.status === 200
  const wait = RETRY_AFTER_MS[sending.attempt - 1]
  if (taken || wait === undefined) return { ...delivery, sendings, firstSentAtMs, state: taken ? 'delivered' : 'given_up' }
  return { ...delivery, sendings, firstSentAtMs, dueAtMs: firstSentAtMs + wait }
}
