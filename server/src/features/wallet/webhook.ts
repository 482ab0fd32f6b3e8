/**
 * The gateway's webhooks. Invariants: only bytes that the gateway signed are stored; an event is
 * stored once, committed, then answered; its body never moves money, it only makes us ask; one that is
 * older than the gateway's own last retry is kept and marked, and asks in its turn, as the sweep does; a
 * type that we do not know is stored and left alone (cashfree.md 2, "Rule").
 */
import type { PaymentGateway, WebhookEvent } from '../../adapters/payments/port.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Call } from '../../http/route.ts'
import type { walletCalls } from '@roz/contract/wallet.ts'
import { type Attempt, isResting } from '../../jobs/parking.ts'
import { enqueue } from '../../jobs/queue.ts'
import { askAt, isLate, type WebhookAge } from '../../jobs/webhook-age.ts'
import { uuidOf } from '../../ledger/gateway-id.ts'

type Raw = Call<typeof walletCalls.cashfreeWebhook>['raw']

export async function receiveWebhook(db: Db, gateway: PaymentGateway, raw: Raw): Promise<'stored' | 'bad_signature' | 'unreadable'> {
  const signed = gateway.verifyWebhook(raw.headers, raw.bytes)
  if (signed === undefined) return 'bad_signature'
  const event = gateway.parseWebhook(raw.bytes)
  if (event === undefined) return 'unreadable'
  await storeEvent(db, event, raw.bytes, { signedAtMs: signed.atMs, lifeMs: gateway.webhookLifeMs })
  return 'stored'
}

async function storeEvent(db: Db, event: WebhookEvent, bytes: Buffer, age: WebhookAge): Promise<void> {
  const orderId = event.kind === 'other' ? null : event.orderId
  await inTransaction(db, async (tx) => {
    const stored = await maybeOne<{ askAt: Date }>(
      tx,
      sql`
      insert into gateway_event (event_key, type, order_id, payload, is_late)
      values (${event.eventKey}::text, ${event.type}::text, ${orderId}::text, ${bytes.toString('utf8')}::json, ${isLate(age)})
      on conflict do nothing returning ${askAt} as "askAt"`,
    )
    if (stored === undefined || event.kind === 'other') return
    const key = `event:${event.eventKey}`
    const dueAt = stored.askAt
    if (event.kind === 'payment') {
      await enqueue(tx, { kind: 'settle_order', key, payload: { orderId: event.orderId }, dueAt })
      return
    }
    if (event.kind === 'dispute') {
      await enqueue(tx, { kind: 'check_dispute', key, payload: { disputeId: event.disputeId }, dueAt })
      return
    }
    const id = uuidOf(event.refundId) ?? null
    const refund = await maybeOne<{ id: string }>(tx, sql`select id from refund where id = ${id}::uuid`)
    if (refund !== undefined) await enqueue(tx, { kind: 'check_refund', key, payload: { refundId: refund.id }, dueAt })
  })
}

const CUSTOMER_FIELDS = new Set(['customer_details', 'payment_method'])

/**
 * Takes the customer's fields out of events older than 90 days (product.md "Members' rights"). Here and
 * not in SQL: a text may hold \u0000, which jsonb refuses, and one such event would hold up all others.
 */
export async function cleanOldEvents({ db, attempt }: { readonly db: Db; readonly attempt: Attempt }): Promise<boolean> {
  const old = await db.query<OldEvent>(sql`
    select event_key as key, payload from gateway_event
    where cleaned_at is null and received_at < (select roz_now()) - interval '90 days' and not ${isResting('event', sql`event_key`)} limit 500`)
  if (old.length === 0) return false
  try {
    await clean(db, old)
  } catch {
    // One of them spoils the rest: each on its own.
    for (const event of old) await attempt('event', event.key, () => clean(db, [event]))
  }
  return true
}

type OldEvent = { readonly key: string; readonly payload: unknown }

async function clean(db: Db, old: readonly OldEvent[]): Promise<void> {
  const cleaned = old.map(({ payload }) =>
    JSON.stringify(payload, (name, value: unknown) => (CUSTOMER_FIELDS.has(name) ? undefined : value)),
  )
  await db.query(sql`
    update gateway_event e set cleaned_at = roz_now(), payload = c.payload::json
    from unnest(${old.map(({ key }) => key)}::text[], ${cleaned}::text[]) as c (key, payload) where e.event_key = c.key`)
}
