/**
 * Receives the gateway's webhooks.
 * - Only bytes that the gateway signed are stored, encrypted, once, and committed before the answer.
 * - A body never moves money: it only causes a question to the gateway.
 * - Age refuses nothing. A webhook later than the gateway's last retry, or from the future, did not come from the gateway's own
 *   delivery: it is stored and marked late, and its question is asked 15 s later, like the sweep's first check.
 */
import type { Signed, WebhookHeaders } from '../adapters/payments/port.ts'
import { type Db, type Sql, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'

type Deps = {
  readonly db: Db
  readonly secrets: { readonly encrypt: (plain: Buffer, context: string) => Buffer }
  /** Told the seconds from the signature to now; null if the time of signing is unreadable. */
  readonly webhookLag?: ((seconds: number | null) => void) | undefined
}
type Raw = { readonly headers: WebhookHeaders; readonly bytes: Buffer }
type Receiving<Event> = {
  readonly gateway: {
    readonly verifyWebhook: (headers: WebhookHeaders, rawBody: Buffer) => Signed | undefined
    /** How long the gateway retries a delivery. */
    readonly webhookLifeMs: number
  }
  readonly parse: (rawBody: Buffer) => Event | undefined
  readonly table: keyof typeof COLUMNS
  /** The order or transfer that the event names. */
  readonly refOf: (event: Event) => string | null
  readonly ask: (tx: Tx, event: Event, dueAt: Date) => Promise<void>
}

const COLUMNS = {
  gateway_event: sql`gateway_event (event_key, type, order_id, sealed, is_late)`,
  payout_event: sql`payout_event (event_key, type, transfer_id, sealed, is_late)`,
} as const satisfies Record<string, Sql>

export async function receiveWebhook<Event extends { readonly eventKey: string; readonly type: string }>(
  { db, secrets, webhookLag }: Deps,
  { headers, bytes }: Raw,
  { gateway, parse, table, refOf, ask }: Receiving<Event>,
) {
  const signed = gateway.verifyWebhook(headers, bytes)
  if (signed === undefined) return { ok: false, code: 'webhook_signature' } as const
  const event = parse(bytes)
  if (event === undefined) return { ok: false, code: 'bad_json' } as const
  const sealed = secrets.encrypt(bytes, `${table}:${event.eventKey}`)
  const signedAtMs = sql`${signed.atMs ?? null}::float8`
  const lag = await inTransaction(db, async (tx) => {
    const stored = await tx.maybeOne<{ askAt: Date; lag: number | null }>(sql`
      insert into ${COLUMNS[table]}
      values (${event.eventKey}::text, ${event.type}::text, ${refOf(event)}::text, ${sealed}::bytea,
        coalesce(abs(extract(epoch from roz_now())::float8 * 1000 - ${signedAtMs}) > ${gateway.webhookLifeMs}::float8, true))
      on conflict do nothing
      returning case when is_late then roz_now() + interval '15 seconds' else roz_now() end as "askAt",
        extract(epoch from roz_now())::float8 - ${signedAtMs} / 1000 as lag`)
    if (stored !== undefined) await ask(tx, event, stored.askAt)
    return stored?.lag
  })
  if (lag !== undefined) webhookLag?.(lag)
  return { ok: true, value: { received: true } } as const
}
